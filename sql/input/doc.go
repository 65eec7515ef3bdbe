// Package input describes what a clustering reads: a relation as a table in
// memory, and what comes beside it (pairs of rows, groups of columns, starts).
// It knows no database: sql/store fills its types from DuckDB, and a Go program
// may fill them from slices.
package input
