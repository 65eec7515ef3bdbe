// Package store reads relations from DuckDB into a matrix, and writes the
// result tables of a run. It is the only package that links DuckDB.
//
// Identifiers are quoted by schema.Quote and values are bound; a query of the
// user is parsed by itself, and must be a single SELECT, before it becomes part
// of another statement.
package store
