-- One row for each cluster of the run whose stability was looked at.
CREATE TABLE {table} (
    cluster INTEGER NOT NULL,
    size BIGINT NOT NULL,
    jaccard DOUBLE,
    standard_error DOUBLE,
    dissolved DOUBLE,
    recovered DOUBLE
);
COMMENT ON TABLE {table} IS 'how well each cluster is found again in some of the rows';
COMMENT ON COLUMN {table}.cluster IS 'number of the cluster in the run, from 0';
COMMENT ON COLUMN {table}.size IS 'its rows';
COMMENT ON COLUMN {table}.jaccard IS 'mean over the draws of the largest Jaccard coefficient with a cluster of the draw: 1 is the same rows, 0 none in common';
COMMENT ON COLUMN {table}.standard_error IS 'standard error of that mean';
COMMENT ON COLUMN {table}.dissolved IS 'part of the draws in which it is below 0.5';
COMMENT ON COLUMN {table}.recovered IS 'part of the draws in which it is above 0.75';
