// Package intersect finds the nearest centers that are in several sets at once.
//
// [Sets] is the entry point, and lists the rules. It first sorts the sets by kind
// (intersection.go): bounds of single entries become one box (bounds.go). A
// sparsity can be combined with bounds, or with one set of each center (sparse.go).
// Other convex sets are split into tasks, one for each group of entries that sets
// tie together, and each task is solved by a formula or as one quadratic program
// (convex.go, task.go, and massless.go for entries of mass 0). Of sets that plugins
// serve only the projections are known: they take turns with the others
// (together.go). Sets without a common point are refused (empty.go).
//
// # Rounding
//
// A result is outside its sets by at most rounding, about 1e-16 times the largest
// number involved, with two exceptions. Dykstra's algorithm, which is used where
// exact methods take too long, stops at a tolerance. And where an L2 ball touches
// other sets in a single point, rounding of its radius turns that point into a
// disk of 1e-8 times the radius.
package intersect
