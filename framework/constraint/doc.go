// Package constraint holds the closed sets that sparse clustering restricts
// its centers or its feature weights to. Of a set of centers it finds the
// nearest point, of a set of feature weights the best one.
//
//	Sparsity                            features are selected, or groups of them
//	Box, NonNegative, Fixed             bounds of single entries
//	HalfSpace, JointHalfSpace           a linear inequality, of each center or between them
//	Simplex, L1Ball, L2Ball             of a radius, about the origin
//	Monotone                            an order of features
//	Intersect                           several of these together
//	Foreign                             a set that somebody else has made
//	BoundedWeights, GroupedWeights      feature weights
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
// b is the gains of p features, and w their weights. The best point of a set of
// feature weights makes ⟨w, b⟩, less a penalty, as large as it can be. That is
// no projection: it does not depend on a point nearby, and projecting w itself
// gives another w.
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
// Of equal worths the lower index is kept. Equal gains get equal weights.
package constraint
