-- The functions as users call them: macros that give arguments names and defaults, over the functions of functions.go.
-- {fit of R} stands for the query of the value __v that such a function makes of the rows of R, {settings of fit} for its
-- named arguments. Lists are made by FOR and IN: no way to write a lambda is in all versions of DuckDB. {macro}is TEMP MACRO, or MACRO and the catalogue in which every connection sees them.

-- two forms and no default, which before version 1.4 of DuckDB can only be given by its name
CREATE OR REPLACE {macro}cluster_fit(key, fields) AS {fit of a group without options}, (key, fields, options) AS {fit of a group};

CREATE OR REPLACE {macro}cluster_fit(relation, key, {settings of fit}) AS TABLE
SELECT unnest(__v) FROM ({fit of query_table(relation)});

CREATE OR REPLACE {macro}cluster_check(relation, key, {settings of check}) AS TABLE
SELECT unnest((__v).columns, recursive := true)
FROM ({check of query_table(relation)});

CREATE OR REPLACE {macro}cluster_path(relation, key, {settings of path}) AS TABLE
SELECT unnest(__p), [f.feature FOR f IN (__v).features IF f.point = __p.point AND f.selected] AS features
FROM (
    SELECT __v, unnest((__v).points) AS __p
    FROM ({path of query_table(relation)})
);

CREATE OR REPLACE {macro}cluster_tune(relation, key, {settings of tune}) AS TABLE
SELECT unnest((__v).points, recursive := true)
FROM ({tune of query_table(relation)});

CREATE OR REPLACE {macro}cluster_predict(model, fields) AS {predict}(model, fields, 'error'), (model, fields, unseen) AS {predict}(model, fields, unseen);

-- with enforce, all rows are labelled together, within the limits of clusters that the fit had
CREATE OR REPLACE {macro}cluster_predict(m, relation, key, unseen := 'error', enforce := false) AS TABLE
WITH __models AS (SELECT __m.model FROM query_table(m) AS __m),  -- not beside the relation, which may have a column of that name
__rows AS (SELECT row_number() OVER () AS __n, __r FROM query_table(relation) AS __r WHERE coalesce(enforce, false))
SELECT __key AS key, unnest(__p)
FROM (
    SELECT struct_extract(__r, key) AS __key, {measure}(__models.model, __r, unseen) AS __p
    FROM query_table(relation) AS __r, __models
    WHERE NOT coalesce(enforce, false)
)
UNION ALL
SELECT * FROM (
    SELECT struct_extract(__rows.__r, key), __l."cluster", __l.distance, __l.second_cluster, __l.margin
    FROM __rows
    LEFT JOIN (
        SELECT unnest((__v).assignments, recursive := true)
        FROM ({enforce of the rows})
    ) AS __l ON __rows.__n = __l.key
    ORDER BY __rows.__n
);

-- what a fit has found: m is a table of fits, whose other columns stay
-- {list} is each of the lists of a fit, and {order} how the features are ordered
CREATE OR REPLACE {macro}cluster_{list}(m) AS TABLE
SELECT * EXCLUDE (__none)
FROM (
    SELECT COLUMNS([__c FOR __c IN (*) IF __c NOT IN ({columns of a fit}, {lists of a fit})]), unnest({list}, recursive := true)
    FROM (SELECT NULL AS __none, * FROM query_table(m))
){order};

CREATE OR REPLACE {macro}cluster_info(m) AS TABLE
SELECT COLUMNS([__c FOR __c IN (*) IF __c NOT IN ('model', {lists of a fit})]) FROM query_table(m);

-- the rows of a relation with their clusters; it is read once
CREATE OR REPLACE {macro}cluster(relation, key, {settings of fit}) AS TABLE
WITH __rows AS MATERIALIZED (FROM query_table(relation))
SELECT __t.*, __a."cluster", __a.distance, __a.margin
FROM __rows AS __t
LEFT JOIN (
    SELECT unnest((__v).assignments, recursive := true)
    FROM ({fit of __rows})
) AS __a ON struct_extract(__t, key) = __a.key;

CREATE OR REPLACE {macro}cluster_algorithms() AS TABLE FROM {algorithms}();

CREATE OR REPLACE {macro}cluster_params(algorithm) AS TABLE FROM {params}(algorithm);

-- a run that was stored as tables, as a fit
CREATE OR REPLACE {macro}cluster_model(run) AS TABLE
SELECT __f.*, NULL::VARCHAR AS error, NULL::VARCHAR[] AS notes,
    (SELECT list(__x) FROM query_table(run || '_centers') AS __x) AS centers,
    (SELECT list(__x) FROM query_table(run || '_features') AS __x) AS features,
    (SELECT list(__x) FROM query_table(run || '_clusters') AS __x) AS clusters,
    (SELECT list(__x) FROM query_table(run || '_assignments') AS __x(key)) AS assignments,
    (SELECT list(__x) FROM query_table(run || '_trace') AS __x) AS trace,
    NULL::{rows of violations} AS violations,
    NULL::{rows of limits} AS limits
FROM query_table(run || '_fit') AS __f
WHERE ( -- a run with groups has columns before those of a fit, and its tables have the rows of all models
    SELECT CASE WHEN typeof(row(*COLUMNS([__c FOR __c IN (*) IF __c NOT IN ({columns of a fit})]))) = typeof(row(NULL)) THEN true ELSE error('{several models}') END
    FROM (SELECT NULL AS __none, * FROM query_table(run || '_fit'))
    LIMIT 1
);

-- the prediction of a fit as plain SQL
CREATE OR REPLACE {macro}cluster_export(m, dialect := 'duckdb', form := 'sql', relation := '', name := '', distance := false, unseen := 'error') AS TABLE
SELECT * EXCLUDE (__none)
FROM (
    SELECT COLUMNS([__c FOR __c IN (*) IF __c NOT IN ({columns of a fit}, {lists of a fit})]), {export}(model, dialect, form, relation, name, distance, unseen) AS sql
    FROM (SELECT NULL AS __none, * FROM query_table(m))
);

-- how good the clusters of a fit are, by the rows of a relation; sample := 0 measures all of them
CREATE OR REPLACE {macro}cluster_score(m, relation, key := '', truth := NULL, sample := 2000) AS TABLE
SELECT unnest((__v).scores, recursive := true)
FROM ({score of the rows});
