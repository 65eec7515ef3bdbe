package clustertest

import (
	"math"
	"runtime"
)

// FewestAllocations returns the fewest allocations of a few runs of f, after one to
// warm up. The count is of the whole process, to which other allocations (a new
// goroutine, a pool that a collection has emptied) only add, so the fewest are those
// of f. It stops when a count occurs twice.
func FewestAllocations(f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f()
	fewest := math.Inf(1)
	var before, after runtime.MemStats
	for range 8 {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		n := float64(after.Mallocs - before.Mallocs)
		if n == fewest {
			break
		}
		fewest = min(fewest, n)
	}
	return fewest
}
