package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

func TestLabelsThatAreRememberedAreRecalled(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for n := range 200 { // three times as many as are handled together
			r := rand.New(rand.NewPCG(uint64(n), 10))
			labels, kept, got := make([]int32, n), make([]uint8, n+1), make([]int32, n+1)
			kept[n], got[n] = 7, -7
			for range 3 { // the second and third time, some are remembered already
				for range 1 + n/20 {
					if n > 0 {
						labels[r.IntN(n)] = int32(r.IntN(kernel.RememberedCenters))
						got[r.IntN(n)] = int32(r.IntN(1000) - 1)
					}
				}
				kernel.Remember(kept[:n], labels)
				kernel.Recall(got[:n], kept[:n])
				if !slices.Equal(got[:n], labels) || kept[n] != 7 || got[n] != -7 {
					t.Fatalf("%s, %d labels: %v, want %v", kernel.Name(), n, got, labels)
				}
			}
		}
	})
}
