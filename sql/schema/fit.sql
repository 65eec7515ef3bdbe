-- One row: what was run, on what, with what result, and the model. It holds
-- nothing that changes when the same fit is repeated.
CREATE TABLE {table} (
    run_id VARCHAR NOT NULL,
    algorithm VARCHAR NOT NULL,
    version VARCHAR,
    plugin_sha256 VARCHAR,
    params JSON,
    seed UBIGINT,
    n BIGINT,
    p INTEGER,
    k INTEGER,
    objective DOUBLE,
    maximize BOOLEAN,
    inertia DOUBLE,
    iterations INTEGER,
    converged BOOLEAN,
    stop_reason VARCHAR,
    approximate BOOLEAN, -- since version 5
    label_gap DOUBLE, -- since version 6
    source VARCHAR,
    tool_version VARCHAR,
    schema_version INTEGER, -- since version 3
    model VARCHAR
);
COMMENT ON TABLE {table} IS 'the fit and its model';
COMMENT ON COLUMN {table}.run_id IS 'name of the run, made from parameters and data: equal for equal fits';
COMMENT ON COLUMN {table}.algorithm IS 'algorithm';
COMMENT ON COLUMN {table}.version IS 'version of the algorithm';
COMMENT ON COLUMN {table}.plugin_sha256 IS 'SHA-256 of the plugin program';
COMMENT ON COLUMN {table}.params IS 'all parameters and flags that decide the result, each with its value and origin';
COMMENT ON COLUMN {table}.seed IS 'seed of all random choices';
COMMENT ON COLUMN {table}.n IS 'rows that were fitted';
COMMENT ON COLUMN {table}.p IS 'features';
COMMENT ON COLUMN {table}.k IS 'clusters';
COMMENT ON COLUMN {table}.objective IS 'final value of what the algorithm optimises';
COMMENT ON COLUMN {table}.maximize IS 'whether a large objective is good';
COMMENT ON COLUMN {table}.inertia IS 'weighted sum of the losses of all rows to their centers, over all features of the fitted space; with feature weights, weighted by them';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the restart that won';
COMMENT ON COLUMN {table}.converged IS 'whether it came to rest';
COMMENT ON COLUMN {table}.label_gap IS 'where clusters have limits, the part of the cost of the labels that better labels within the limits could save at most, for the same centers: 0 for limits whose best labels are known; NULL without limits';
COMMENT ON COLUMN {table}.stop_reason IS 'why it ended: settled, tolerance, max_iter, or a reason of the algorithm: all_zero when no feature got a weight; of a path path, or interrupted or timed_out when a part was kept';
COMMENT ON COLUMN {table}.approximate IS 'whether the start was made from batches of the rows (--batch), so that a better one may have been missed';
COMMENT ON COLUMN {table}.source IS 'SQL of the relation';
COMMENT ON COLUMN {table}.tool_version IS 'version of sqlcluster';
COMMENT ON COLUMN {table}.schema_version IS 'version of the result tables: their columns';
COMMENT ON COLUMN {table}.model IS 'scaling, centers and weights as JSON: all that predict needs';
