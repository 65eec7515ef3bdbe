-- One row for each feature of the run whose stability was looked at; where features are
-- selected for each cluster, one for each cluster and feature.
CREATE TABLE {table} (
    feature VARCHAR NOT NULL,
    category VARCHAR,
    cluster INTEGER,
    selected BOOLEAN NOT NULL,
    frequency DOUBLE
);
COMMENT ON TABLE {table} IS 'how often each feature is selected when rows are drawn anew';
COMMENT ON COLUMN {table}.feature IS 'name of the column';
COMMENT ON COLUMN {table}.category IS 'category, of a categorical column';
COMMENT ON COLUMN {table}.cluster IS 'number of the cluster in the run, from 0; NULL where features are selected for all clusters alike';
COMMENT ON COLUMN {table}.selected IS 'whether it is selected in the run; true where the algorithm uses all features';
COMMENT ON COLUMN {table}.frequency IS 'part of the draws in which it is; of a cluster, in the cluster of the draw that matches it best';
