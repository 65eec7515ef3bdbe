// Package duck opens a DuckDB database, runs statements in it, and hands over the
// rows. It is the only package that links DuckDB, and none of the types of its
// bindings leave it. [DB.Connector] is the way of database/sql to the same database.
//
// # Rows out
//
// [DB.Stream] runs a query and hands over its rows in chunks of column vectors, as
// DuckDB has them in memory: a [Vector] is read without a copy, while its [Chunk] is
// in use. [DB.Rows] returns all rows of a small result. Both run in a transaction
// that cannot write, so that a query of a user changes nothing. [DB.Run] runs any
// statement, and its rows are values as DuckDB shows them.
//
// # Rows in
//
// [DB.Transaction] commits all of its statements or none. [DB.Append] fills a table
// with [Cells], functions that write a column, piece by piece; when the number of rows
// was told to [DB.Expect], several pieces at a time.
//
// # Databases
//
// A database that does not exist is made under another name, and gets its own with
// the first commit. A database whose path names another file by then is an error.
//
// # Errors
//
// An [Error] has DuckDB's own words. What a user can cause is a framework.Fault,
// with those words as its cause. A cancelled context is returned as its own error.
package duck
