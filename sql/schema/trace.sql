-- One row for every iteration of every restart.
CREATE TABLE {table} (
    restart   INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    objective DOUBLE NOT NULL,
    moved     BIGINT NOT NULL,
    selected  INTEGER
);
COMMENT ON COLUMN {table}.restart IS 'restart, from 0';
COMMENT ON COLUMN {table}.iteration IS 'iteration of the restart, from 1';
COMMENT ON COLUMN {table}.objective IS 'objective after the iteration';
COMMENT ON COLUMN {table}.moved IS 'rows that changed their cluster in the iteration';
COMMENT ON COLUMN {table}.selected IS 'selected features, summed over clusters when each has its own';
