-- One row for each row of the relation and each of its nearest centers.
CREATE TABLE {table} (
    {key} {key_type} NOT NULL,
    rank INTEGER,
    cluster INTEGER,
    distance DOUBLE
);
COMMENT ON TABLE {table} IS 'how far each row is from its nearest centers';
COMMENT ON COLUMN {table}.{key} IS 'row key, as in NAME_assignments';
COMMENT ON COLUMN {table}.rank IS '1 for the nearest center of the row, 2 for the next, and so on';
COMMENT ON COLUMN {table}.cluster IS 'cluster of that center; NULL for a row that has no cell';
COMMENT ON COLUMN {table}.distance IS 'distance to that center over all features, in the fitted (scaled) space';
