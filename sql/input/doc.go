// Package input describes what a clustering reads: a relation as a table in
// memory, and what comes beside it (pairs of rows, groups of columns, starts).
// It knows no database: sql/source and sql/beside fill its types from DuckDB, and a
// Go program may fill them from slices. It also has how messages list columns and
// problems.
package input
