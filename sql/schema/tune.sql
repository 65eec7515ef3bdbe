-- One row for each point that a tuning tries (a number of clusters with a value of a
-- parameter), and method that judges it.
CREATE TABLE {table} (
    point INTEGER NOT NULL,
    method VARCHAR NOT NULL,
    k INTEGER, -- since version 4
    parameter VARCHAR,
    value DOUBLE,
    status VARCHAR NOT NULL,
    converged BOOLEAN NOT NULL,
    fits INTEGER NOT NULL,
    selected DOUBLE,
    score DOUBLE,
    standard_error DOUBLE,
    best BOOLEAN NOT NULL,
    one_se BOOLEAN NOT NULL
);
COMMENT ON TABLE {table} IS 'how good each number of clusters and value of a parameter is';
COMMENT ON COLUMN {table}.point IS 'number of the point, from 0';
COMMENT ON COLUMN {table}.method IS 'what judges the points: cv, gap, gap-axes, silhouette, calinski-harabasz, davies-bouldin or stability';
COMMENT ON COLUMN {table}.k IS 'number of clusters';
COMMENT ON COLUMN {table}.parameter IS 'name of the parameter; NULL where only numbers of clusters are tried';
COMMENT ON COLUMN {table}.value IS 'its value; NULL as that';
COMMENT ON COLUMN {table}.status IS 'the code of the error of the first fit that failed, else why the first fit that did not converge stopped, else why the first fit did; incomplete where fits are missing';
COMMENT ON COLUMN {table}.converged IS 'whether all fits came to rest';
COMMENT ON COLUMN {table}.fits IS 'scores that the mean is made of: of folds, or of data sets that the method draws';
COMMENT ON COLUMN {table}.selected IS 'features selected, in any cluster: mean over the fits; of the methods without classes, those of the rows';
COMMENT ON COLUMN {table}.score IS 'the score, the higher the better, but of davies-bouldin the lower; cv: mean of the rows held out. NULL where a fit failed or is missing, or the method looks at another point of that k';
COMMENT ON COLUMN {table}.standard_error IS 'standard error of the score over folds or draws';
COMMENT ON COLUMN {table}.best IS 'whether it is the point of the best score; of gap-axes: the first maximum over k';
COMMENT ON COLUMN {table}.one_se IS 'whether it is the simplest point within one standard error of the best: of cv, that with the fewest features; else, that with the fewest clusters, and of these the sparsest';
