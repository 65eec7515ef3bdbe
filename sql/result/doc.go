// Package result has the rows of the result tables, as Go values: of a fit, a
// path, a tuning, of predictions and of suggested pairs. What the columns mean
// is in the files of package schema.
package result
