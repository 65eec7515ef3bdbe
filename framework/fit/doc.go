// Package fit is the one driver: it runs the alternation of any
// framework.Clusterer over any framework.Rows, in the plugin process or in the
// host.
//
// # One run
//
// From labels (given, or made by package seeding), statistics are collected and
// the means follow. From centers, all rows are assigned first. Where the problem
// restricts centers (Problem.Centers), first centers are moved to the nearest
// ones of the set, with all masses equal, before any row is; rows that are given
// as a start are such centers then. An iteration then projects the centers, assigns every row,
// moves the statistics of the rows that changed their label, and updates.
//
// Moved sums drift by rounding. Statistics are therefore collected anew from all
// rows when four times as many rows have moved as there are, so that the drift is
// never much more than the rounding of fresh sums, and at the end: when no row moved and the
// model came to rest, the run has settled, and it is verified by one more pass
// with statistics collected anew, so that no drift is left in the result. If
// rows move in that pass, rounding alone may keep them moving between equal
// distances; such a run collects anew in every iteration, and has settled when
// moves improve nothing any more.
//
// Of several restarts, only those are verified that may be the best of all so far: a
// run whose objective is worse by more than rounding can be ends without that pass.
// (Runs with rounds, links or trimmed rows are always verified.)
//
// A Clusterer that is a framework.Preparer is asked to prepare the model once
// after each change, before all workers use it: packed centers, and how far they
// have moved, are kept in Model.Cache and live as long as the run.
//
// # Rounds
//
// A target for settled labels, such as feature weights, is projected when the
// rest has settled (or has come to the tolerance, or to the limit of
// iterations), from statistics collected anew. If that changed it by more than
// the algorithm's tolerance, another round of iterations follows, from the
// labels as they are. A projection may change the scale of the objective, so
// that what depends on its course (tolerance, reseeding, rounding that keeps a
// run going) begins anew with each round. The iteration that ends a round is
// reported with the objective after the projection. A restart is a whole run,
// not a round.
//
// Where the set of centers ties features together, which centers are nearest
// depends on the feature weights. The last round then ends with one more
// projection of the centers, so that a result's centers, weights and objective
// belong to each other. (An algorithm whose weights are projected in every
// iteration sees to that by itself.)
//
// A start may be the labels and centers of another fit (Start.Settled), with
// another value of a parameter, say. These targets are then projected for them
// before the first iteration, so that the run goes on from where the other ended.
//
// # Links
//
// A plan that is Linked has the rows without links assigned block by block in
// parallel, and then those with links one after the other, in row order, in the
// Linker's own call. A plan that is Fresh forgets all labels when a round begins:
// its first pass starts from the centers alone. A start then gives centers, and no
// labels, if it can. Reseeding takes no row that a hard link holds.
//
// # The same bits on any number of threads
//
// The blocks are cut into a fixed number of shards of consecutive blocks: at
// most 64, of at least 1024 rows each, and fewer where statistics are large. The
// cut depends on the data and the plan only. Workers last as long as the fit.
// Each has the same shards in every pass, in runs where statistics are small (fold.go), and
// takes another's where that one is behind or it has none left; a shard is handled by one
// worker at a time, block by block, into statistics of its own, and these are
// folded in the order of the shards, as soon as all lower ones have ended; a later shard
// gets the room. Workers that have none of their own to begin assign blocks of the others', from
// the last one on: so there may be more workers than shards. Between two passes, Prepare
// and Update may share their work out (Model.Share).
//
// Data of at most 2²⁰ cells are too few for several workers to pay. There the
// restarts run side by side instead, one on each thread, and are taken in their
// order: progress, trace and the choice among equals are those of one run after
// the other. A Clusterer that is slow with several models at a time says so
// (Plan.OneModel), and gets one restart after the other, with all threads.
//
// # Trimming
//
// With Settings.Trim, a share of the row weight is left out: after each Assign, the
// rows that are farthest from the centers of their labels get the label −1 and take
// no part in statistics, until the next Assign offers them a cluster again. Distances
// are those of Clusterer.Distances, over all features. Of rows at equal distances,
// the lower ones stay in their clusters.
//
// The weight A that is left out is Trim of the whole weight, rounded down to a whole
// number if all weights are whole. Where the last row to be left out has more weight
// than remains of A, it keeps its label, and the rest of its weight (Result.Part). So
// the objective
//
//	Σ_i a_i d(x_i, θ_c(i)),  0 ≤ a_i ≤ w_i,  Σ_i (w_i − a_i) = A
//
// never rises: Assign makes each d least, for any a; to leave out the largest d first
// makes the sum least over a, for the same d; and Update and Project make it least
// over θ for these a, as they do without trimming. It is added up from the distances,
// since an algorithm's own objective counts all rows. A Start is not trimmed, so the
// first centers are those of all rows; the best of several starts is.
//
// Source: Chawla and Gionis (2013), k-means--: a unified approach to clustering and
// outlier detection, https://doi.org/10.1137/1.9781611972832.21, where rows have no
// weights.
//
// # Sets of labels
//
// Problem.Labels restricts labels. In place of Assign, the driver then writes down what each
// label would cost each row (its weight times Coster's costs, or Distances), n×k numbers, and
// projects: labels become those of the set that cost least. No distance is bounded. Labels of
// a start that are not in the set are projected before the first iteration, and without
// iterations too.
//
// From the first labels of the set on, the objective never rises: Project gives way to the present labels
// unless its own cost less, which matters for sets whose projection is not exact and where costs are
// equal; a row is reseeded only where labels stay in the set; and a round that would begin without
// labels begins with those that there are. The costs are written block by block, each by one worker,
// and the set sees all of them, so that bits do not depend on threads.
//
// A set may charge for labels, too (framework.LabelCharger): that is added to the costs and to the
// objective.
//
// A set of labels goes with neither links nor trimmed rows nor noise, and the Fault says why.
//
// # Empty clusters
//
// With framework.Reseed a cluster that has no rows after an Assign gets the row
// that is farthest from its center, if that distance is not 0. A row that is
// the last of its cluster, equal to one already taken, or of weight 0 is not
// taken. When reseeding no longer improves the objective it ends
// for the round, and the cluster stays empty. Where the problem restricts centers
// to a set (Problem.Centers), that of the cluster may be far even from the row:
// if the next iteration is worse than the one before, labels and model go back
// to what they were, so that a monotone objective stays so. With framework.Origin the center is at the origin of the
// fitted space, and may win rows back. With framework.Fail the run ends with a
// Fault.
package fit
