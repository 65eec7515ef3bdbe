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
