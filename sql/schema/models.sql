-- One row for each group of a run with --by, in the order of its values.
CREATE TABLE {table} (
    status VARCHAR NOT NULL,
    message VARCHAR,
    rows BIGINT,
    p INTEGER,
    k INTEGER,
    objective DOUBLE,
    iterations INTEGER,
    converged BOOLEAN,
    notes VARCHAR
);
COMMENT ON TABLE {table} IS 'the model of each group of --by, or why it has none';
COMMENT ON COLUMN {table}.status IS 'fitted, or the code of the error: the other tables have no rows of this group then';
COMMENT ON COLUMN {table}.message IS 'the error in words';
COMMENT ON COLUMN {table}.rows IS 'rows of the relation in this group';
COMMENT ON COLUMN {table}.p IS 'features';
COMMENT ON COLUMN {table}.k IS 'clusters';
COMMENT ON COLUMN {table}.objective IS 'final value of what the algorithm optimises';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the restart that won';
COMMENT ON COLUMN {table}.converged IS 'whether it came to rest';
COMMENT ON COLUMN {table}.notes IS 'what should be known of the rows, such as columns without effect';
