-- One row for each fit of a tuning without classes: of a point to the rows, or to a
-- data set that is drawn.
CREATE TABLE {table} (
    kind VARCHAR NOT NULL,
    draw INTEGER NOT NULL,
    point INTEGER NOT NULL,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    iterations INTEGER,
    selected INTEGER,
    objective DOUBLE,
    explained DOUBLE
);
COMMENT ON TABLE {table} IS 'the fits of a tuning to the rows and to what is drawn';
COMMENT ON COLUMN {table}.kind IS 'what was fitted: rows, or permuted, uniform (in the box along the principal axes), half (of the rows)';
COMMENT ON COLUMN {table}.draw IS 'number of the data set of this kind, from 0';
COMMENT ON COLUMN {table}.point IS 'number of the point, from 0';
COMMENT ON COLUMN {table}.status IS 'why the fit stopped, or the code of the error that it ended with';
COMMENT ON COLUMN {table}.converged IS 'whether the fit came to rest';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the best start';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster';
COMMENT ON COLUMN {table}.objective IS 'final objective of the best start';
COMMENT ON COLUMN {table}.explained IS 'how much better the objective is than that of one cluster; one that is to be large: itself';
