// Package intersect finds the nearest centers that are in several sets at once.
//
// Sets is the way in, and lists the rules. It first sorts the sets by what they
// are (intersection.go): bounds of single entries become one box (bounds.go). A
// sparsity goes with bounds, or with one set of each center (sparse.go). Other
// convex sets are split into tasks, each for the entries that some sets tie
// together, and each task is solved by a formula or as one quadratic program
// (convex.go, task.go, and massless.go for entries of mass 0). Where sets by third
// parties take part, of which only the projections are known, the sets take turns
// (together.go). Sets without a common point are refused (empty.go).
//
// # Rounding
//
// A result is outside its sets by rounding only, about 1e-16 times the largest
// number involved, with two exceptions. Dykstra's algorithm, which is used where
// exact methods take too long, stops at a tolerance. And where an L2 ball touches
// other sets in a single point, rounding of its radius turns that point into a
// disk of 1e-8 times the radius.
package intersect
