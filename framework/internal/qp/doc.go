// Package qp finds nearest points of plain vectors: of single convex sets by
// their formulas (OntoSimplex and its like), and of what several of them have in
// common by solving a quadratic program (Program). It knows neither centers nor
// clusters.
//
// # Masses
//
// The squared distance is Σ_l mass_l (y_l − x_l)², and a nil mass is all 1. The
// formulas of single sets take masses of 0: such an entry costs nothing where it
// is, so that first all others are as near as they can be, and then these, with
// equal masses. A Program takes none, except where Exact says so.
//
// All is deterministic: sums run in the order of the entries.
package qp
