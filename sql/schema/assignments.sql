-- One row for every row of the relation, in key order.
CREATE TABLE {table} (
    {key} {keytype} NOT NULL,
    cluster        INTEGER,
    distance       DOUBLE,
    second_cluster INTEGER,
    margin         DOUBLE,
    status         VARCHAR
);
COMMENT ON COLUMN {table}.{key} IS 'key of the row';
COMMENT ON COLUMN {table}.cluster IS 'cluster of the row, from 0; NULL when the row was left out';
COMMENT ON COLUMN {table}.distance IS 'distance to the center of its cluster, in scaled units, over the features that the row has';
COMMENT ON COLUMN {table}.second_cluster IS 'the cluster with the next nearest center; NULL when there is one cluster only';
COMMENT ON COLUMN {table}.margin IS 'distance to that center minus distance: near 0 is a close call';
COMMENT ON COLUMN {table}.status IS 'NULL, or why the row was left out: missing_value';
