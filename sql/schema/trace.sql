-- One row for each iteration of each restart.
CREATE TABLE {table} (
    restart INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    objective DOUBLE,
    moved BIGINT,
    selected INTEGER
);
COMMENT ON TABLE {table} IS 'how the fit went';
COMMENT ON COLUMN {table}.restart IS 'run from a start of its own, from 0';
COMMENT ON COLUMN {table}.iteration IS 'iteration of the run, from 1';
COMMENT ON COLUMN {table}.objective IS 'objective after rows were assigned, with the centers used for it; where feature weights followed, with them';
COMMENT ON COLUMN {table}.moved IS 'rows that changed cluster';
COMMENT ON COLUMN {table}.selected IS 'features selected; 0 where the algorithm selects nothing';
