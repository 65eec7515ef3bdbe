package enginetest

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// Statements are, each on its own, what a loop over the rows says.
func Statements(t *testing.T, open Opener) { hold(t, open, statements) }

func (p *Pair) statements(t *testing.T) {
	m, before := p.Model(t, 3), p.Model(t, 1)
	l := p.look(t, m)
	p.passes(t, m, before, l)
	p.farthest(t, m, l)
	p.summary(t, p.Bound, m, l)
	p.spread(t, m, l)
	p.crosstab(t, m, before, l)
	p.sample(t)
	p.use(t, m, l)
}

// looked are rows here as a model labels them.
type looked struct {
	predicted *fit.Prediction
	cells     [][]float64
	weights   []float64
}

func (p *Pair) look(t *testing.T, m *framework.Model) *looked {
	t.Helper()
	l := &looked{predicted: must.Get(fit.Predict(t.Context(), p.C, m.Clone(), p.Data, 1))(t)}
	for i := range p.Data.Len() {
		b, at := framework.Locate(p.Data, i)
		l.cells = append(l.cells, slices.Clone(framework.Cells(p.Data, i)))
		l.weights = append(l.weights, b.Weight(at))
	}
	return l
}

// nearest is the label that passes give: of a row that no center is near to, the first.
func (l *looked) nearest(i int) int { return max(0, int(l.predicted.Labels[i])) }

// passes compares passes with and without a model before.
func (p *Pair) passes(t *testing.T, m, before *framework.Model, l *looked) {
	t.Helper()
	first := must.Get(p.Bound.Assign(t.Context(), m, nil))(t)
	moved := must.Get(p.Bound.Assign(t.Context(), m, before))(t)
	same := must.Get(p.Bound.Assign(t.Context(), m, m))(t)
	old := p.look(t, before)
	sizes, moves := make([]int, p.Case.K), 0
	for i, w := range l.weights {
		if w > 0 {
			sizes[l.nearest(i)]++
		}
		if l.nearest(i) != old.nearest(i) {
			moves++
		}
	}
	must.Equal(t, sizes, first.Sizes)
	must.Equal(t, sizes, moved.Sizes)
	must.Equal(t, []int{len(l.weights), moves, 0}, []int{first.Moved, moved.Moved, same.Moved})
	must.Equal(t, first.Stats, moved.Stats)
	must.Equal(t, first.Stats, same.Stats)
}

// farthest compares the rows that are far from the centers of their labels.
func (p *Pair) farthest(t *testing.T, m *framework.Model, l *looked) {
	t.Helper()
	order := make([]int, 0, len(l.weights))
	for i, w := range l.weights {
		if w > 0 && l.predicted.Labels[i] >= 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.predicted.Distance[b], l.predicted.Distance[a]) })
	const count = 3
	got := must.Get(p.Bound.Farthest(t.Context(), m, m, count))(t)
	if len(got) != count {
		t.Fatalf("%d rows", len(got))
	}
	at := 0
	for n, far := range got {
		for n > 0 && textOf(l.cells[order[at]]) == textOf(got[n-1].Cells) {
			at++
		}
		i := order[at]
		if l.predicted.Distance[i]-l.predicted.Distance[order[at+1]] < 1e-9 {
			return // which one of these comes first depends on rounding
		}
		if textOf(far.Cells) != textOf(l.cells[i]) || int(far.Label) != l.nearest(i) || far.Weight != l.weights[i] {
			t.Errorf("row %d from the farthest is %+v, want that of %v", n, far, l.cells[i])
		}
	}
}

// summary compares what is in each cluster.
func (p *Pair) summary(t *testing.T, of *engine.Bound, m *framework.Model, l *looked) {
	t.Helper()
	k, cols := p.Case.K, p.Problem.P
	want := result.Summary{Sizes: make([]int, k), Mass: make([]float64, k), Inertia: make([]float64, k), Sum: framework.NewMatrix(k, cols),
		Square: make([]float64, cols)}
	mass := framework.NewMatrix(k, cols)
	for i, j := range l.predicted.Labels {
		if j < 0 {
			want.Untold++
			continue
		}
		w := l.weights[i]
		want.Sizes[j]++
		want.Mass[j] += w
		want.Inertia[j] += w * l.predicted.Distance[i] * l.predicted.Distance[i]
		for c, v := range l.cells[i] {
			if v == v {
				want.Sum.Row(int(j))[c] += w * v
				want.Square[c] += w * v * v
				mass.Row(int(j))[c] += w
			}
		}
	}
	got := must.Get(of.Summarise(t.Context(), m))(t)
	must.Equal(t, want.Sizes, got.Sizes)
	must.Equal(t, want.Untold, got.Untold)
	tolerance := max(1e-9, p.Case.Slack)
	near := func(what string, want, got []float64) {
		for i, v := range want {
			if !Near(got[i], v, tolerance) {
				t.Errorf("%s %d is %v, want %v", what, i, got[i], v)
			}
		}
	}
	near("mass", want.Mass, got.Mass)
	near("inertia", want.Inertia, got.Inertia)
	near("sum", want.Sum.Data, got.Sum.Data)
	near("square", want.Square, got.Square)
	for i, v := range mass.Data {
		if w := got.CellWeight(i/cols, i%cols); !Near(w, v, tolerance) {
			t.Errorf("mass of cell %d is %v, want %v", i, w, v)
		}
	}
}

// spread compares sums of distances to points of clusters.
func (p *Pair) spread(t *testing.T, m *framework.Model, l *looked) {
	t.Helper()
	points := m.Centers.Clone()
	for i := range points.Data {
		points.Data[i] += 0.25
	}
	got := must.Get(p.Bound.Spread(t.Context(), m, points))(t)
	want := make([]float64, p.Case.K)
	for i, row := range l.cells {
		square := 0.0
		for c, v := range row {
			d := v - points.Row(l.nearest(i))[c]
			square += d * d
		}
		want[l.nearest(i)] += l.weights[i] * math.Sqrt(square)
	}
	if slices.ContainsFunc(want, math.IsNaN) {
		must.Equal(t, []float64(nil), got)
		return
	}
	for j, v := range want {
		if !Near(got[j], v, max(1e-9, p.Case.Slack)) {
			t.Errorf("spread of cluster %d is %v, want %v", j, got[j], v)
		}
	}
}

// crosstab compares counts of rows by two models, and by a column.
func (p *Pair) crosstab(t *testing.T, m, before *framework.Model, l *looked) {
	t.Helper()
	old, k := p.look(t, before), p.Case.K
	want := make([][]int, k)
	for i := range want {
		want[i] = make([]int, k)
	}
	for i := range l.cells {
		want[l.nearest(i)][old.nearest(i)]++
	}
	must.Equal(t, want, must.Get(p.Bound.Crosstab(t.Context(), m, before))(t))

	classes := must.Get(p.Bound.Classes(t.Context(), m, p.Table.KeyName))(t) // each row is a class of its own
	if len(classes) != len(l.cells) {
		t.Fatalf("%d classes of %d rows", len(classes), len(l.cells))
	}
	for i, c := range classes {
		if int(c.Class) != i || c.Rows != 1 || c.Cluster != l.predicted.Labels[i] {
			t.Errorf("row %d: %+v, want cluster %d", i, c, l.predicted.Labels[i])
		}
	}
}

// sample compares samples: their rows are rows, and all where there are no more.
func (p *Pair) sample(t *testing.T) {
	t.Helper()
	rows := map[string]int{}
	counting := 0
	for i := range p.Data.Len() {
		if b, at := framework.Locate(p.Data, i); b.Weight(at) > 0 {
			rows[textOf(framework.Cells(p.Data, i))]++
			counting++
		}
	}
	for _, n := range []int{5, p.Data.Len() + 1} {
		x, weights, err := p.Bound.Sample(t.Context(), n, 3)
		again, _ := must.Get(sampled(p.Bound.Sample(t.Context(), n, 3)))(t), err
		must.Do(t, err)
		must.Equal(t, min(n, counting), x.Rows)
		must.Equal(t, p.Problem.Weighted, weights != nil)
		left := map[string]int{}
		for i := range x.Rows {
			must.Equal(t, textOf(again.Row(i)), textOf(x.Row(i)))
			left[textOf(x.Row(i))]++
		}
		for text, n := range left {
			if n > rows[text] {
				t.Errorf("a row is drawn %d times, and is there %d times", n, rows[text])
			}
		}
	}
}

func sampled(x framework.Matrix, _ []float64, err error) (framework.Matrix, error) { return x, err }

// use compares a table that uses the recipe with one that has learned it.
func (p *Pair) use(t *testing.T, m *framework.Model, l *looked) {
	t.Helper()
	spec := p.Spec
	spec.Want, spec.WantCategories = p.Table.Features, map[string]bool{}
	for _, s := range p.Table.Sources {
		if s.Categorical {
			spec.WantCategories[s.Name] = s.NullLevel
		}
	}
	of := engine.On(p.Engine)
	table := must.Get(of.Use(t.Context(), spec, p.Learnt, matrix.UnseenError))(t)
	must.Equal(t, p.Table.Dropped, table.Dropped)
	p.summary(t, p.bound(t, of), m, l)
}
