-- One row for every feature, or for every feature and cluster when each
-- cluster selects its own.
CREATE TABLE {table} (
    feature       VARCHAR NOT NULL,
    category      VARCHAR,
    feature_group VARCHAR,
    cluster       INTEGER,
    selected      BOOLEAN NOT NULL,
    weight        DOUBLE,
    gain          DOUBLE,
    rank          INTEGER,
    location      DOUBLE,
    scale         DOUBLE
);
COMMENT ON COLUMN {table}.feature IS 'column of the relation';
COMMENT ON COLUMN {table}.category IS 'level of a categorical column; NULL for a numeric one';
COMMENT ON COLUMN {table}.feature_group IS 'group of columns that are selected together; NULL when there are no groups';
COMMENT ON COLUMN {table}.cluster IS 'the cluster that this selection is for; NULL: all';
COMMENT ON COLUMN {table}.selected IS 'whether the centers use the feature';
COMMENT ON COLUMN {table}.weight IS 'feature weight; NULL where the method has none';
COMMENT ON COLUMN {table}.gain IS 'how much worse the objective would be without the feature';
COMMENT ON COLUMN {table}.rank IS '1 is the largest gain';
COMMENT ON COLUMN {table}.location IS 'what was subtracted from the column, in its units';
COMMENT ON COLUMN {table}.scale IS 'what it was then divided by, in its units';
