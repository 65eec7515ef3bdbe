-- One row: how the run went on this machine. Unlike the other tables it
-- differs from one run to the next.
CREATE TABLE {table} (
    started_at       TIMESTAMP WITH TIME ZONE NOT NULL,
    seconds_read     DOUBLE NOT NULL,
    seconds_fit      DOUBLE NOT NULL,
    threads          INTEGER NOT NULL,
    driver           VARCHAR NOT NULL,
    blocks_by_worker JSON NOT NULL,
    step_calls       JSON NOT NULL
);
COMMENT ON COLUMN {table}.started_at IS 'when the run began';
COMMENT ON COLUMN {table}.seconds_read IS 'time to read and scale the relation';
COMMENT ON COLUMN {table}.seconds_fit IS 'time of the fit, with the start of the plugin';
COMMENT ON COLUMN {table}.threads IS 'threads that were allowed';
COMMENT ON COLUMN {table}.driver IS 'plugin: the plugin process ran the iterations; host: this process did, calling the steps';
COMMENT ON COLUMN {table}.blocks_by_worker IS 'blocks of rows that each worker assigned';
COMMENT ON COLUMN {table}.step_calls IS 'calls to the plugin process, by step';
