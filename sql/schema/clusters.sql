-- One row for every cluster.
CREATE TABLE {table} (
    cluster INTEGER NOT NULL,
    size    BIGINT NOT NULL,
    weight  DOUBLE NOT NULL,
    inertia DOUBLE NOT NULL
);
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0';
COMMENT ON COLUMN {table}.size IS 'number of rows';
COMMENT ON COLUMN {table}.weight IS 'sum of the weights of its rows';
COMMENT ON COLUMN {table}.inertia IS 'sum of the squared (loss=l1: absolute) distances of its rows to the center, times their weights';
