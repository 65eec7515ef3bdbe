-- One row for each row of the relation, in the order in which they were fitted.
-- Rows that were left out come last.
CREATE TABLE {table} (
    {key} {key_type} NOT NULL,
    cluster INTEGER,
    distance DOUBLE,
    second_cluster INTEGER,
    margin DOUBLE,
    status VARCHAR
);
COMMENT ON TABLE {table} IS 'the cluster of each row';
COMMENT ON COLUMN {table}.{key} IS 'row key: the column given by --id, or the row number, from 1';
COMMENT ON COLUMN {table}.cluster IS 'cluster of the row, from 0; NULL: see status';
COMMENT ON COLUMN {table}.distance IS 'distance to the center of the cluster, or of an outlier to the nearest center, in the fitted (scaled) space';
COMMENT ON COLUMN {table}.second_cluster IS 'cluster with the next nearest center; NULL when there is one cluster only';
COMMENT ON COLUMN {table}.margin IS 'distance to the next nearest center minus distance: small for a row between two clusters';
COMMENT ON COLUMN {table}.status IS 'why the row has no cluster: null_cell (--nulls drop), no_cells (all features that tell clusters apart are NULL), all_zero (no feature has a weight), no_cluster (the algorithm gave it none), no_model (the run has no model of its group), outlier (--trim, or predict --flag: it is farther from all centers than most rows); NULL when it has one';
