-- One row for each value of the parameter that a tuning tries.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    method VARCHAR NOT NULL,
    parameter VARCHAR NOT NULL,
    value DOUBLE NOT NULL,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    fits INTEGER NOT NULL,
    selected DOUBLE,
    score DOUBLE,
    standard_error DOUBLE,
    best BOOLEAN NOT NULL,
    one_se BOOLEAN NOT NULL
);
COMMENT ON TABLE {table} IS 'how good each value of one parameter is';
COMMENT ON COLUMN {table}.point IS 'number of the value, from 0';
COMMENT ON COLUMN {table}.method IS 'what judges the values: cv';
COMMENT ON COLUMN {table}.parameter IS 'name of the parameter';
COMMENT ON COLUMN {table}.value IS 'its value';
COMMENT ON COLUMN {table}.status IS 'the code of the error of the first fit that failed, else why the first fit that did not converge stopped, else why the first fit did; incomplete where fits are missing';
COMMENT ON COLUMN {table}.converged IS 'whether all fits came to rest';
COMMENT ON COLUMN {table}.fits IS 'scores that the mean is made of';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster: mean over the fits';
COMMENT ON COLUMN {table}.score IS 'mean score, the higher the better; cv: pairwise F of rows held out. NULL where a fit failed or is missing';
COMMENT ON COLUMN {table}.standard_error IS 'standard error of the score over folds';
COMMENT ON COLUMN {table}.best IS 'whether it is the value of the highest score';
COMMENT ON COLUMN {table}.one_se IS 'whether it is the value that selects the fewest features of those whose score is at most one standard error below the highest';
