-- The runs of an extension, whose functions cannot look at the catalogue: a query of its own writes the query that lists them,
-- as two statements. {fits} is a condition of the columns of a fit table, and {groups} how many of them are those of groups.

CREATE OR REPLACE {macro}cluster_runs_sql() AS (
    WITH __tables AS (
        SELECT database_name, schema_name, table_name, list(column_name ORDER BY column_index) AS columns,
            '"' || replace(database_name, '"', '""') || '"."' || replace(schema_name, '"', '""') || '".' AS place
        FROM duckdb_tables() JOIN duckdb_columns() USING (database_name, schema_name, table_name)
        WHERE NOT temporary AND database_name = current_database() AND NOT duckdb_tables.internal
        GROUP BY ALL
    ), __fits AS (
        SELECT *, regexp_replace(table_name, '_fit$', '') AS name, {groups} AS groups FROM __tables
        WHERE table_name LIKE '%\_fit' ESCAPE '\' AND ({fits})
    )
    SELECT coalesce(string_agg(
        'SELECT ''' || replace(CASE WHEN schema_name = current_schema() THEN '' ELSE schema_name || '.' END || name, '''', '''''') || ''' AS run, '
        || 'first(algorithm ORDER BY rowid) AS algorithm, coalesce(sum(n), 0)::BIGINT AS n, max(p)::INTEGER AS p, max(k)::INTEGER AS k, '
        || CASE WHEN groups > 0 THEN 'NULL::DOUBLE' ELSE 'CASE WHEN isfinite(max(objective)) THEN max(objective) END' END || ' AS objective, '
        || 'bool_and(converged) AS converged, coalesce('
        || coalesce((
            SELECT '(SELECT started_at::TIMESTAMP FROM ' || r.place || '"' || replace(r.table_name, '"', '""') || '" LIMIT 1)' FROM __tables AS r
            WHERE r.schema_name = f.schema_name AND lower(r.table_name) = lower(f.name || '_run')
        ), 'NULL')
        || ', TIMESTAMP ''0001-01-01'') AS started_at, first("source" ORDER BY rowid) AS "source" '
        || 'FROM ' || place || '"' || replace(table_name, '"', '""') || '" HAVING count(*) > 0', ' UNION ALL ' ORDER BY schema_name, table_name
    ), 'SELECT NULL::VARCHAR AS run, NULL::VARCHAR AS algorithm, NULL::BIGINT AS n, NULL::INTEGER AS p, NULL::INTEGER AS k, '
        || 'NULL::DOUBLE AS objective, NULL::BOOLEAN AS converged, NULL::TIMESTAMP AS started_at, NULL::VARCHAR AS "source" WHERE false')
    FROM __fits AS f
);

CREATE OR REPLACE {macro}cluster_runs() AS TABLE
FROM query(coalesce(getvariable('cluster_runs'), 'SELECT error(''which runs are there?
hint: SET VARIABLE cluster_runs = {catalogue}.cluster_runs_sql() before FROM cluster_runs(), and again when there are others'')'));
