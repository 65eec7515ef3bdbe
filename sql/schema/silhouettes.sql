-- One row for each row of the relation that has a cluster, in the order of the key.
CREATE TABLE {table} (
    {key} {key_type} NOT NULL,
    cluster INTEGER NOT NULL,
    nearest_other INTEGER,
    silhouette DOUBLE
);
COMMENT ON TABLE {table} IS 'how well each row lies in its cluster';
COMMENT ON COLUMN {table}.{key} IS 'row key, as in the assignments';
COMMENT ON COLUMN {table}.cluster IS 'cluster of the row in the run';
COMMENT ON COLUMN {table}.nearest_other IS 'the other cluster whose rows are nearest, by mean distance; NULL when there is none';
COMMENT ON COLUMN {table}.silhouette IS 'from 1 (far from the other clusters) over 0 (between two) to -1 (nearer to the other cluster); NULL when there is one cluster only';
