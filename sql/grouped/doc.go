// Package grouped does the work of package job for each group of the rows of a relation:
// fits, paths, tunings and checks are the same as those of the queries of the groups, bit
// for bit, and a run with many models labels and scores rows by the model of their group.
//
//	Each        what the runs of one kind have in common: the groups, and their rows
//	Fits, Paths, Tunings, Checks
//	Prediction  labels of the rows of a relation that has the columns of the groups
//	Scoring     scores of the clusters of each model
//
// Groups are done side by side ([SideBySide]), large ones one after the other on all
// threads. A group that fails has a fault of its own, and the others go on.
package grouped
