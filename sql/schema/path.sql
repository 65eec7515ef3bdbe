-- One row for each value of the parameter that a path varies.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    parameter VARCHAR NOT NULL,
    value DOUBLE NOT NULL,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    iterations INTEGER,
    selected INTEGER,
    objective DOUBLE,
    explained_variance DOUBLE,
    ari_previous DOUBLE,
    warm_from DOUBLE -- since version 2
);
COMMENT ON TABLE {table} IS 'the fits over the values of one parameter';
COMMENT ON COLUMN {table}.point IS 'number of the value, from 0';
COMMENT ON COLUMN {table}.parameter IS 'name of the parameter';
COMMENT ON COLUMN {table}.value IS 'its value';
COMMENT ON COLUMN {table}.status IS 'why the fit stopped (all_zero: no feature was left), too_few_distinct when the selected features have too few different rows for all clusters, or the code of the error that it ended with';
COMMENT ON COLUMN {table}.converged IS 'whether the fit came to rest';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the best start';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster';
COMMENT ON COLUMN {table}.objective IS 'objective of the fit, a penalty included';
COMMENT ON COLUMN {table}.explained_variance IS 'part of the sum of squares of all scaled features that lies between clusters';
COMMENT ON COLUMN {table}.ari_previous IS 'adjusted Rand index with the clusters of the last point before that has any';
COMMENT ON COLUMN {table}.warm_from IS 'value whose clusters this fit started from (--warm); NULL: it has a start of its own';
