-- One row: what a clock or the machine decided. All other tables are the same
-- when a fit is repeated; this one is not.
CREATE TABLE {table} (
    run_id VARCHAR NOT NULL,
    started_at TIMESTAMP,
    seconds_read DOUBLE,
    seconds_fit DOUBLE,
    seconds_seeding DOUBLE, -- since version 1
    seconds_iterations DOUBLE, -- since version 1
    seconds_write DOUBLE,
    threads INTEGER,
    driver VARCHAR,
    blocks_by_worker JSON,
    step_calls JSON
);
COMMENT ON TABLE {table} IS 'when and how fast the fit ran';
COMMENT ON COLUMN {table}.run_id IS 'the run_id of the fit';
COMMENT ON COLUMN {table}.started_at IS 'start of the command, UTC';
COMMENT ON COLUMN {table}.seconds_read IS 'time to read and scale the relation';
COMMENT ON COLUMN {table}.seconds_fit IS 'time to fit, with the way to the plugin and back';
COMMENT ON COLUMN {table}.seconds_seeding IS 'part of it in which the driver made starts, over all restarts';
COMMENT ON COLUMN {table}.seconds_iterations IS 'part of it from there to the end of the iterations, over all restarts';
COMMENT ON COLUMN {table}.seconds_write IS 'time to write the result tables';
COMMENT ON COLUMN {table}.threads IS 'workers that the fit could use';
COMMENT ON COLUMN {table}.driver IS 'where the driver ran: plugin or host';
COMMENT ON COLUMN {table}.blocks_by_worker IS 'blocks of rows that each worker assigned';
COMMENT ON COLUMN {table}.step_calls IS 'calls to the plugin process, by step';
