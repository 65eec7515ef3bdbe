-- One row for each feature of each point of a path, or for each feature and
-- cluster where features are selected by cluster.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    feature VARCHAR NOT NULL,
    category VARCHAR,
    feature_group VARCHAR,
    cluster INTEGER,
    selected BOOLEAN,
    weight DOUBLE,
    gain DOUBLE,
    rank INTEGER,
    group_norm DOUBLE
);
COMMENT ON TABLE {table} IS 'what the fits of a path say of the features';
COMMENT ON COLUMN {table}.point IS 'number of the value of the parameter, from 0';
COMMENT ON COLUMN {table}.feature IS 'column of the relation';
COMMENT ON COLUMN {table}.category IS 'category, where the column has categories';
COMMENT ON COLUMN {table}.feature_group IS 'group of features that are selected together';
COMMENT ON COLUMN {table}.cluster IS 'cluster; NULL: all alike';
COMMENT ON COLUMN {table}.selected IS 'whether the feature makes a difference';
COMMENT ON COLUMN {table}.weight IS 'weight of the feature, where the algorithm has weights';
COMMENT ON COLUMN {table}.gain IS 'what the feature contributes';
COMMENT ON COLUMN {table}.rank IS 'place by gain, from 1';
COMMENT ON COLUMN {table}.group_norm IS 'square root of the sum of the squared weights in the group of the feature';
