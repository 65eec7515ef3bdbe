-- k × p rows: the center of each cluster, feature by feature. A categorical
-- feature has one row for each category. Where these are many, entries that are 0 and
-- features that no cluster selects have no rows.
CREATE TABLE {table} (
    cluster INTEGER NOT NULL,
    feature VARCHAR NOT NULL,
    category VARCHAR,
    center DOUBLE,
    center_scaled DOUBLE,
    frequency DOUBLE, -- since version 1
    modal BOOLEAN -- since version 1
);
COMMENT ON TABLE {table} IS 'the center of each cluster';
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0';
COMMENT ON COLUMN {table}.feature IS 'feature: a column, or one entry of an array column, written col[1]';
COMMENT ON COLUMN {table}.category IS 'category of a categorical column; NULL for numbers';
COMMENT ON COLUMN {table}.center IS 'center in the units of the column, NULL if no row has a value; for a category its share in the center';
COMMENT ON COLUMN {table}.center_scaled IS 'center in the fitted space: (center - location) / scale';
COMMENT ON COLUMN {table}.frequency IS 'part of the row weight of the cluster that has the category; NULL for numbers';
COMMENT ON COLUMN {table}.modal IS 'whether it is the most frequent category of the feature in the cluster; NULL for numbers';
