package enginetest

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Only names the cases of the laws; nil: all.
var Only []string

// A law is true of cases: of some, or all (nil).
type law struct {
	name string
	test func(p *Pair, t *testing.T)
	some []string
}

// The laws.
var (
	recipes     = law{name: "recipe", test: (*Pair).recipes}
	fits        = law{name: "fit", test: (*Pair).fits}
	assignments = law{name: "assignments", test: (*Pair).assignments, some: []string{"kmeans of wine", "skfr", "skm of ionosphere",
		"missing cells", "missing cells, drop", "weights and missing cells", "odd names", "one cluster", "categories with NULL",
		"names of results", "a query", "forty clusters", "norm"}}
	starts = law{name: "starts", test: (*Pair).starts, some: []string{"kmeans of wine", "weights and missing cells",
		"categories with NULL", "ties and duplicates"}}
	statements = law{name: "statements", test: (*Pair).statements, some: []string{"kmeans of wine", "skfr", "skm of ionosphere",
		"missing cells", "weights", "weights and missing cells", "one cluster", "two features", "categories with NULL", "enum", "norm",
		"a query", "offsets of 1e8", "missing cells, drop"}}
)

// samples are in statements for the rows that they have, and here for their order.
var samples = law{name: "samples", test: (*Pair).samples,
	some: []string{"kmeans of wine", "weights and missing cells", "categories with NULL", "ties and duplicates"}}

// Laws hold for each case. Its rows are read and learned once.
func Laws(t *testing.T, open Opener) {
	t.Helper()
	hold(t, open, recipes, fits, assignments, starts, statements, samples)
}

// LawsOf is Laws of cases.
func LawsOf(t *testing.T, open Opener, names ...string) {
	t.Helper()
	holdOf(t, open, names, recipes, fits, assignments, starts, statements)
}

// hold runs laws with the cases that they are about.
func hold(t *testing.T, open Opener, laws ...law) {
	t.Helper()
	names := Only
	if names == nil {
		names = slices.Collect(maps.Keys(Cases))
	}
	holdOf(t, open, names, laws...)
}

func holdOf(t *testing.T, open Opener, names []string, laws ...law) {
	t.Helper()
	for _, name := range names {
		of := slices.DeleteFunc(slices.Clone(laws), func(l law) bool { return l.some != nil && !slices.Contains(l.some, name) })
		c, is := Cases[name]
		if !is {
			t.Fatalf("there is no case %q", name)
		}
		if len(of) == 0 {
			continue
		}
		c.Name = name
		t.Run(name, func(t *testing.T) {
			p := c.Bind(t, open)
			for _, l := range of {
				t.Run(l.name, func(t *testing.T) { l.test(p, t) })
			}
		})
	}
}

// Recipes are those of rows here.
func Recipes(t *testing.T, open Opener) { hold(t, open, recipes) }

func (p *Pair) recipes(t *testing.T) {
	Features(t, p.Recipe.Features, p.Learnt.Features)
	Columns(t, p.Problem.Columns, p.Distant.Columns)
	if p.Distant.N != p.Problem.N || !Near(p.Distant.Mass, p.Problem.Mass, 1e-12) {
		t.Errorf("%d rows that weigh %v, want %d and %v", p.Distant.N, p.Distant.Mass, p.Problem.N, p.Problem.Mass)
	}
}

// Fits are those of rows here, and so are the labels that they end with.
func Fits(t *testing.T, open Opener) { hold(t, open, fits) }

func (p *Pair) fits(t *testing.T) {
	want, got := p.Fit(t, p.Start(p.Case.Far))
	Results(t, p.Case, want, got)
	if want.Stop != framework.AllZero {
		predicted := must.Get(fit.Predict(t.Context(), p.C, want.Model.Clone(), p.Data, 2))(t)
		p.compareAssignments(t, p.assigned(t, got.Model), predicted)
	}
}

// Labels of a model there are those that are predicted here.
func (p *Pair) Labels(t *testing.T, m *framework.Model) {
	t.Helper()
	p.compareAssignments(t, p.assigned(t, m), must.Get(fit.Predict(t.Context(), p.C, m.Clone(), p.Data, 2))(t))
}

// assigned returns the assignments of a model.
func (p *Pair) assigned(t *testing.T, m *framework.Model) [][]any {
	t.Helper()
	rows := must.Get(p.Engine.Query(t.Context(), must.Get(p.Bound.Assignments(m))(t)))(t)
	if len(rows) != p.Data.Len()+p.Table.Dropped {
		t.Fatalf("%d rows, want %d and %d left out", len(rows), p.Data.Len(), p.Table.Dropped)
	}
	return rows
}

// compareAssignments compares rows, in the order of those here, with what was predicted.
func (p *Pair) compareAssignments(t *testing.T, rows [][]any, want *fit.Prediction) {
	t.Helper()
	for i, label := range want.Labels {
		if label < 0 {
			must.Equal(t, []any{nil, nil, nil, nil, "no_cells"}, rows[i][1:])
			continue
		}
		must.Equal(t, nil, rows[i][5])
		assignment(t, rows[i], want, i)
	}
	for _, row := range rows[len(want.Labels):] {
		must.Equal(t, []any{nil, nil, nil, nil}, row[1:5])
		if row[5] == nil {
			t.Errorf("row %v is left out for no reason", row[0])
		}
	}
}

// Assignments are what is predicted here, and so is the table of them, which does not
// take the place of another one unless it is told to.
func Assignments(t *testing.T, open Opener) { hold(t, open, assignments) }

func (p *Pair) assignments(t *testing.T) {
	m, target := p.Model(t, 3), "labels of "+p.Case.Name
	want := must.Get(fit.Predict(t.Context(), p.C, m.Clone(), p.Data, 2))(t)
	must.Equal(t, p.Table.Dropped+p.Data.Len(), must.Get(p.Bound.WriteAssignments(t.Context(), m, target, false))(t))
	if _, err := p.Bound.WriteAssignments(t.Context(), m, target, false); framework.AsFault(err) == nil {
		t.Errorf("a table was written over another: %v", err)
	}
	must.Get(p.Bound.WriteAssignments(t.Context(), m, target, true))(t)
	rows := p.assigned(t, m)
	p.compareAssignments(t, rows, want)
	q := p.Engine.Dialect().Quote
	written := must.Get(p.Engine.Query(t.Context(), "SELECT * FROM "+q(target)+" ORDER BY status IS NOT NULL AND status <> 'no_cells', "+
		q(p.Table.KeyName)))(t)
	if p.Table.Dropped == 0 {
		must.Equal(t, rows, written)
	}
	must.Equal(t, len(rows), len(written))
}

// Starts are the same each time, and their centers are rows.
func Starts(t *testing.T, open Opener) { hold(t, open, starts) }

func (p *Pair) starts(t *testing.T) {
	rows := map[string]bool{}
	for i := range p.Data.Len() {
		rows[textOf(framework.Cells(p.Data, i))] = true
	}
	for _, init := range []string{"kmeans||", "random", "maximin"} {
		one := must.Get(p.Bound.Begin(t.Context(), init, fit.Raw, 7, 1))(t)
		again := must.Get(p.Bound.Begin(t.Context(), init, fit.Raw, 7, 1))(t)
		must.Equal(t, one.Centers, again.Centers)
		for j := range p.Case.K {
			if !rows[textOf(one.Centers.Row(j))] {
				t.Errorf("%s: center %d is no row: %v", init, j, one.Centers.Row(j))
			}
		}
	}
	must.Equal(t, p.Case.K, must.Get(p.Bound.Distinct(t.Context(), p.Case.K))(t))
}

// Samples have the same rows in the same order, to the bit, when a database is opened anew, as another process does.
func Samples(t *testing.T, open Opener) { hold(t, open, samples) }

func (p *Pair) samples(t *testing.T) {
	x, weights, err := p.Bound.Sample(t.Context(), 50, 3)
	must.Do(t, err)
	y, others, err := p.Case.Bind(t, p.open).Bound.Sample(t.Context(), 50, 3)
	must.Do(t, err)
	must.Equal(t, weights, others)
	if x.Rows < 10 || x.Rows != y.Rows {
		t.Fatalf("%d rows, and then %d", x.Rows, y.Rows)
	}
	for i, v := range x.Data {
		if math.Float64bits(v) != math.Float64bits(y.Data[i]) {
			t.Fatalf("row %d: %v, and then %v", i/x.Cols, x.Row(i/x.Cols), y.Row(i/x.Cols))
		}
	}
}

// textOf tells rows apart, but for rounding; a missing cell is 0.
func textOf(row []float64) string {
	text := make([]byte, 0, 8*len(row))
	for _, v := range row {
		if v != v {
			v = 0
		}
		v = math.Round(v*1e6) / 1e6
		if v == 0 {
			v = 0 // and not −0
		}
		for b := math.Float64bits(v); ; b >>= 8 {
			if text = append(text, byte(b)); b == 0 {
				break
			}
		}
	}
	return string(text)
}
