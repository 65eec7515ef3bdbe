-- One row for each pair that a person is asked about. It does not belong to a run.
CREATE TABLE {table} (
    a {key_type} NOT NULL,
    b {key_type} NOT NULL,
    kind VARCHAR,
    weight DOUBLE,
    why VARCHAR
);
COMMENT ON TABLE {table} IS 'pairs to be labelled';
COMMENT ON COLUMN {table}.a IS 'key of the row that is asked about';
COMMENT ON COLUMN {table}.b IS 'key of the row that it is compared with';
COMMENT ON COLUMN {table}.kind IS 'to be filled in: must or cannot; NULL: not labelled yet';
COMMENT ON COLUMN {table}.weight IS 'weight of the pair';
COMMENT ON COLUMN {table}.why IS 'why this pair is worth asking about';
