-- One row: what was run, and the model that predict reads.
CREATE TABLE {table} (
    run_id        VARCHAR NOT NULL,
    algorithm     VARCHAR NOT NULL,
    version       VARCHAR NOT NULL,
    plugin_sha256 VARCHAR,
    params        JSON NOT NULL,
    seed          UBIGINT NOT NULL,
    n             BIGINT NOT NULL,
    p             BIGINT NOT NULL,
    k             BIGINT NOT NULL,
    objective     DOUBLE NOT NULL,
    maximize      BOOLEAN NOT NULL,
    inertia       DOUBLE NOT NULL,
    restart       INTEGER NOT NULL,
    iterations    INTEGER NOT NULL,
    converged     BOOLEAN NOT NULL,
    stop_reason   VARCHAR NOT NULL,
    source        VARCHAR NOT NULL,
    tool_version  VARCHAR NOT NULL,
    model         JSON NOT NULL
);
COMMENT ON COLUMN {table}.run_id IS 'fingerprint of parameters and data: equal runs have equal ids';
COMMENT ON COLUMN {table}.algorithm IS 'name of the algorithm';
COMMENT ON COLUMN {table}.version IS 'version of the algorithm';
COMMENT ON COLUMN {table}.plugin_sha256 IS 'hash of the plugin''s file; NULL for a built-in one';
COMMENT ON COLUMN {table}.params IS 'every parameter with its value and where that came from';
COMMENT ON COLUMN {table}.seed IS 'seed of all random choices';
COMMENT ON COLUMN {table}.n IS 'rows that were fitted';
COMMENT ON COLUMN {table}.p IS 'features';
COMMENT ON COLUMN {table}.k IS 'clusters';
COMMENT ON COLUMN {table}.objective IS 'objective of the result';
COMMENT ON COLUMN {table}.maximize IS 'whether a larger objective is better';
COMMENT ON COLUMN {table}.inertia IS 'sum of the squared (loss=l1: absolute) distances of rows to their centers, times their weights';
COMMENT ON COLUMN {table}.restart IS 'the restart that gave the result';
COMMENT ON COLUMN {table}.iterations IS 'iterations of that restart';
COMMENT ON COLUMN {table}.converged IS 'false when the iterations ran out';
COMMENT ON COLUMN {table}.stop_reason IS 'settled, tolerance, max_iter, or the algorithm''s own';
COMMENT ON COLUMN {table}.source IS 'the relation, as it was given';
COMMENT ON COLUMN {table}.tool_version IS 'version of sqlcluster';
COMMENT ON COLUMN {table}.model IS 'recipe, centers and selection: all that predict needs';
