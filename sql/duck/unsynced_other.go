//go:build !linux || duckdb_extension

package duck

const leavesSync = false

// withoutSync does work, and no more: here files are written through to the disk each time.
func withoutSync(work func()) { work() }
