// Package seeding makes the start labels of a fit.
//
// # Notation
//
// The data are n rows × p features in fixed blocks; there are k clusters. Row
// weights are frequencies: a row of weight 2 is as likely to be drawn as the
// row given twice, and a row of weight 0 is never chosen (it still gets a
// label).
//
// # Methods
//
//	kmeans++  k rows by D² sampling; every row goes to the nearest of them
//	kmeans||  the same from about 10·k candidates, which need 7 passes over the
//	          rows whatever k is; kmeans++ needs k
//	random    a random partition: every row gets a uniform label
//	maximin   the row of largest norm, then always the row farthest from those
//	          chosen; every row goes to the nearest of them
//	dkm++     k rows in dense places, far from each other
//	robin     k rows that are not outliers, far from each other
//	seeding   the means of rows that must-links join, heavy ones far apart
//
// dkm++ and robin measure every row from every other, and refuse more than
// 50 000 rows.
//
// # Space
//
// Distances are squared Euclidean with a weight per feature,
//
//	d(x, y) = Σ_l space_l (x_l − y_l)²
//
// so that space_l = scale_l² measures standardised rows in original units. The
// sum runs over the features that both rows have observed and is not rescaled:
// rows with many missing cells look near to every other row, and two rows that
// share no observed feature are at distance 0. Norms leave missing cells out.
//
// Distances are those of framework/internal/kernel: one chain of fused
// multiply-adds in feature order. Without a space, assignment has the same, so
// the labels are those of an assignment to the chosen rows.
//
// Sparse rows are measured by their entries (kernel.Ruler), or pairs of them column by
// column. Equal rows are at distance 0, others at the distance that they have as dense rows
// but for rounding: starts are the same unless that decides between two rows.
//
// # Determinism
//
// The result is a function of the rows in their order, their weights, K, Seed,
// Space and the number of the restart. It depends neither on threads nor on how
// the rows are cut into blocks: sums over rows are folded over stretches of 1024
// rows that start at row 0, whatever the blocks are. Ties go to the lowest row,
// and to the lowest cluster.
//
// # Fewer distinct rows than k
//
// When all rows that may still be chosen equal a chosen one, the lowest row not
// yet chosen is taken. It is a duplicate, so its cluster stays without rows.
// [DistinctRows] tells beforehand.
package seeding
