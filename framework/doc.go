// Package framework is the contract between a clustering algorithm and
// everything that runs it.
//
// # Notation
//
// The data are n rows × p features, cut into fixed blocks of consecutive rows.
// There are k clusters; a label is a cluster number 0..k−1, and −1 means "no
// cluster": the row takes no part in statistics. Row weights are frequencies: a row of weight 2 counts like the row
// given twice. A NaN cell is a missing value; every other cell is finite.
//
// # Who writes what
//
// An [Algorithm] describes itself and makes a [Clusterer] for a [Problem]. A
// driver (package fit) then alternates the steps
//
//	Project   writes the model, and nothing else does
//	Assign    writes labels
//	Collect   writes statistics
//	Update    writes nothing: it returns the objective and the points to project
//
// Every step is a pure function of (model, labels, rows): it can be repeated, or run
// in another process, and gives the same bits. Caches live in a [Scratch] or in
// Model.Cache, and may be dropped at any time. Statistics are additive: those of two
// disjoint sets of rows add up to those of their union. Randomness comes from
// (seed, purpose, index), see [Rand], never from a shared stream.
//
// Assign, Collect and Distances are called concurrently for different blocks, each
// call with its own Scratch. For one model, all other steps are called one at a
// time. Steps for different models may all run concurrently: what a Clusterer
// remembers belongs to a model (Model.Cache) or to a block (Scratch).
//
// # Trimming
//
// A driver may take the labels of the farthest rows away between Assign and Collect,
// and let only a [Part] of one row count. An algorithm whose objective is the sum of
// the distances of its rows needs nothing more for that than to read row weights from
// the block that it is given, and says so in its description (Trims).
//
// # Sparse rows
//
// Most cells of a table of counts are 0. Blocks of an algorithm that describes Sparse then
// have a [Sparse] in place of cells: the base of each column, and the entries of each row. Steps give
// what they would give for the cells, but for rounding; for sparse rows, they give the
// same bits in each place and on any number of threads.
//
// # Ties
//
// The lowest index wins, everywhere.
//
// # Errors
//
// Errors that data or a user can cause are returned as a [Fault]. A wrong length is
// a bug of the caller, and panics.
package framework
