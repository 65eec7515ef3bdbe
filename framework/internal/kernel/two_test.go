package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
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
			c.Filter(p.m, 0)
			own := make([]int32, p.n)
			for i := range own {
				own[i] = int32(r.IntN(c.K+1)) - 1
			}
			got := kernel.Two{Own: slices.Clone(own), Second: make([]int32, p.n), Distance: make([]float64, p.n), Other: make([]float64, p.n)}
			if !got.Find(p.m, p.x, c) {
				if c.K > 1 && kernel.Name() != "go" {
					t.Fatalf("seed %d: nothing is found", seed)
				}
				continue
			}
			if c.Groups() > 0 {
				found[kind]++
			}
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

// TestDistancesThatAreNotFiniteAreToldApartAsAllAre has distances that overflow, are all
// equal, or are NaN (infinity by a weight of 0).
func TestDistancesThatAreNotFiniteAreToldApartAsAllAre(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		values := []float64{0, 1, 1e200, -1e200, math.MaxFloat64, -math.MaxFloat64}
		odd := 0
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 9))
			n, s := 1+r.IntN(70), 1+r.IntN(3)
			c := kernel.Centers{K: 2 + r.IntN(12), S: s}
			x := make([]float64, n*s)
			for i := range x {
				x[i] = values[r.IntN(len(values))]
			}
			for range c.K * s {
				c.Rows = append(c.Rows, values[r.IntN(len(values))])
			}
			m := kernel.Measure{}
			if r.IntN(2) == 0 {
				m.Weights = make([]float64, s)
			}
			c.Pack()
			own := make([]int32, n)
			for i := range own {
				own[i] = int32(r.IntN(c.K+1)) - 1
			}
			got := kernel.Two{Own: slices.Clone(own), Second: make([]int32, n), Distance: make([]float64, n), Other: make([]float64, n)}
			if !got.Find(m, x, &c) {
				continue
			}
			d := make([]float64, n*c.K)
			kernel.Distances(d, m, x, &c)
			for i := range n {
				want := framework.Between(d[i*c.K:(i+1)*c.K], int(own[i]))
				found := framework.Measured{Own: got.Own[i], Second: got.Second[i], Distance: got.Distance[i], Other: got.Other[i]}
				if fmt.Sprint(want) != fmt.Sprint(found) {
					t.Fatalf("%s, seed %d: row %d is %+v, want %+v, of %v", kernel.Name(), seed, i, found, want, d[i*c.K:(i+1)*c.K])
				}
				if v := want.Distance + want.Other; v-v != 0 {
					odd++
				}
			}
		}
		if kernel.Name() != "go" && odd < 100 {
			t.Errorf("only %d rows have such distances", odd)
		}
	})
}
