// Package constraint holds the sets that centers can be restricted to. A set
// moves centers that are outside to its nearest point.
//
//	Sparsity                            features are selected, or groups of them
//	Box, NonNegative, Fixed             bounds of single entries
//	HalfSpace, JointHalfSpace           a linear inequality, of each center or between them
//	Simplex, L1Ball, L2Ball             a given radius about the origin
//	Monotone                            an order of features
//	Foreign                             a set that a plugin serves
//
// Each kind has a file of its own; a new kind is a RowSet. The arithmetic of
// nearest points, on plain vectors, is in framework/internal/qp. Three packages
// below this one belong to it:
//
//	intersect     centers in several sets at once
//	declare       sets from the rows of a relation, by the kinds that users name
//	weightset     sets of feature weights, which work differently
//
// # Notation
//
// x is k×p: a row is a center, a column a feature. The gain of an entry is how
// much worse the objective becomes when that entry is set to zero; for means it is
// n_j x_jl², with n_j the mass of cluster j. Keeping the entries of largest
// gain is the Euclidean projection with those masses, because
//
//	Σ_jl n_j (y_jl − x_jl)² = Σ over dropped entries of n_j x_jl²
//
// when y equals x where it is kept and 0 elsewhere.
//
// # Masses
//
// With row masses n_j and column masses c_l, the squared distance is
// Σ_jl n_j c_l (y_jl − x_jl)². A common factor changes nothing. An entry of mass 0
// costs nothing, wherever it goes, so several points may be nearest. The result is
// the one of them whose entries of mass 0 have moved least, all counting alike. So
// a projection is unique, whatever the masses.
//
// # Rounding
//
// All sets are deterministic: sums run in the order of features. A result is
// outside its set by at most rounding, about 1e-16 times the largest number
// involved. Some intersections have larger tolerances: see package intersect.
//
// # Ties
//
// Of equal gains, the one of the lowest index is kept.
package constraint
