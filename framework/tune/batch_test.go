package tune_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// batched is a problem to be fitted in batches.
type batched struct {
	clustertest.Rows
	problem  framework.Problem
	settings fit.Settings
	batch    int
	weighs   bool // features
}

// drawBatched draws rows of overlapping groups, in the order of their groups or not,
// with missing cells and weights or not.
func drawBatched(t *rapid.T) batched {
	n, p := rapid.IntRange(100, 4000).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p")
	random := framework.Rand(rapid.Uint64().Draw(t, "cells"), "batched")
	x, groups := framework.NewMatrix(n, p), rapid.IntRange(1, 9).Draw(t, "groups")
	whole, ordered, missing := rapid.Bool().Draw(t, "whole"), rapid.Bool().Draw(t, "ordered"), rapid.Bool().Draw(t, "missing")
	for i := range n {
		g := i % groups
		if ordered {
			g = i * groups / n
		}
		for l := range p {
			v := 3*float64((g>>l)%3) + random.NormFloat64()
			if whole {
				v = math.Round(v)
			}
			if missing && random.IntN(20) == 0 {
				v = math.NaN()
			}
			x.Row(i)[l] = v
		}
	}
	b := batched{Rows: clustertest.Rows{X: x, Size: 64}, weighs: rapid.Bool().Draw(t, "feature weights")}
	if rapid.Bool().Draw(t, "weighted") {
		b.Weights = make([]float64, n)
		for i := range b.Weights {
			b.Weights[i] = float64(random.IntN(4)) / 4
		}
		b.Weights[0] = 1
	}
	b.problem = b.Rows.Problem(rapid.IntRange(1, 12).Draw(t, "k"))
	b.problem.Seed = rapid.Uint64().Draw(t, "seed")
	b.batch = rapid.IntRange(b.problem.K+1, n-1).Draw(t, "batch")
	b.settings = fit.Settings{InitSpace: fit.Both, Threads: 1, Restarts: rapid.IntRange(1, 4).Draw(t, "restarts"),
		Init:    rapid.SampledFrom([]string{"kmeans++", "random", "maximin", "kmeans||"}).Draw(t, "init"),
		MaxIter: rapid.SampledFrom([]int{0, 1, 50}).Draw(t, "iterations"),
		Tol:     rapid.SampledFrom([]float64{0, 1e-2, 1e-15}).Draw(t, "tol"),
		Empty:   rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin, framework.Fail}).Draw(t, "empty"),
	}
	return b
}

func (b batched) data() *matrix.Data { return matrix.FromMatrix(b.X, b.Weights, b.Size) }

func (b batched) engine(ctx context.Context, p framework.Problem, rows *matrix.Data, start fit.Start, s fit.Settings) (f tune.Fit,
	err error) {
	c := framework.Clusterer(means.NewLloyd(p, means.Squared))
	if b.weighs {
		c = means.NewWeighted(p, means.Weighting{Set: weightset.Bounded{L1: 1.3}, Tol: 1e-4, Updates: 20})
	}
	f.Result, err = fit.Run(ctx, c, p, rows, start, s, nil)
	return f, err
}

func (b batched) begin(t *rapid.T) fit.Start {
	t.Helper()
	return must.Get(tune.Begin(t.Context(), b.engine, b.problem, b.data(), b.settings, b.batch))(t)
}

// fit is the whole fit, from batches where there are any.
func (b batched) fit(t *rapid.T) *fit.Result {
	t.Helper()
	start := fit.Start{}
	if b.batch > 0 {
		start = b.begin(t)
	}
	return must.Get(b.engine(t.Context(), b.problem, b.data(), start, b.settings))(t).Result
}

func TestTheStartOfBatchesHasTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatched(t)
		one := b.begin(t)
		b.settings.Threads = 3
		must.Equal(t, one, b.begin(t), clustertest.Bitwise)
	})
}

func TestClustersFarApartAreFoundInBatchesAsInTheWholeTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatched(t)
		k := rapid.IntRange(1, min(9, b.Len()/50-1)).Draw(t, "far groups")
		ordered := rapid.Bool().Draw(t, "in order")
		for i := range b.Len() {
			g := i % k
			if ordered {
				g = i * k / b.Len()
			}
			b.X.Row(i)[0] = 1000*float64(g) + math.Sin(float64(i))
			clear(b.X.Row(i)[1:])
		}
		b.Weights = nil
		b.problem, b.weighs = b.Rows.Problem(k), false
		b.settings.Init, b.settings.MaxIter, b.settings.Restarts = "kmeans++", 50, 4
		b.batch = rapid.IntRange(50*k, b.Len()-1).Draw(t, "large batch")
		found := b.fit(t)
		b.batch = 0
		if !clustertest.SamePartition(b.fit(t).Labels, found.Labels) {
			t.Fatal("other clusters")
		}
	})
}

func TestInBatchesRowWeightsCountByTheirProportions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBatched(t)
		b.weighs, b.Weights = false, make([]float64, b.Len())
		for i := range b.Weights {
			if b.Weights[i] = float64(i%4) / 4; b.Weights[i] == 0 {
				b.X.Row(i)[0] = 1e6 // of no weight, so of no say
			}
		}
		four := b
		four.Weights = slices.Clone(b.Weights)
		for i := range four.Weights {
			four.Weights[i] *= 4
		}
		seed := b.problem.Seed
		b.problem, four.problem = b.Rows.Problem(b.problem.K), four.Rows.Problem(b.problem.K)
		b.problem.Seed, four.problem.Seed = seed, seed
		one := b.begin(t)
		must.Equal(t, one, four.begin(t), clustertest.Bitwise)
		if one.Centers == nil {
			return
		}
		for j := range b.problem.K {
			if v := one.Centers.Row(j)[0]; math.Abs(v) > 100 {
				t.Fatalf("center %d is at %v, where only rows without weight are", j, v)
			}
		}
	})
}

// seen is what an engine was asked for.
type seen struct {
	rows  []float64
	start *framework.Matrix
	s     fit.Settings
	p     framework.Problem
}

// watched begins with batches of n rows that are numbered, and says what the engine
// was asked for. change changes what it finds.
func watched(t *testing.T, n, batch int, s fit.Settings, change func(fit int, f *tune.Fit) error) (all []seen, start fit.Start, err error) {
	t.Helper()
	x := framework.NewMatrix(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	p := clustertest.Rows{X: x, Size: 100}.Problem(2)
	p.Columns[0].Name, p.Columns[0].Scale = "number", 7
	start, err = tune.Begin(t.Context(), func(_ context.Context, p framework.Problem, rows *matrix.Data, start fit.Start,
		s fit.Settings) (tune.Fit, error) {
		all = append(all, seen{slices.Clone(rows.Matrix().Data), start.Centers, s, p})
		centers := framework.NewMatrix(2, 1)
		centers.Data[0] = float64(len(all))
		f := tune.Fit{Result: &fit.Result{Model: &framework.Model{Centers: centers}, Stop: fit.Tolerance}}
		return f, change(len(all), &f)
	}, p, matrix.FromMatrix(x, nil, 0), s, batch)
	return all, start, err
}

func unchanged(int, *tune.Fit) error { return nil }

func TestBatchesGrowFourfoldUpToAnEighthOfTheRowsAndGoOnFromEachOther(t *testing.T) {
	for batch, want := range map[int][]int{
		100:  {100, 400}, // 1600 is more than an eighth
		78:   {78, 312, 1248},
		79:   {79, 316}, // 1264 is more than 1250
		9999: {9999}, 10_000: nil, 20_000: nil,
	} {
		all, start, err := watched(t, 10_000, batch, fit.Settings{Tol: 0.0005, Empty: framework.Fail}, unchanged)
		must.Do(t, err)
		var sizes []int
		for i, one := range all {
			sizes = append(sizes, len(one.rows))
			if i == 0 && one.start != nil || i > 0 && (one.start == nil || one.start.Data[0] != float64(i)) {
				t.Errorf("batch %d of %d rows starts from %v", i, len(one.rows), one.start)
			}
			must.Equal(t, max(0.0005, 0.1*2/float64(len(one.rows))), one.s.Tol)
			must.Equal(t, framework.Reseed, one.s.Empty) // a cluster may lack rows in a batch alone
		}
		must.Equal(t, want, sizes)
		if given := start.Given(); given != (want != nil) {
			t.Errorf("batch of %d: a start is given: %v", batch, given)
		}
	}
}

func TestABatchHasARowOfEachStretchOfTheTable(t *testing.T) {
	all, _, err := watched(t, 1003, 100, fit.Settings{}, unchanged)
	must.Do(t, err)
	for i, row := range all[0].rows {
		if first, end := i*1003/100, (i+1)*1003/100; int(row) < first || int(row) >= end {
			t.Errorf("row %v is not one of %d to %d", row, first, end-1)
		}
	}
	c := all[0].p.Columns[0]
	if all[0].p.N != 100 || all[0].p.Mass != 100 || c.Name != "number" || c.Scale != 7 || c.Min != all[0].rows[0] || c.Max != all[0].rows[99] {
		t.Errorf("%+v", all[0].p) // a problem of these rows, in the units of all
	}
}

func TestBatchesEndWhereNoFeatureGetsAWeight(t *testing.T) {
	for at, want := range []bool{1: false, 2: true} {
		all, start, err := watched(t, 10_000, 50, fit.Settings{}, func(i int, f *tune.Fit) error {
			if i == at {
				f.Stop = framework.AllZero
			}
			return nil
		})
		must.Do(t, err)
		if at > 0 && (len(all) != at || start.Given() != want) {
			t.Errorf("nothing in batch %d: %d batches, and a start %v", at, len(all), start)
		}
	}
}

func TestAFaultOfABatchIsThatOfTheFit(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := watched(t, 10_000, 50, fit.Settings{}, func(int, *tune.Fit) error { return broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

// scaled is a set of labels for some of its rows as for all, unless there is none for them.
type scaled struct {
	framework.LabelSet
	none, empty bool // there is no set, or there are no labels in it
}

func (s scaled) Scale([]int32, int) (framework.LabelSet, error) {
	if s.none {
		return nil, framework.Faultf(framework.Data, "none", "some rows have no such set")
	}
	return s, nil
}

func TestBatchesKeepLimitsUnlessTheirRowsHaveNoLabelsWithin(t *testing.T) {
	x := framework.NewMatrix(1000, 1)
	for i := range x.Rows {
		x.Data[i] = float64(i)
	}
	rows := matrix.FromMatrix(x, nil, 0)
	for _, c := range []struct {
		set  framework.LabelSet
		want []framework.LabelSet // of each batch: of 20, 80 rows; 320 are more than an eighth
	}{
		{nil, []framework.LabelSet{nil, nil}},
		{scaled{}, []framework.LabelSet{scaled{}, scaled{}}},
		{scaled{none: true}, []framework.LabelSet{nil, nil}},
		{scaled{empty: true}, []framework.LabelSet{nil, nil}},
	} {
		var got []framework.LabelSet
		centers := framework.NewMatrix(2, 1)
		engine := func(_ context.Context, p framework.Problem, _ *matrix.Data, _ fit.Start, _ fit.Settings) (tune.Fit, error) {
			if p.Labels == framework.LabelSet(scaled{empty: true}) {
				return tune.Fit{}, framework.Faultf(framework.Data, "infeasible-labels", "none")
			}
			got = append(got, p.Labels)
			return tune.Fit{Result: &fit.Result{Model: &framework.Model{Centers: centers}, Stop: fit.Settled}}, nil
		}
		p := framework.Problem{N: 1000, P: 1, K: 2, Mass: 1000, Columns: make([]framework.Column, 1), Labels: c.set}
		start := must.Get(tune.Begin(t.Context(), engine, p, rows, fit.Settings{Restarts: 1, MaxIter: 1}, 20))(t)
		if start.Centers == nil || len(got) != 2 {
			t.Fatalf("%d batches, start %v", len(got), start)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v: batch %d keeps %v", c.set, i, got[i])
			}
		}
	}
}
