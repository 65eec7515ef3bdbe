package clustertest

import (
	"math"
	"testing"
)

// FewestAllocations returns the fewest allocations of five runs of f, after one
// to warm up. The whole process is counted, and what else allocates in it (a
// new goroutine, a pool that a collection emptied) only adds: the fewest are
// those of f.
func FewestAllocations(f func()) float64 {
	fewest := math.Inf(1)
	for range 5 {
		fewest = min(fewest, testing.AllocsPerRun(1, f))
	}
	return fewest
}
