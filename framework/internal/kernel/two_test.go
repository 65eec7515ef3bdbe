package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

func TestTwoCentersAreThoseOfAllDistances(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		found := map[string]int{}
		for seed := range uint64(400) {
			p, kind := hard(seed)
			r := rand.New(rand.NewPCG(seed, 6))
			c := &p.centers
			c.Pack()
			c.Filter(p.m)
			own := make([]int32, p.n)
			for i := range own {
				own[i] = int32(r.IntN(c.K+1)) - 1
			}
			got := kernel.Two{Own: slices.Clone(own), Second: make([]int32, p.n), Distance: make([]float64, p.n), Other: make([]float64, p.n)}
			if !got.Find(p.m, p.x, c) {
				if c.Groups() > 0 {
					t.Fatalf("seed %d: nothing is found with groups", seed)
				}
				continue
			}
			found[kind]++
			d := make([]float64, p.n*c.K)
			kernel.Distances(d, p.m, p.x, c)
			for i := range p.n {
				its := d[i*c.K : (i+1)*c.K]
				want := own[i]
				if want < 0 {
					want = lowest(its, -1)
				}
				second := lowest(its, want)
				if got.Own[i] != want || got.Second[i] != second || got.Distance[i] != its[want] || got.Other[i] != its[second] {
					t.Fatalf("%s, seed %d, %s: row %d has centers %d and %d at %v and %v, want %d and %d at %v and %v", kernel.Name(), seed, kind, i,
						got.Own[i], got.Second[i], got.Distance[i], got.Other[i], want, second, its[want], its[second])
				}
			}
		}
		if kernel.Name() != "go" && len(found) < 8 { // outliers and tiny numbers seldom have them
			t.Errorf("only these kinds of problems have groups: %v", found)
		}
	})
}

// lowest returns the lowest center of the smallest distance but one.
func lowest(d []float64, but int32) int32 {
	found := int32(-1)
	for j, v := range d {
		if int32(j) != but && (found < 0 || v < d[found]) {
			found = int32(j)
		}
	}
	return found
}
