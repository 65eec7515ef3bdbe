// Package constraint holds the closed sets that sparse clustering restricts
// its centers or its feature weights to. Of a set of centers it finds the
// nearest point, of a set of feature weights the best one.
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
// # Ties
//
// Of equal worths the lower index is kept. Equal gains get equal weights.
package constraint
