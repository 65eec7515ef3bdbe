-- One row for each feature of the run whose stability was looked at.
CREATE TABLE {table} (
    feature VARCHAR NOT NULL,
    category VARCHAR,
    selected BOOLEAN NOT NULL,
    frequency DOUBLE
);
COMMENT ON TABLE {table} IS 'how often each feature is selected when rows are drawn anew';
COMMENT ON COLUMN {table}.feature IS 'name of the column';
COMMENT ON COLUMN {table}.category IS 'category, of a categorical column';
COMMENT ON COLUMN {table}.selected IS 'whether it is selected in the run, in any cluster; false where nothing is selected';
COMMENT ON COLUMN {table}.frequency IS 'part of the draws in which it is';
