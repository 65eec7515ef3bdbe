package fit_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// here is rows that only passes know: what an engine would compute is computed by the
// clusterer itself.
type here struct {
	t      *testing.T
	c      framework.Clusterer
	rows   clustertest.Rows
	k      int
	passes int
}

// labels returns the labels that a model gives.
func (h *here) labels(m *framework.Model) []int32 {
	labels := slices.Repeat([]int32{-1}, h.rows.Len())
	if m == nil {
		return labels
	}
	m = m.Clone()
	if p, ok := framework.As[framework.Preparer](h.c); ok {
		p.Prepare(m)
	}
	for i := range h.rows.Blocks() {
		b := h.rows.Block(i)
		must.Do(h.t, h.c.Assign(m, b, labels[b.Row0:b.Row0+b.X.Rows], h.c.Scratch(b.X.Rows)))
	}
	return labels
}

func (h *here) pass(labels, before []int32) fit.Pass {
	p := fit.Pass{Stats: framework.NewStats(h.c.Plan().Stats), Sizes: make([]int, h.k)}
	for i := range h.rows.Blocks() {
		b := h.rows.Block(i)
		must.Do(h.t, h.c.Collect(b, nil, labels[b.Row0:b.Row0+b.X.Rows], p.Stats))
		for r := range b.X.Rows {
			if b.Weight(r) > 0 {
				p.Sizes[labels[b.Row0+r]]++
			}
			if labels[b.Row0+r] != before[b.Row0+r] {
				p.Moved++
			}
		}
	}
	return p
}

func (h *here) Assign(_ context.Context, m, before *framework.Model) (fit.Pass, error) {
	h.passes++
	if p, ok := framework.As[framework.Preparer](h.c); ok {
		p.Prepare(m) // a model has a cache in a fit
	}
	return h.pass(h.labels(m), h.labels(before)), nil
}

func (h *here) Farthest(_ context.Context, m, by *framework.Model, count int) ([]fit.FarRow, error) {
	labels := h.labels(by)
	m = m.Clone()
	if p, ok := framework.As[framework.Preparer](h.c); ok {
		p.Prepare(m)
	}
	own := make([]float64, h.rows.Len())
	var order []int
	for i := range h.rows.Blocks() {
		b := h.rows.Block(i)
		d := framework.NewMatrix(b.X.Rows, h.k)
		must.Do(h.t, h.c.Distances(m, b, d))
		for r := range b.X.Rows {
			if own[b.Row0+r] = d.Row(r)[labels[b.Row0+r]]; own[b.Row0+r] > 0 && b.Weight(r) > 0 {
				order = append(order, b.Row0+r)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case own[a] > own[b]:
			return -1
		case own[a] < own[b]:
			return 1
		}
		return 0
	})
	var far []fit.FarRow
	for _, i := range order {
		cells := framework.Cells(h.rows, i)
		if !slices.ContainsFunc(far, func(f fit.FarRow) bool { return slices.Equal(f.Cells, cells) }) && len(far) < count {
			b, at := framework.Locate(h.rows, i)
			far = append(far, fit.FarRow{Cells: cells, Weight: b.Weight(at), Label: labels[i]})
		}
	}
	return far, nil
}

// elsewhereCases are k-means and k-means with feature weights over rows of three groups, with weights and missing cells or without.
func elsewhereCases(
	t *testing.T, each func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix),
) {
	for name, with := range map[string]struct{ weights, missing, selects, far, off bool }{
		"k-means": {}, "weights": {weights: true}, "missing cells": {missing: true}, "feature weights": {selects: true},
		"an empty cluster": {far: true}, "feature weights and an empty cluster": {selects: true, far: true},
		"a cluster without rows": {off: true}, "weights and a cluster without rows": {off: true, weights: true},
		"missing cells and a cluster without rows": {off: true, missing: true},
	} {
		t.Run(name, func(t *testing.T) {
			const n, p, k = 300, 6, 4
			r := rand.New(rand.NewPCG(7, 0))
			rows := clustertest.Rows{X: framework.NewMatrix(n, p), Size: 64}
			if with.weights {
				rows.Weights = make([]float64, n)
			}
			for i := range n {
				for l := range p {
					rows.X.Row(i)[l] = r.NormFloat64()
					if l < 2 {
						rows.X.Row(i)[l] += float64(3 * ((i + l) % 3))
					}
					if with.off { // no row is near 0, where centers without rows go
						rows.X.Row(i)[l] += 1000
					}
					if with.missing && r.IntN(9) == 0 {
						rows.X.Row(i)[l] = math.NaN()
					}
				}
				if with.weights {
					rows.Weights[i] = []float64{0, 0.3, 1, 2}[r.IntN(4)]
				}
			}
			problem := rows.Problem(k)
			centers := framework.NewMatrix(k, p)
			for j := range k {
				for l := range p {
					centers.Row(j)[l] = r.NormFloat64()
				}
			}
			for j := range k {
				if with.off && j != 2 {
					copy(centers.Row(j), rows.X.Row(j))
				}
			}
			for i, v := range centers.Data {
				if v != v {
					centers.Data[i] = 1000
				}
			}
			if with.far {
				centers.Row(2)[0] = 1e3 // no row is near
			}
			var c framework.Clusterer = means.NewLloyd(problem, means.Squared)
			if with.selects {
				c = means.NewWeighted(problem, means.Weighting{Set: weightset.Bounded{L1: 1.6}, Updates: 20, Tol: 1e-4,
					Grid: func([]float64, int) []float64 { return nil }})
			}
			each(t, c, problem, rows, centers)
		})
	}
}

// The same statistics are added up in another order, so that centers and objectives
// differ by rounding: of 300 sums of numbers below 10, 300·10·2⁻⁵³ < 1e-12 a cell.
// Round counts the projections, of which a pass that verifies makes one more.
var byRounding = cmp.Options{cmpopts.EquateApprox(1e-11, 1e-11), cmpopts.IgnoreFields(framework.Model{}, "Cache", "Gain", "Round")}

func elsewhereSettings(restarts int) fit.Settings {
	s := settings()
	s.Empty, s.Restarts = framework.Reseed, restarts
	return s
}

func distant(h *here, centers framework.Matrix) fit.Distant {
	return fit.Distant{Passes: h, Begin: func(context.Context, int) (fit.Beginning, error) {
		c := centers.Clone()
		return fit.Beginning{Centers: &c}, nil
	}}
}

func TestAFitOfRowsElsewhereIsThatOfRowsHere(t *testing.T) {
	elsewhereCases(t, func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix) {
		s := elsewhereSettings(1)
		want := must.Get(fit.Run(context.Background(), c, p, rows, fit.Start{Centers: &centers}, s, nil))(t)
		h := &here{t: t, c: c, rows: rows, k: p.K}
		got := must.Get(fit.Elsewhere(context.Background(), c, p, distant(h, centers), s, nil))(t)
		if diff := cmp.Diff(want.Model, got.Model, byRounding); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want.Trace, got.Trace, byRounding); diff != "" {
			t.Error(diff)
		}
		must.Equal(t, want.Labels, h.labels(got.Model))
		if want.Stop != got.Stop || want.Iterations != got.Iterations || math.Abs(want.Objective-got.Objective) > 1e-11*math.Abs(want.Objective) {
			t.Errorf("%q after %d, %v; want %q after %d, %v", got.Stop, got.Iterations, got.Objective, want.Stop, want.Iterations, want.Objective)
		}
	})
}

var errKilled = errors.New("killed")

func TestAFitThatGoesOnFromWhereItStoodEndsAsTheOneThatWasNotInterrupted(t *testing.T) {
	elsewhereCases(t, func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix) {
		goesOn(t, c, p, rows, centers, elsewhereSettings(2))
	})
}

// goesOn interrupts a fit after each of its iterations, and has it go on from the text of where it stood.
func goesOn(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix, s fit.Settings) {
	t.Helper()
	h := &here{t: t, c: c, rows: rows, k: p.K}
	want := must.Get(fit.Elsewhere(context.Background(), c, p, distant(h, centers), s, nil))(t)
	for after := 1; ; after++ {
		var text []byte
		left := after
		d := distant(h, centers)
		d.Keep = func(at fit.Stand) error {
			text = must.Get(json.Marshal(at))(t)
			if left--; left == 0 {
				return errKilled
			}
			return nil
		}
		if _, err := fit.Elsewhere(context.Background(), c, p, d, s, nil); err == nil {
			return // there were not so many iterations
		} else if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		var last fit.Stand
		must.Do(t, json.Unmarshal(text, &last))
		d.From, d.Keep = &last, nil
		got := must.Get(fit.Elsewhere(context.Background(), c, p, d, s, nil))(t)
		got.Seconds, want.Seconds = fit.Seconds{}, fit.Seconds{}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(framework.Model{}, "Cache")); diff != "" {
			t.Fatalf("after %d iterations: %s", after, diff)
		}
		if ready, ok := framework.As[framework.Preparer](c); ok {
			ready.Prepare(got.Model) // which is a model to be used
		}
	}
}

func TestAFitThatHasEndedIsItsResultWithoutAPass(t *testing.T) {
	elsewhereCases(t, func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix) {
		h, s := &here{t: t, c: c, rows: rows, k: p.K}, elsewhereSettings(2)
		d := distant(h, centers)
		want := must.Get(fit.Elsewhere(context.Background(), c, p, d, s, nil))(t)
		text := must.Get(json.Marshal(fit.Ended(want, s.Restarts)))(t)
		d.From, h.passes = new(fit.Stand), 0
		must.Do(t, json.Unmarshal(text, d.From))
		got := must.Get(fit.Elsewhere(context.Background(), c, p, d, s, nil))(t)
		got.Seconds, want.Seconds = fit.Seconds{}, fit.Seconds{}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(framework.Model{}, "Cache")); diff != "" || h.passes != 0 {
			t.Errorf("%d passes, %s", h.passes, diff)
		}
	})
}

// A statement after the last iteration may fail: what was kept is written then, and its
// models have been used since.
func TestWhereAFitStoodCanBeWrittenAfterItsModelsWereUsed(t *testing.T) {
	elsewhereCases(t, func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix) {
		ready, ok := framework.As[framework.Preparer](c)
		if !ok {
			return // it keeps nothing
		}
		d := distant(&here{t: t, c: c, rows: rows, k: p.K}, centers)
		var last *fit.Stand
		d.Keep = func(at fit.Stand) error { last = &at; return nil }
		want := must.Get(fit.Elsewhere(context.Background(), c, p, d, elsewhereSettings(2), nil))(t)
		if last == nil {
			t.Fatal("nothing was kept")
		}
		for _, m := range []*framework.Model{want.Model, last.Model, last.By} {
			if m != nil {
				ready.Prepare(m)
			}
		}
		if last.Best != nil {
			ready.Prepare(last.Best.Model)
		}
		text := must.Get(json.Marshal(last))(t)
		d.From, d.Keep = new(fit.Stand), nil
		must.Do(t, json.Unmarshal(text, d.From))
		got := must.Get(fit.Elsewhere(context.Background(), c, p, d, elsewhereSettings(2), nil))(t)
		ready.Prepare(got.Model)
		got.Seconds, want.Seconds = fit.Seconds{}, fit.Seconds{}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(framework.Model{}, "Cache")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAPassOfRowsElsewhereIsMadeOnceAnIteration(t *testing.T) {
	elsewhereCases(t, func(t *testing.T, c framework.Clusterer, p framework.Problem, rows clustertest.Rows, centers framework.Matrix) {
		h := &here{t: t, c: c, rows: rows, k: p.K}
		got := must.Get(fit.Elsewhere(context.Background(), c, p, distant(h, centers), elsewhereSettings(1), nil))(t)
		if most := got.Iterations + 2; h.passes > most { // the start, and perhaps one that verifies
			t.Errorf("%d passes in %d iterations", h.passes, got.Iterations)
		}
	})
}

// A row that is far from all others is the only one that moves: it gets the cluster without rows, and stays there.
func TestARowThatGetsAClusterHasMovedOnce(t *testing.T) {
	rows := clustertest.Rows{X: framework.NewMatrix(41, 2), Size: 16}
	for i := range 40 {
		rows.X.Row(i)[0], rows.X.Row(i)[1] = 1000+float64(i%2)*10, float64(i%4) // no row is near 0, where centers without rows go
	}
	rows.X.Row(40)[0] = 1100
	p := rows.Problem(3)
	centers := framework.NewMatrix(3, 2)
	centers.Row(0)[0], centers.Row(1)[0] = 1000, 1010
	c := means.NewLloyd(p, means.Squared)
	s := elsewhereSettings(1)
	want := must.Get(fit.Run(context.Background(), c, p, rows, fit.Start{Centers: &centers}, s, nil))(t)
	got := must.Get(fit.Elsewhere(context.Background(), c, p, distant(&here{t: t, c: c, rows: rows, k: 3}, centers), s, nil))(t)
	if diff := cmp.Diff(want.Trace, got.Trace, byRounding); diff != "" || want.Iterations != got.Iterations {
		t.Errorf("%d iterations, want %d: %s", got.Iterations, want.Iterations, diff)
	}
	goesOn(t, c, p, rows, centers, s)
}
