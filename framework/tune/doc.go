// Package tune makes many fits that differ in one parameter, and says how they
// differ and which value to choose.
//
// # Paths
//
// A [Path] makes one fit for each value. It chooses none: objectives for
// different values do not say which value is better.
//
// But where a looser value allows all that a tighter one does
// (framework.Description.Looser), its best objective is at least as good. If it is
// worse, the search has stopped short: [Path.Gaps].
// With Warm, the path mends this: when all points are fitted, it goes up and down
// the values and starts each from the clusters of its neighbour too, with
// whatever is chosen for settled labels (feature weights) chosen for them first.
// A method whose objective never gets worse (framework.Plan.Monotone) then ends
// no worse than the neighbour. This is repeated until no point gets better.
//
// # Cross-validation
//
// A [CrossValidation] needs rows whose classes are known. They are dealt to
// folds, see [Deal]. For each value and each fold, a fit is made with links of
// rows that are not in the fold, and its score is the pairwise F of the rows in
// the fold, which no link mentions. The fit clusters all rows,
// those held out and those without class too; the rows of a fold are held out as
// knowledge, not as data. That is how semi-supervised clustering is judged by
// Basu, Banerjee and Mooney (2004), https://doi.org/10.1137/1.9781611972740.31,
// and by Vouros and Vasilaki (2020), https://arxiv.org/abs/2003.06973, section 3.
// They report the score that chose the value. That score is too high, because it is
// the highest of many: only rows that took no part in the choice tell how good
// the value is.
//
// # Stability
//
// A [Stability] compares one fit with fits of draws of its rows (a [Sweep] of one
// candidate makes them): how well each cluster is found again, and how often each
// feature is selected.
//
// # Batches
//
// A fit of a large table spends most of its time far from the end, where a part of the
// rows would say as well where the centers have to go. [Begin] fits a batch of rows
// from all starts, and goes on from the centers of the best with batches of four
// times as many rows each, up to an eighth of the table. The fit of all rows starts
// from the last ones.
//
// A batch of m rows is left when an iteration improves the objective by no more than a
// tenth of k/m of it. For k-means k/m is the noise of the batch: in a cluster of m_j
// rows with a sum of squares W_j, the square of the distance between their mean and that
// of the whole cluster is W_j/m_j² in expectation, which the sum of squares of these m_j
// rows feels as W_j/m_j. Where clusters are alike, these add up to k·W/m, with W the sum
// of the W_j. Smaller steps lead to the end for these rows, and not for all.
//
// Neither rows nor statistics are approximate in the fit that follows: its result has
// the centers, distances and objective of all rows. What is approximate is which start
// is the best, since a batch has decided that, and the end, if Tol is not 0.
//
// Growing samples are in Newling and Fleuret (2016), Nested mini-batch k-means,
// https://arxiv.org/abs/1602.02934, where a batch doubles when centers move by less
// than their noise. Ours are drawn independently, and grow after a whole fit each.
//
// # Methods
//
// A method gives each value a score (higher is better), a standard
// error and the mean number of features selected: a [Value]. [Choose] takes it
// from there, whatever the method.
//
// # Determinism
//
// What is random is drawn from the seed, by repetition, class and fold. Nothing
// depends on threads, nor on how classes are numbered.
package tune
