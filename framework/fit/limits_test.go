package fit_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// pairs has labels in which rows 2i and 2i+1 are together. Its projection is exact.
type pairs struct{ framework.LabelSet }

func (pairs) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "pairs", Exact: true}
}
func (pairs) Feasible(context.Context) error { return nil }

func (pairs) Project(_ context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	for i := 0; i < len(labels); i += 2 {
		end, best := min(i+2, len(labels)), math.Inf(1)
		for j := range at.Costs.Cols {
			sum := 0.0
			for t := i; t < end; t++ {
				sum += at.Costs.Row(t)[j]
			}
			if sum < best {
				best = sum
				for t := i; t < end; t++ {
					labels[t] = int32(j)
				}
			}
		}
	}
	cost := at.Total(labels)
	return framework.LabelPoint{Cost: cost, Bound: cost}, nil
}

func (pairs) Violation(labels []int32) (n float64) {
	for i, j := range labels {
		if j < 0 || j != labels[i&^1] {
			n++
		}
	}
	return n
}

// most has labels that give no cluster more than so many rows. Its projection takes the
// rows in their order, and is far from the best. Its price counts the projections, each of
// which gets the price before it.
type most int

func (most) Properties() framework.LabelProperties { return framework.LabelProperties{Kind: "most"} }
func (most) Feasible(context.Context) error {
	return framework.Undecided{Why: "nobody has counted"}
}
func (most) Limits([]int32, []float64) []framework.Limit { return nil }

func (m most) Project(_ context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	sizes := make([]int, at.Costs.Cols)
	for i := range labels {
		labels[i] = -1
		for j, v := range at.Costs.Row(i) {
			if sizes[j] < int(m) && (labels[i] < 0 || v < at.Costs.Row(i)[labels[i]]) {
				labels[i] = int32(j)
			}
		}
		sizes[labels[i]]++
	}
	price := 1.0
	if len(at.Prices) > 0 {
		price += at.Prices[0]
	}
	return framework.LabelPoint{Cost: at.Total(labels), Prices: []float64{price}}, nil
}

func (m most) Violation(labels []int32) (by float64) {
	sizes := map[int32]int{}
	for _, j := range labels {
		sizes[j]++
	}
	for j, n := range sizes {
		if j < 0 {
			by++
		}
		by += float64(max(0, n-int(m)))
	}
	return by
}

// drawn is a mixture with one of the two sets.
func drawn(t *rapid.T) (clustertest.Rows, framework.Problem) {
	k := rapid.IntRange(1, 5).Draw(t, "k")
	n := rapid.IntRange(2*k, 60).Draw(t, "n")
	rows, _ := clustertest.Mixture{K: 3, P: 2, N: n, Noise: 1, Seed: rapid.Uint64().Draw(t, "seed")}.Rows()
	rows.Size = rapid.SampledFrom([]int{1, 7, 64}).Draw(t, "block")
	if rapid.Bool().Draw(t, "ties") {
		for i, v := range rows.X.Data {
			rows.X.Data[i] = math.Round(v / 4)
		}
	}
	if rapid.Bool().Draw(t, "weighted") {
		for range n {
			rows.Weights = append(rows.Weights, rapid.SampledFrom([]float64{0, 0.3, 1, 2}).Draw(t, "weight"))
		}
		rows.Weights[0] = 1
	}
	p := rows.Problem(k)
	p.Labels = pairs{}
	if rapid.Bool().Draw(t, "most") {
		p.Labels = most((n + k - 1) / k)
	}
	return rows, p
}

func TestLabelsOfAFitObeyAndTheObjectiveNeverRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, p := drawn(t)
		for _, empty := range []framework.EmptyPolicy{framework.Reseed, framework.Origin} {
			s := settings()
			s.Restarts, s.Init, s.Empty = 3, "random", empty
			res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{}, s, nil))(t)
			if v := p.Labels.Violation(res.Labels); v != 0 {
				t.Fatalf("labels %v are off by %g", res.Labels, v)
			}
			for i, it := range res.Trace {
				if i > 0 && it.Restart == res.Trace[i-1].Restart && it.Objective > res.Trace[i-1].Objective*(1+1e-12)+1e-12 {
					t.Fatalf("the objective rises from %g to %g", res.Trace[i-1].Objective, it.Objective)
				}
			}
			if res.Limits == nil || math.IsInf(res.Limits.Cost, 0) {
				t.Fatalf("limits %v", res.Limits)
			}
		}
	})
}

func TestRestrictedLabelsDoNotDependOnThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, p := drawn(t)
		s := settings()
		s.Restarts, s.Init = 4, "random"
		s.Empty = rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin}).Draw(t, "empty")
		var bits []string
		for _, threads := range []int{1, 2, 5} {
			s.Threads = threads
			res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{}, s, nil))(t)
			bits = append(bits, fmt.Sprintf("%x %v %x %x", res.Model.Centers.Data, res.Labels, res.Objective, *res.Limits))
		}
		if len(slices.Compact(bits)) > 1 {
			t.Fatal(bits)
		}
	})
}

func TestAStartGoesOnFromItsOwnPricesOnly(t *testing.T) {
	// A set whose labels depend on prices: starts that follow each other on a worker must not pass them on.
	rapid.Check(t, func(t *rapid.T) {
		rows, p := drawn(t)
		p.Labels = most((p.N + p.K - 1) / p.K)
		s := settings()
		s.Init = "random"
		s.Restarts, s.Threads = rapid.IntRange(2, 6).Draw(t, "restarts"), rapid.IntRange(1, 3).Draw(t, "threads")
		res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{}, s, nil))(t)
		iterations := 0
		for _, it := range res.Trace {
			if it.Restart == res.Restart {
				iterations++
			}
		}
		// One projection for the start, one for each iteration, and at most one after each that verifies it without a move.
		if n := int(res.Limits.Prices[0]); n < iterations || n > 2*iterations+1 {
			t.Fatalf("%d projections in %d iterations", n, iterations)
		}
	})
}

func TestAStartThatDoesNotObeyIsProjectedEvenWithoutIterations(t *testing.T) {
	rows := line{0, 1, 2, 3, 10, 11}
	p := rows.problem(2)
	p.Labels = most(3)
	s := settings()
	s.MaxIter = 0
	res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{Labels: []int32{0, 0, 0, 0, 1, 1}}, s, nil))(t)
	must.Equal(t, []int32{0, 0, 0, 1, 1, 1}, res.Labels) // by hand: 3 is the last to come to the cluster of 1.5, which is full
	must.Equal(t, []float64{1, 8}, res.Model.Centers.Data)
}

func TestAClusterWithoutRowsGetsOnlyARowThatMayGo(t *testing.T) {
	// With labels 0, 0, 0, 0 of pairs, no single row may go to cluster 1.
	rows := line{0, 0, 5, 5}
	p := rows.problem(2)
	p.Labels = pairs{}
	res := must.Get(fit.Run(t.Context(), means.NewLloyd(p, means.Squared), p, rows, labels(0, 0, 0, 0), settings(), nil))(t)
	must.Equal(t, 0.0, p.Labels.Violation(res.Labels))
}

func TestSetsOfLabelsAreRefusedWhereThereIsNoRule(t *testing.T) {
	rows := line{0, 2, 10, 12}
	with := func(change func(*framework.Problem, *fit.Settings)) string {
		p, s := rows.problem(2), settings()
		p.Labels = most(2)
		change(&p, &s)
		var c framework.Clusterer = means.NewLloyd(p, means.Squared)
		if p.Seed == 7 {
			c = near{means.NewLloyd(p, means.Squared), 3, true}
		}
		_, err := fit.Run(t.Context(), c, p, rows, fit.Start{}, s, nil)
		if f := framework.AsFault(err); f != nil {
			return f.Code
		}
		return fmt.Sprint(err)
	}
	must.Equal(t, "limits-with-trim", with(func(_ *framework.Problem, s *fit.Settings) { s.Trim = 0.25 }))
	must.Equal(t, "limits-with-noise", with(func(p *framework.Problem, _ *fit.Settings) { p.Seed = 7 }))
	for _, weight := range []float64{1, math.Inf(1)} {
		must.Equal(t, "limits-with-pairs", with(func(p *framework.Problem, _ *fit.Settings) {
			p.Links = []framework.Link{{A: 0, B: 1, Weight: weight}}
		}))
	}
}

func TestALimitsPointIsThatOfTheBestStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, p := drawn(t)
		s := settings()
		s.Restarts, s.Init = 4, "random"
		c := means.NewLloyd(p, means.Squared)
		res := must.Get(fit.Run(t.Context(), c, p, rows, fit.Start{}, s, nil))(t)
		// The labels cost what rows are away from their centers, but for features in which all
		// centers are 0.
		if d := res.Inertia - res.Limits.Cost; p.K > 1 && math.Abs(d) > 1e-9*(1+res.Inertia) {
			t.Fatalf("the labels cost %g; the rows are away from their centers by %g", res.Limits.Cost, res.Inertia)
		}
	})
}
