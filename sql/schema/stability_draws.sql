-- One row for each draw of rows of a stability.
CREATE TABLE {table} (
    draw INTEGER NOT NULL,
    rows BIGINT NOT NULL,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    iterations INTEGER,
    selected INTEGER,
    ari DOUBLE
);
COMMENT ON TABLE {table} IS 'the fits to rows that were drawn anew';
COMMENT ON COLUMN {table}.draw IS 'number of the draw, from 0';
COMMENT ON COLUMN {table}.rows IS 'rows that were drawn';
COMMENT ON COLUMN {table}.status IS 'why the fit stopped, or the code of the error that it ended with';
COMMENT ON COLUMN {table}.converged IS 'whether the fit came to rest';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the best start';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster';
COMMENT ON COLUMN {table}.ari IS 'adjusted Rand index of its clusters and those of the run, over the drawn rows';
