// Package enginetest has the fits that each engine is tested with, and what is true of
// them: an engine makes what fits of the same rows in memory make. Expected values come from package fit
// and from loops over the rows, never from an engine.
package enginetest
