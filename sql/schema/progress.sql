-- One row: how far a fit or a tuning has come whose rows stay in an engine (--engine), until it has
-- ended and its other tables are written. --resume goes on from it.
CREATE TABLE {table} (
    run_id VARCHAR NOT NULL,
    params JSON,
    fingerprint VARCHAR,
    source VARCHAR,
    point INTEGER,
    restart INTEGER,
    iteration INTEGER,
    objective DOUBLE,
    saved_at TIMESTAMP,
    state VARCHAR
);
COMMENT ON TABLE {table} IS 'how far a fit or a tuning has come that has not ended';
COMMENT ON COLUMN {table}.run_id IS 'the run_id of the fit or tuning';
COMMENT ON COLUMN {table}.params IS 'all parameters and flags that decide the result, each with its value and origin';
COMMENT ON COLUMN {table}.fingerprint IS 'changes with the rows of the relation';
COMMENT ON COLUMN {table}.source IS 'SQL of the relation';
COMMENT ON COLUMN {table}.point IS 'number of the point of a tuning that is fitted; NULL: none is, or it is a fit';
COMMENT ON COLUMN {table}.restart IS 'start that it is at, from 0';
COMMENT ON COLUMN {table}.iteration IS 'iterations of that start which have ended';
COMMENT ON COLUMN {table}.objective IS 'objective after them';
COMMENT ON COLUMN {table}.saved_at IS 'when this was written, UTC';
COMMENT ON COLUMN {table}.state IS 'model, trace and the best start so far as JSON: all that --resume needs';
