-- One row for each row of the relation and each point of a path.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    {key} {key_type},
    cluster INTEGER
);
COMMENT ON TABLE {table} IS 'which cluster each row belongs to, at each point of a path';
COMMENT ON COLUMN {table}.point IS 'number of the value of the parameter, from 0';
COMMENT ON COLUMN {table}.{key} IS 'row key';
COMMENT ON COLUMN {table}.cluster IS 'cluster, from 0; NULL: none';
