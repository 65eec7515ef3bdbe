-- k × p rows: the center of each cluster, feature by feature.
CREATE TABLE {table} (
    cluster INTEGER NOT NULL,
    feature VARCHAR NOT NULL,
    category VARCHAR,
    center DOUBLE,
    center_scaled DOUBLE
);
COMMENT ON TABLE {table} IS 'the center of each cluster';
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0';
COMMENT ON COLUMN {table}.feature IS 'feature: a column, or one entry of an array column, written col[1]';
COMMENT ON COLUMN {table}.category IS 'category of a text column; NULL for numbers';
COMMENT ON COLUMN {table}.center IS 'center in the units of the column (frequency for a category)';
COMMENT ON COLUMN {table}.center_scaled IS 'center in the fitted space: (center - location) / scale';
