package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

func TestThePickedCellsAreThoseOfTheColumnsAndNothingElseIsWritten(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range 400 {
			r := rand.New(rand.NewPCG(uint64(seed), 11))
			n, p := r.IntN(12), 1+r.IntN(40)
			if seed%8 == 0 {
				p += 1200 // more vectors than are listed
			}
			var columns []int
			for share, l := r.Float64(), 0; l < p; l++ {
				if r.Float64() < share {
					columns = append(columns, l)
				}
			}
			x, want := make([]float64, n*p), []float64{}
			for i := range x {
				x[i] = float64(i)
			}
			for i := range n {
				for _, l := range columns {
					want = append(want, float64(i*p+l))
				}
			}
			got := append(make([]float64, len(want)), -7)
			kernel.Pick(got[:len(want)], x, p, columns)
			if !slices.Equal(got[:len(want)], want) || got[len(want)] != -7 {
				t.Fatalf("%s, columns %v of %d: %v, want %v", kernel.Name(), columns, p, got, want)
			}
		}
	})
}
