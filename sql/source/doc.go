// Package source reads relations: a query, a table, a view or a file becomes an
// input.Table, a row-major matrix of float64 with row keys and row weights beside
// it.
//
// [DB.Read] finds out what the text of a relation stands for, chooses columns as
// the settings say, and streams the rows in chunks of column vectors. Each chunk is
// transposed once, straight into the memory that plugins will share. A missing cell
// is NaN; NaN and infinite values in the data are refused, so that every other cell
// is finite.
//
// A column of categories is read as the numbers of its levels, in an order that does
// not depend on that of the rows; a job makes features of them.
//
// [DB.Split] reads the tables of many groups of rows, at once if that is simple.
//
// Rows are put into ascending order of their keys, because a query may return them
// in any order: the same rows always give the same matrix.
//
// What data or a user can cause is a framework.Fault. Where a column is not a number
// the fault says which values are to blame, and proposes a relation that works: each
// proposal is tried first.
package source

import "github.com/sqlcluster/sqlcluster/sql/duck"

// A DB is a database in which relations are read.
type DB struct{ *duck.DB }
