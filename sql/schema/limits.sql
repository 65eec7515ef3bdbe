-- One row for each limit of a cluster. Only runs whose --constraints limit clusters
-- have this table.
CREATE TABLE {table} (
    kind VARCHAR NOT NULL,
    name VARCHAR,
    cluster INTEGER,
    feature VARCHAR,
    value VARCHAR,
    amount DOUBLE,
    lo DOUBLE,
    hi DOUBLE,
    slack DOUBLE,
    price DOUBLE
);
COMMENT ON TABLE {table} IS 'limits of clusters, and what the clusters make of them';
COMMENT ON COLUMN {table}.kind IS 'kind of the constraint';
COMMENT ON COLUMN {table}.name IS 'its name, if it has one';
COMMENT ON COLUMN {table}.cluster IS 'cluster that is limited; NULL: all together';
COMMENT ON COLUMN {table}.feature IS 'column that is counted or added up; NULL: rows are counted';
COMMENT ON COLUMN {table}.value IS 'value of that column whose rows are counted: the one nearest to its limit, where it stands for all values';
COMMENT ON COLUMN {table}.amount IS 'what the rows of the cluster have';
COMMENT ON COLUMN {table}.lo IS 'what they must have at least; NULL: no limit';
COMMENT ON COLUMN {table}.hi IS 'what they may have at most; NULL: no limit';
COMMENT ON COLUMN {table}.slack IS 'by how much the amount may change until it breaks a limit';
COMMENT ON COLUMN {table}.price IS 'how much less the labels would cost, for these centers, if the limit were looser by 1; NULL: not known';
