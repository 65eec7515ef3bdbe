// Package store reads relations from DuckDB and writes result tables to it. It
// is the only package that links DuckDB.
//
// # Reading
//
// [DB.Read] turns a query, a table, a view or a file into a [Table]: a
// row-major matrix of float64 in the memory that plugins will share, with row
// keys and row weights beside it. The result is streamed in chunks of column
// vectors, and each chunk is transposed once, straight into place. A missing
// cell is NaN; NaN and infinite values in the data are refused, so that every
// other cell is finite.
//
// A column of categories is read as the numbers of its levels, in an order that
// does not depend on that of the rows; [Table.Encode] makes features of them.
//
// Rows are put into ascending order of their keys, because a query may return
// them in any order: the same rows always give the same matrix.
//
// # Writing
//
// [DB.Write] creates all tables of a run in one transaction. A failed or
// cancelled write leaves nothing behind. A database that does not exist is made
// under another name, and gets its own with the commit. A database whose path
// names another file by then is an error.
//
// # Errors
//
// What data or a user can cause is a framework.Fault, with DuckDB's own words
// as its cause where there are any. A cancelled context is returned as its own
// error. SQL is built from quoted identifiers and bound values only.
package store
