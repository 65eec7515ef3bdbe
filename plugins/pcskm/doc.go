// Package pcskm clusters rows of which some are known to belong together (must)
// or apart (cannot): pairwise constrained sparse k-means (pcskm), and what it is
// compared with, pairwise constrained k-means (pckm) and k-means with a learned
// metric (mpckm).
//
// # Objective
//
// With w the feature weights, b_l the sum of squares between the clusters and
// d_w(a,b) = Σ_l w_l (x_al − x_bl)², pcskm looks for partitions and weights in
// {w ≥ 0, ‖w‖₂ ≤ 1, ‖w‖₁ ≤ l1_bound} that
//
//	maximise  Σ_l w_l b_l − Σ_broken must v d_w(a,b) − Σ_broken cannot v (far_w − d_w(a,b))
//
// each pair once with its weight v. far_w = Σ_l w_l R_l² is the squared diagonal
// of the box around all rows: R_l = max − min of feature l (box=data), or
// max − min(min, 0) (box=origin, which depends on where 0 is).
//
// pckm minimises Σ_i ‖x_i − μ‖² and the same costs with w = 1. mpckm minimises
// Σ_i (‖x_i − μ‖²_a − Σ_l log a_l) and the costs with the metric a, which is
// updated with the centers:
//
//	a_l = n / (Σ_i (x_il − μ_l)² + Σ_broken must v (x_al − x_bl)² + Σ_broken cannot v (R_l² − (x_al − x_bl)²))
//
// # Restricted centers of mpckm
//
// In a set that bounds single features, the centers nearest to the means are the
// same in any metric. In a set that ties features together they are not, and the
// metric depends on them in turn. There each pass alternates between the nearest
// centers in the metric and the best metric for the centers, until no weight
// changes by more than 1e-12 of itself. The objective never gets worse by these
// turns, and it has a lower bound, since no weight can exceed n/(1e-9 of the
// feature's sum of squares). So the turns converge, but possibly very slowly.
// After 1000 of them the next pass goes on. If 1000 turns improved the objective
// by no more than 1e-12·n·p, the metric stays as it is.
//
// The run has settled when a pass moved no row and changed no weight by more than
// 1e-9 of itself. Whatever ended it, the objective is that of the stored labels,
// centers and metric. Rows that are equally near to two centers may keep moving;
// then passes (or the limit of iterations) ends the run, which has not converged.
//
// # Passes
//
// A pass assigns rows without links in parallel, and then linked rows one after
// the other in row order. A linked row goes to the cluster of least squared
// distance plus the costs of the links that it would break, given the labels
// that its partners have at that moment; it is done at once, so that the next
// row sees it. Partners without a label cost nothing. Each round begins without
// labels: the first pass of pcskm after new weights starts from the centers
// alone. So the result depends on the order of rows, surprisingly much where links
// are few, and the objective may get worse from one pass to the next.
//
// # Hard links
//
// Rows that hard must-links join are assigned as one. A hard cannot-link rules out
// clusters. In the first pass of a round, a row goes to the nearest cluster that
// leaves room for all rows without labels, which a search finds. Afterwards it may
// go to any cluster without a row that it must be apart from.
//
// Sources: Vouros and Vasilaki (2020), A semi-supervised sparse k-means
// algorithm, https://arxiv.org/abs/2003.06973; Bilenko, Basu and Mooney (2004),
// Integrating constraints and metric learning in semi-supervised clustering,
// https://doi.org/10.1145/1015330.1015360.
package pcskm
