package pcskm_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// restrictions are sets for k ≥ 2 centers of 3 features.
func restrictions(k int) map[string]framework.Set {
	joint := framework.NewMatrix(k, 3)
	joint.Row(0)[0], joint.Row(1)[0] = 1, -1
	return map[string]framework.Set{
		"box":              constraint.Box{Lo: []float64{-0.5, 0.2, -1}, Hi: []float64{0.5, 1, 0.1}},
		"fixed":            constraint.Fixed{Where: constraint.Where{Clusters: []int{1}, Features: []int{2}}, Values: []float64{1.5}},
		"halfspace":        constraint.HalfSpace{Coef: []float64{1, -2, 0.5}, Bound: -1},
		"between clusters": constraint.JointHalfSpace{Coef: joint, Bound: -1},
		"simplex":          constraint.Simplex{Radius: 1},
		"l2_ball":          constraint.L2Ball{Radius: 0.5},
		"monotone":         constraint.Monotone{Where: constraint.Where{Features: []int{2, 0, 1}}},
	}
}

// served are the algorithms with the parameters that they need.
var served = map[string]struct {
	algorithm framework.Algorithm
	params    map[string]string
}{
	"pckm":                    {pcskm.PCKM{}, nil},
	"mpckm":                   {pcskm.MPCKM{}, nil},
	"pcskm":                   {pcskm.PCSKM{}, map[string]string{"l1_bound": "1.3"}},
	"pcskm, pairs in weights": {pcskm.PCSKM{}, map[string]string{"l1_bound": "1.3", "penalty_in_weights": "true"}},
}

func init() { clustertest.FewDraws() }

func eachRestriction(t *testing.T, law func(t *rapid.T, name, set string)) {
	for name := range served {
		for set := range restrictions(2) {
			t.Run(name+"/"+set, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { law(t, name, set) })
			})
		}
	}
}

// problemOf draws rows and links, and describes them with the set.
func problemOf(t *rapid.T, name, set string, weights ...float64) (blocks, framework.Problem, framework.Clusterer) {
	n, k := rapid.IntRange(5, 14).Draw(t, "n"), rapid.IntRange(2, 3).Draw(t, "k")
	b := drawRows(t, n)
	p := b.problem(k, drawLinks(t, n, 6, weights...))
	p.Centers = restrictions(k)[set]
	s := served[name]
	p.Params = must.Get(s.algorithm.Describe().Resolve(s.params))(t)
	c, err := s.algorithm.New(p)
	if f := framework.AsFault(err); f != nil && f.Class == framework.Data {
		t.Skip("the links cannot be kept")
	}
	must.Do(t, err)
	return b, p, c
}

func TestRestrictedCentersAreInTheirSetAndHardLinksAreKept(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, name, set string) {
		b, p, c := problemOf(t, name, set, 0.5, 1, math.Inf(1))
		s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1,
			MaxIter: rapid.SampledFrom([]int{0, 1, 2, 100}).Draw(t, "max iter"), Empty: framework.Reseed, Threads: 1}
		start := fit.Start{}
		if rapid.Bool().Draw(t, "centers") {
			start = centersOf(b, p.K)
		}
		res := must.Get(fit.Run(context.Background(), c, p, b, start, s, nil))(t)
		if off := p.Centers.Violation(res.Model.Centers); off > 1e-9 {
			t.Errorf("the centers %v are %g outside", res.Model.Centers.Data, off)
		}
		for _, l := range p.Links {
			if l.Hard() && l.Broken(res.Labels) && res.Stop != framework.AllZero && s.MaxIter > 0 {
				t.Errorf("%+v is broken by %v", l, res.Labels)
			}
		}
	})
}

// about computes for each feature the sum of squares of the rows about centers,
// and what the broken links cost with a weight of 1.
func (b blocks) about(p framework.Problem, labels []int32, theta framework.Matrix) (within, costs []float64) {
	within, costs = make([]float64, 3), make([]float64, 3)
	for l := range within {
		for i, j := range labels {
			d := b.X.Row(i)[l] - theta.Row(int(j))[l]
			within[l] += d * d
		}
	}
	// A pair that is given again counts once, with its largest weight.
	largest := map[[2]int32]framework.Link{}
	for _, k := range p.Links {
		if at := [2]int32{k.A, k.B}; largest[at].Weight < k.Weight || largest[at].Cannot != k.Cannot {
			largest[at] = k
		}
	}
	for _, k := range largest {
		if !k.Broken(labels) {
			continue
		}
		for l := range costs {
			unit := make([]float64, 3)
			unit[l] = 1
			costs[l] += b.cost(k, unit)
		}
	}
	return within, costs
}

// TestAStepOfRestrictedCentersIsTheBestForLabelsAndWeights projects means once
// with equal weights and once with those that followed.
func TestAStepOfRestrictedCentersIsTheBestForLabelsAndWeights(t *testing.T) {
	eachRestriction(t, func(t *rapid.T, name, set string) {
		b, p, c := problemOf(t, name, set, 0.5)
		for i, k := range p.Links {
			for _, other := range p.Links[:i] {
				if k.A == other.A && k.B == other.B {
					t.Skip("a pair is given twice")
				}
			}
		}
		labels := make([]int32, b.X.Rows)
		for i := range labels {
			if labels[i] = int32(i); i >= p.K { // so that no cluster is without rows
				labels[i] = int32(rapid.IntRange(0, p.K-1).Draw(t, "label"))
			}
		}
		m, want := c.Begin(), framework.NewMatrix(p.K, 3)
		for round := range 2 {
			stats := framework.NewStats(c.Plan().Stats)
			for i := range b.Blocks() {
				block := b.Block(i)
				must.Do(t, c.Collect(block, nil, labels[block.Row0:][:block.X.Rows], stats))
			}
			means, mass := framework.NewMatrix(p.K, 3), make([]float64, p.K)
			for i, j := range labels {
				mass[j]++
				for l, v := range b.X.Row(i) {
					means.Row(int(j))[l] += v
				}
			}
			for i := range means.Data {
				means.Data[i] /= mass[i/3]
			}
			at := framework.Point{X: means, RowMass: mass}
			if round > 0 && m.FeatureWeights != nil {
				at.ColMass = append([]float64(nil), m.FeatureWeights...)
			}
			step := must.Get(c.Update(t.Context(), m, stats, b, labels))(t)
			for target, point := range step.At {
				if point == nil {
					continue
				}
				must.Get(c.Project(m, framework.Target(target), *point))(t)
			}
			if name == "mpckm" { // centers and metric are found together
				at.ColMass = m.FeatureWeights
			}
			must.Do(t, p.Centers.Project(want, at))
			// What a ball leaves to a feature of weight 0 is the root of a difference,
			// in which rounding of 1e-16 is 1e-8.
			if diff := cmp.Diff(want.Data, m.Centers.Data, cmpopts.EquateApprox(1e-9, 1e-7)); diff != "" {
				t.Fatalf("round %d, centers: %s", round, diff)
			}
			within, costs := b.about(p, labels, m.Centers)
			for l, gain := range m.Gain {
				best := p.Columns[l].SumSq - within[l]
				switch name {
				case "mpckm":
					best = p.Mass / (within[l] + costs[l])
				case "pcskm, pairs in weights":
					best -= costs[l]
				}
				if math.Abs(gain-best) > 1e-6*(1+math.Abs(best)) {
					t.Errorf("round %d, feature %d: %v where the rows say %v", round, l, gain, best)
				}
			}
		}
	})
}

func TestBoundsThatNoCenterMeetsChangeNoBits(t *testing.T) {
	for name, s := range served {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, p, _ := problemOf(t, name, "box", 0.5, 1)
				run := func(c framework.Clusterer, p framework.Problem) *fit.Result {
					s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 2, MaxIter: 100, Empty: framework.Reseed, Threads: 1}
					return must.Get(fit.Run(context.Background(), c, p, b, fit.Start{}, s, nil))(t)
				}
				p.Centers = constraint.Box{Lo: []float64{-1e6, -1e6, -1e6}, Hi: []float64{1e6, 1e6, 1e6}}
				c := must.Get(s.algorithm.New(p))(t)
				wide := run(c, p)
				p.Centers = nil
				c = must.Get(s.algorithm.New(p))(t)
				free := run(c, p)
				if !cmp.Equal(free.Labels, wide.Labels) || !cmp.Equal(free.Model.Centers, wide.Model.Centers) ||
					!cmp.Equal(free.Model.FeatureWeights, wide.Model.FeatureWeights) {
					t.Errorf("labels %v and %v, weights %v and %v", free.Labels, wide.Labels, free.Model.FeatureWeights, wide.Model.FeatureWeights)
				}
			})
		})
	}
}

func TestASparsityOfCentersGoesWithPckmAlone(t *testing.T) {
	for name, s := range served {
		p := drawn(9).problem(2, nil)
		p.Centers = constraint.Sparsity{S: 2}
		p.Params = must.Get(s.algorithm.Describe().Resolve(s.params))(t)
		_, err := s.algorithm.New(p)
		if f := framework.AsFault(err); (name == "pckm") != (err == nil) || f != nil && f.Code != "selected-twice" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// drawn returns rows of numbers that do not matter.
func drawn(n int) blocks {
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 3), Size: n}}
	for i := range b.X.Data {
		b.X.Data[i] = float64(i * i % 7)
	}
	return b
}
