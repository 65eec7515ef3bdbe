-- One row for each feature, or for each feature and cluster when features are
-- selected by cluster.
CREATE TABLE {table} (
    feature VARCHAR NOT NULL,
    category VARCHAR,
    feature_group VARCHAR,
    cluster INTEGER,
    selected BOOLEAN,
    weight DOUBLE,
    group_norm DOUBLE, -- since version 1
    gain DOUBLE,
    rank INTEGER,
    location DOUBLE,
    scale DOUBLE
);
COMMENT ON TABLE {table} IS 'which features the clusters rest on, and how each was scaled';
COMMENT ON COLUMN {table}.feature IS 'feature: a column, or one entry of an array column, written col[1]';
COMMENT ON COLUMN {table}.category IS 'category of a categorical column; NULL for numbers';
COMMENT ON COLUMN {table}.feature_group IS 'group of features that are kept or dropped together; NULL: none';
COMMENT ON COLUMN {table}.cluster IS 'cluster for which the feature is selected; NULL: for all alike';
COMMENT ON COLUMN {table}.selected IS 'whether the feature tells clusters apart; NULL: the algorithm selects nothing';
COMMENT ON COLUMN {table}.weight IS 'feature weight; NULL where the algorithm has none';
COMMENT ON COLUMN {table}.group_norm IS 'square root of the sum of squared weights of its group, or its weight when it is in none; NULL where the algorithm has no weights';
COMMENT ON COLUMN {table}.gain IS 'what the objective loses when the feature is dropped; with feature weights, per unit of weight';
COMMENT ON COLUMN {table}.rank IS '1 for the most important (within the cluster, when there is one): the largest gain or, with feature weights, the largest norm of its group, then weight; NULL: the algorithm selects nothing';
COMMENT ON COLUMN {table}.location IS 'what was subtracted from the column, in its units; for a category its share of the rows';
COMMENT ON COLUMN {table}.scale IS 'what it was then divided by, in its units';
