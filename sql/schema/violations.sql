-- One row for each pair that the clusters break. Only runs with --pairs have
-- this table.
CREATE TABLE {table} (
    a {key_type} NOT NULL,
    b {key_type} NOT NULL,
    kind VARCHAR NOT NULL,
    weight DOUBLE,
    cost DOUBLE,
    derived BOOLEAN NOT NULL
);
COMMENT ON TABLE {table} IS 'pairs of rows that the clusters break';
COMMENT ON COLUMN {table}.a IS 'key of one row';
COMMENT ON COLUMN {table}.b IS 'key of the other row';
COMMENT ON COLUMN {table}.kind IS 'must (together, but they are not) or cannot (apart, but they are not)';
COMMENT ON COLUMN {table}.weight IS 'weight of the pair';
COMMENT ON COLUMN {table}.cost IS 'what it takes from the objective (or adds to one that is made small); 0 for a repetition of a pair that counts once; NULL where the algorithm takes no pairs';
COMMENT ON COLUMN {table}.derived IS 'the pair was not given, but follows from pairs that were (closure)';
