// Package constraint holds the closed sets that centers are restricted to, and
// finds the point of a set that is nearest to given centers. Sets of feature
// weights are in weightset, and rows of a relation become sets in declare.
//
//	Sparsity                            features are selected, or groups of them
//	Box, NonNegative, Fixed             bounds of single entries
//	HalfSpace, JointHalfSpace           a linear inequality, of each center or between them
//	Simplex, L1Ball, L2Ball             of a radius, about the origin
//	Monotone                            an order of features
//	Intersect                           several of these together
//	Foreign                             a set that somebody else has made
//
// # Notation
//
// x is k×p: one row a center, one column a feature. The worth of an entry is
// what the objective loses when that entry is set to zero; for means it is
// n_j x_jl², with n_j the mass of cluster j. Keeping the entries of largest
// worth is the Euclidean projection with those masses, because
//
//	Σ_jl n_j (y_jl − x_jl)² = Σ over dropped entries of n_j x_jl²
//
// when y equals x where it is kept and 0 elsewhere.
//
// # Masses
//
// Row masses n_j and column masses c_l make the distance
// Σ_jl n_j c_l (y_jl − x_jl)². A factor common to all changes nothing. An entry
// of mass 0 costs nothing where it is: of the nearest points, the one is taken
// to which the entries without mass are nearest in turn, with equal masses. So a
// projection has one result, whatever the masses.
//
// # Rounding
//
// All sets are deterministic: sums run in the order of features. A result
// violates its set by rounding only, of the order of 1e-16 times the largest
// number in play. Two tolerances are larger: that of Dykstra's algorithm, which is
// used where exact ones take too long, and that of an L2 ball which touches other
// sets in a point alone: rounding of its radius makes a disk of the point, of 1e-8
// times the radius.
//
// # Ties
//
// Of equal worths the lower index is kept.
package constraint
