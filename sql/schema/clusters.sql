-- One row for each cluster.
CREATE TABLE {table} (
    cluster INTEGER NOT NULL,
    size BIGINT,
    weight DOUBLE,
    inertia DOUBLE,
    known_class VARCHAR -- since version 6
);
COMMENT ON TABLE {table} IS 'size and spread of each cluster';
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0';
COMMENT ON COLUMN {table}.size IS 'number of rows';
COMMENT ON COLUMN {table}.weight IS 'sum of the row weights; equal to size without weights';
COMMENT ON COLUMN {table}.inertia IS 'weighted sum of the losses (squared distances, or absolute ones) of its rows to its center, in the fitted space';
COMMENT ON COLUMN {table}.known_class IS 'class of the rows that are known to belong to it (--labels); NULL: none';
