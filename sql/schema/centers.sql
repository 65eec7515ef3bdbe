-- One row for every cluster and feature.
CREATE TABLE {table} (
    cluster       INTEGER NOT NULL,
    feature       VARCHAR NOT NULL,
    category      VARCHAR,
    center        DOUBLE,
    center_scaled DOUBLE
);
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0';
COMMENT ON COLUMN {table}.feature IS 'column of the relation';
COMMENT ON COLUMN {table}.category IS 'level of a categorical column; NULL for a numeric one';
COMMENT ON COLUMN {table}.center IS 'center of the cluster, in the units of the column; the column''s location where the feature is not selected';
COMMENT ON COLUMN {table}.center_scaled IS 'the same in scaled units: (center - location) / scale';
