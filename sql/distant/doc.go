// Package distant is what jobs and models see of rows that stay in an engine: the
// interfaces of a relation there, and what follows from its answers without a row: how good
// clusters are, and the uses of a model.
//
//	Relation   what a query of an engine stands for; learns how columns become features
//	Bound      its rows, as the formula of an algorithm labels them: one answer a pass
//	Labelled   a Bound with the algorithm and the problem: quality from sums, and from a sample
//	Predict    labels by a model, as a query of the engine, or as a table there
//	Score      how good the clusters are that a model makes
//
// Package engine has relations of databases. Nothing here knows statements.
package distant
