package clustertest

import (
	"math"
	"runtime"
)

// FewestAllocations returns the fewest allocations of a few runs of f, after one
// to warm up. The whole process is counted, and what else allocates in it (a
// new goroutine, a pool that a collection emptied) only adds: the fewest are
// those of f. A number that comes twice is taken for it.
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
