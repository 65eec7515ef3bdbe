-- One row for each value of the parameter, repetition and fold of a
-- cross-validation.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    fold INTEGER NOT NULL,
    pairs INTEGER NOT NULL,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    iterations INTEGER,
    selected INTEGER,
    score DOUBLE
);
COMMENT ON TABLE {table} IS 'the fits of a cross-validation, one for each fold that is held out';
COMMENT ON COLUMN {table}.point IS 'number of the value of the parameter, from 0';
COMMENT ON COLUMN {table}.repetition IS 'number of the deal of rows to folds, from 0';
COMMENT ON COLUMN {table}.fold IS 'number of the fold that is held out, from 0';
COMMENT ON COLUMN {table}.pairs IS 'pairs that the fit was made with; 0 where the algorithm takes none, and one fit serves all folds';
COMMENT ON COLUMN {table}.status IS 'why the fit stopped, or the code of the error that it ended with';
COMMENT ON COLUMN {table}.converged IS 'whether the fit came to rest';
COMMENT ON COLUMN {table}.iterations IS 'iterations of the best start';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster';
COMMENT ON COLUMN {table}.score IS 'pairwise F of the rows held out';
