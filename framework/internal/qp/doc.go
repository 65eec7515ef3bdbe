// Package qp finds nearest points of plain vectors, without knowing about centers
// and clusters. For single convex sets there are formulas: [OntoSimplex] and its
// siblings. For several sets that share entries there is [Program], a quadratic
// program that sets write themselves into, and [Dykstra] where a program would take
// too long.
//
// # Masses
//
// The squared distance is Σ_l mass_l (y_l − x_l)²; a nil mass means all 1. The
// formulas of single sets and [Program.Exact] accept masses of 0: first all other
// entries come as near as they can, then those of mass 0, with equal masses. All
// other functions need masses above 0.
//
// Everything is deterministic: sums run in the order of the entries.
package qp
