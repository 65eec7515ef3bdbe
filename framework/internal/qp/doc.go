// Package qp finds nearest points, on plain vectors; it knows nothing of centers
// and clusters. For a single convex set there are formulas: OntoSimplex and its
// siblings. For several sets that share entries there is Program, a quadratic
// program that sets write themselves into, and Dykstra's algorithm where that
// would take too long.
//
// # Masses
//
// The squared distance is Σ_l mass_l (y_l − x_l)²; a nil mass is all 1. The
// formulas of single sets, and Program.Exact, take masses of 0: first all other
// entries come as near as they can, and then those of mass 0 do, with equal
// masses. All else takes none.
//
// Everything is deterministic: sums run in the order of the entries.
package qp
