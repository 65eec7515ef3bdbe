-- One row for each draw of rows of a stability, and cluster of the run.
CREATE TABLE {table} (
    draw INTEGER NOT NULL,
    cluster INTEGER NOT NULL,
    jaccard DOUBLE
);
COMMENT ON TABLE {table} IS 'how well each cluster is found again in each draw';
COMMENT ON COLUMN {table}.draw IS 'number of the draw, from 0';
COMMENT ON COLUMN {table}.cluster IS 'number of the cluster in the run, from 0';
COMMENT ON COLUMN {table}.jaccard IS 'largest Jaccard coefficient of its drawn rows with a cluster of the draw; NULL where none of its rows was drawn';
