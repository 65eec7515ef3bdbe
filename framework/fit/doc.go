// Package fit is the one driver: it runs the alternation of any
// framework.Clusterer over any framework.Rows, in the plugin process or in the
// host.
//
// # One run
//
// From labels (given, or made by package seeding), statistics are collected and
// the means follow. An iteration then projects the centers, assigns every row,
// moves the statistics of the rows that changed their label, and updates. The
// run has settled when no row moved and the model came to rest; it is then
// verified with statistics collected anew, so that no drift of the sums is left
// in the result.
//
// # The same bits on any number of threads
//
// The blocks are cut into a fixed number of shards, which depends on the data
// only. One worker at a time handles a shard, block by block, into statistics
// of its own; these are folded in the order of the shards. Statistics are
// collected anew at fixed iteration numbers.
//
// # Empty clusters
//
// With framework.Reseed a cluster that has no rows after an Assign gets the row
// that is farthest from its center, if that distance is not 0. A row that is
// the last of its cluster, equal to one already taken, or of weight 0 is not
// taken. When reseeding no longer improves the objective it ends, and the
// cluster stays empty. With framework.Origin the center is at the origin of the
// fitted space, and may win rows back. With framework.Fail the run ends with a
// Fault.
package fit
