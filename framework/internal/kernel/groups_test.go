package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// checkBounds compares the bounds of rows and of their groups with distances in double
// precision.
func (p problem) checkBounds(t *testing.T, c *kernel.Centers, b *kernel.Bound, drift []float64) {
	t.Helper()
	for i := range p.n {
		label, least := int(b.Label[i]), math.Inf(1)
		for j := range c.K {
			if j == label {
				continue
			}
			d := math.Sqrt(oneChain(p.m, p.x[i*c.S:(i+1)*c.S], c.Rows[j*c.S:(j+1)*c.S]))
			least = min(least, d)
			group, drift := c.GroupOf(j)
			if low := float64(b.Lower[i*c.Groups()+group]) - drift; low > d*(1+1e-12) {
				t.Fatalf("%s: row %d, label %d: the bound of group %d is %v, and center %d has the distance %v",
					kernel.Name(), i, label, group, low, j, d)
			}
		}
		lead := least - math.Sqrt(oneChain(p.m, p.x[i*c.S:(i+1)*c.S], c.Rows[label*c.S:(label+1)*c.S]))
		if gap := float64(b.Gap[i]) - drift[label]; gap > lead+1e-12*least {
			t.Fatalf("%s: row %d, label %d: its lead is said to be %v at least, and is %v", kernel.Name(), i, label, gap, lead)
		}
	}
}

// bunches is a problem in which rows and centers are in bunches far from each other.
func bunches(n, s, k, bunches int) problem {
	p := newProblem(1, n, s, k, kernel.Squared, false, false, false)
	p.filtered = true
	at := drawn(rand.New(rand.NewPCG(2, 2)), bunches*s, false, false)
	for _, v := range [][]float64{p.x, p.centers.Rows} {
		for i := range v {
			v[i] = 0.1*v[i] + at[i/s%bunches*s+i%s]
		}
	}
	return p
}

// Labels would be right too if all groups were looked at each time.
func TestOnlyGroupsNearARowAreLookedAt(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const each = 32 // centers of a bunch: two groups of them
		p := bunches(500, 40, 4*each, 4)
		c := &p.centers
		c.Pack()
		c.Filter(p.m, 0)
		if c.Groups() == 0 {
			if kernel.Name() != "go" {
				t.Fatalf("%s has no groups", kernel.Name())
			}
			return
		}
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*c.Groups())}
		b.Assign(p.m, p.x, c, make([]float64, c.K), true)
		for i := range b.Gap {
			b.Gap[i] = -1
		}
		near := map[int]bool{} // groups of the bunch of row 0, the rows of which have every fourth number
		for j := 0; j < c.K; j += 4 {
			group, _ := c.GroupOf(j)
			near[group] = true
		}
		if len(near) != 2 {
			t.Fatalf("the centers of a bunch are in the groups %v", near)
		}
		for group := range c.Groups() {
			if !near[group] {
				c.Spring(group)
			}
		}
		for i := 0; i < p.n; i += 4 {
			one := kernel.Bound{Label: []int32{b.Label[i]}, Gap: []float32{-1}, Lower: b.Lower[i*c.Groups() : (i+1)*c.Groups()]}
			one.Assign(p.m, p.x[i*c.S:], c, make([]float64, c.K), false)
			if one.Label[0] != b.Label[i] {
				t.Fatalf("%s: row %d looks at a group far away", kernel.Name(), i)
			}
		}
	})
}

func TestEveryCenterIsInOneGroup(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, k := range []int{64, 65, 79, 80, 81, 1000} {
			p := newProblem(uint64(k), 1, 32, k, kernel.Squared, false, false, false)
			for j := range k / 3 { // equal centers
				copy(p.centers.Rows[j*32:(j+1)*32], p.centers.Rows[k/2*32:])
			}
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if p.centers.Groups() == 0 {
				continue
			}
			sizes := make([]int, p.centers.Groups())
			for j := range k {
				group, _ := p.centers.GroupOf(j)
				sizes[group]++
			}
			for i, n := range sizes {
				if want := min(16, k-16*i); n != want {
					t.Errorf("k %d: group %d has %d centers, want %d", k, i, n, want)
				}
			}
		}
	})
}

// Groups of fewer centers would be looked at in which a new one is not, and the label of a row be none of the nearest.
func TestThereAreAsManyCentersAsBeforeUntilAFilterIsRenewed(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, of := range []struct{ s, k, other int }{ // groups, slabs, features in the lanes, tiles
			{40, 130, 131}, {40, 130, 144}, {40, 144, 130}, {40, 130, 16}, {8, 10, 11}, {8, 10, 9}, {200, 6, 7}, {50, 30, 31}, {50, 30, 130},
		} {
			p := newProblem(1, 500, of.s, max(of.k, of.other), kernel.Squared, false, false, false)
			c, all := kernel.Centers{S: of.s}, p.centers.Rows
			filter := func(k int) (said any) {
				defer func() { said = recover() }()
				c.K, c.Rows = k, all[:k*of.s]
				c.Pack()
				c.Filter(p.m, 0)
				return nil
			}
			for range 2 {
				if said := filter(of.k); said != nil || c.Filtered() != (kernel.Name() != "go") {
					t.Fatalf("%s, %v: %v", kernel.Name(), of, said)
				}
			}
			if said := filter(of.other); (said != nil) != (kernel.Name() != "go") || said != nil && !strings.Contains(fmt.Sprint(said), "Renew") {
				t.Errorf("%s, %v: %v", kernel.Name(), of, said)
			}
			c.Renew()
			if said := filter(of.other); said != nil {
				t.Fatalf("%s, %v: %v", kernel.Name(), of, said)
			}
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*c.Groups())}
			b.Assign(p.m, p.x, &c, make([]float64, c.K), true)
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &c)
			if !slices.Equal(b.Label, want.Label) {
				t.Errorf("%s, %v: labels %v, want %v", kernel.Name(), of, b.Label, want.Label)
			}
		}
	})
}

func TestGroupsDoNotDependOnWhoMakesThem(t *testing.T) {
	shares := []func(n int, work func(i int)){
		func(n int, work func(i int)) { // from the last one
			for i := range n {
				work(n - 1 - i)
			}
		},
		func(n int, work func(i int)) { // all at once
			var wait sync.WaitGroup
			for i := range n {
				wait.Go(func() { work(i) })
			}
			wait.Wait()
		},
	}
	eachImplementation(t, func(t *testing.T) {
		for seed, k := range []int{128, 129, 143, 300, 1000} {
			p := newProblem(uint64(seed), 1, 48, k, kernel.Squared, false, false, false)
			for j := range k / 3 { // equal centers
				copy(p.centers.Rows[j*48:(j+1)*48], p.centers.Rows[k/2*48:])
			}
			groupsOf := func(share func(n int, work func(i int))) (all []int) {
				c := kernel.Centers{K: k, S: 48, Rows: p.centers.Rows, Share: share}
				c.Pack()
				if c.Filter(p.m, 0); c.Groups() == 0 {
					return nil
				}
				for j := range k {
					group, _ := c.GroupOf(j)
					all = append(all, group)
				}
				return all
			}
			want := groupsOf(nil)
			if (want == nil) != (kernel.Name() == "go") {
				t.Fatalf("%s, k %d: groups %v", kernel.Name(), k, want)
			}
			for i, share := range shares {
				if got := groupsOf(share); !slices.Equal(got, want) {
					t.Errorf("%s, k %d, way %d: groups %v, want %v", kernel.Name(), k, i, got, want)
				}
			}
		}
	})
}

// BenchmarkGroups is a look at all rows after centers have moved a little.
func BenchmarkGroups(b *testing.B) {
	for _, c := range []struct{ n, s, k, bunches int }{{4000, 256, 1000, 100}, {8000, 128, 100, 20}} {
		p := bunches(c.n, c.s, c.k, c.bunches)
		bound := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		drift, moved := make([]float64, c.k), make([]float64, c.k)
		for j := range moved {
			moved[j] = 1e-9
		}
		for _, bounds := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/s=%d/k=%d/bounds=%v", c.n, c.s, c.k, bounds), func(b *testing.B) {
				p.centers.Pack()
				p.centers.Filter(p.m, 0)
				bound.Lower = nil
				if bounds {
					bound.Lower = make([]float32, p.n*p.centers.Groups())
				}
				bound.Assign(p.m, p.x, &p.centers, drift, true)
				for b.Loop() {
					for i := range bound.Gap {
						bound.Gap[i] = -1
					}
					p.centers.Moved(moved)
					bound.Assign(p.m, p.x, &p.centers, drift, false)
				}
				b.ReportMetric(float64(c.n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}
