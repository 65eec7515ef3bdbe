package duckdb_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil { // relations are files of examples
		panic(err)
	}
	os.Exit(m.Run())
}

// algorithm returns the built-in algorithm of a name.
func algorithm(t *testing.T, name string) framework.Algorithm {
	t.Helper()
	for _, b := range plugins.BuiltIns() {
		for _, a := range b.Algorithms {
			if a.Describe().Name == name {
				return a
			}
		}
	}
	t.Fatalf("no algorithm %q", name)
	return nil
}

// a clustering is a fit of a relation, here and where the rows are.
type clustering struct {
	setup, relation string // SQL before it
	spec            input.Spec
	algorithm       string
	params          map[string]string
	k               int
	scale, center   string
	norm            string
	constraints     []framework.ConstraintRow
	groups          map[string]framework.Group
	maxIter         int
	far             bool // a first center that no row is near to
	tied            bool // rows are equally near to centers but for rounding, which decides who moves
	slack           float64
}

// a pair is a clustering that is bound in both ways.
type pair struct {
	db      *duck.DB
	table   *input.Table
	recipe  matrix.Recipe // here
	data    *matrix.Data
	problem framework.Problem
	c       framework.Clusterer

	away   *engine.Table
	bound  *engine.Bound
	distal framework.Problem // as the engine sees it
	other  framework.Clusterer
	learnt matrix.Recipe
}

// bind reads a relation here, and learns it there.
func (c clustering) bind(t *testing.T) *pair {
	t.Helper()
	p := &pair{db: must.Get(duck.Open(t.Context(), "", duck.ReadWrite, duck.Options{}))(t)}
	t.Cleanup(func() { _ = p.db.Close() })
	if c.setup != "" {
		must.Do(t, p.db.Exec(t.Context(), c.setup))
	}
	a := algorithm(t, c.algorithm)
	params := must.Get(a.Describe().Resolve(c.params))(t)
	spec := c.spec
	spec.Relation, spec.MissingOK, spec.Storage = c.relation, a.Describe().Missing, matrix.Auto
	if spec.ID == "" {
		spec.ID = "id"
	}
	scale := c.scale
	if scale == "" {
		scale = "sd"
	}
	scaling := must.Get(must.Get(matrix.ParseScale(scale, c.center))(t).WithNorm(c.norm))(t)

	p.table = must.Get((&source.DB{DB: p.db}).Read(t.Context(), spec))(t)
	var err error
	if p.data, p.recipe, p.problem, err = matrix.Prepare(p.table.Builder, p.table.Sources, scaling, c.groups); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.data.Close() })
	finish := func(problem framework.Problem) (framework.Problem, framework.Clusterer) {
		problem.K, problem.Params, problem.Seed, problem.Groups = c.k, params, 1, p.problem.Groups
		for l := range problem.Columns {
			problem.Columns[l].Group = p.problem.Columns[l].Group
		}
		if c.constraints != nil {
			problem.Centers = must.Get(declare.Rows(c.constraints, problem))(t)
		}
		return problem, must.Get(a.New(problem))(t)
	}
	p.away = engine.On(duckdb.On(p.db))
	_, learnt, away, _, err := p.away.Learn(t.Context(), spec, scaling)
	if err != nil {
		t.Fatal(err)
	}
	p.problem, p.c = finish(p.problem)
	p.distal, p.other = finish(away)
	p.learnt = learnt
	f := must.Get(means.FormulaOf(p.other, c.algorithm))(t)
	p.bound = must.Get(p.away.Bind(f, p.distal))(t)
	return p
}

// start returns rows as first centers, far from each other in the order of the keys.
func (p *pair) start(far bool) framework.Matrix {
	k, n := p.problem.K, p.data.Len()
	centers := framework.NewMatrix(k, p.problem.P)
	for j := range k {
		for l, v := range framework.Cells(p.data, j*n/k) {
			if v == v {
				centers.Row(j)[l] = v
			}
		}
	}
	if far {
		centers.Row(1)[0] += 1e3
	}
	return centers
}

func (c clustering) settings() fit.Settings {
	s := fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 1, MaxIter: 100, Threads: 2, Empty: framework.Reseed}
	if c.maxIter > 0 {
		s.MaxIter = c.maxIter
	}
	if c.algorithm == "skfr" {
		s.Empty = framework.Origin
	}
	return s
}

// near reports whether two numbers differ by less than rounding may make of sums: see
// near's callers for the tolerance.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

const mice = `CREATE TABLE mice AS SELECT id, COLUMNS('^[pB].*_N$') FROM 'examples/mice_protein.csv' WHERE id % 3 = 0 OR BAD_N IS NULL`

// fits are clusterings of data sets of the examples, and of tables that are odd.
var fits = map[string]clustering{
	"kmeans of wine": {relation: "examples/wine.csv", algorithm: "kmeans", k: 3, spec: input.Spec{Exclude: []string{"class"}}},
	"raw":            {relation: "examples/wine.csv", algorithm: "kmeans", k: 4, scale: "raw", spec: input.Spec{Exclude: []string{"class"}}},
	"sd_n, not centered": {relation: "examples/wine.csv", algorithm: "kmeans", k: 5, scale: "sd_n", center: "none",
		spec: input.Spec{Exclude: []string{"class"}}},
	"skfr": {relation: "examples/wine.csv", algorithm: "skfr", k: 3, params: map[string]string{"sparsity": "6"},
		spec: input.Spec{Exclude: []string{"class"}}},
	"skfr by cluster": {relation: "examples/wine.csv", algorithm: "skfr", k: 3, params: map[string]string{"sparsity": "4", "scope": "local"},
		spec: input.Spec{Exclude: []string{"class"}}},
	"skm": {relation: "examples/wine.csv", algorithm: "skm", k: 3, params: map[string]string{"l1_bound": "2.5"},
		spec: input.Spec{Exclude: []string{"class"}}},
	"skm of ionosphere": {relation: "examples/ionosphere.csv", algorithm: "skm", k: 2, params: map[string]string{"l1_bound": "3"},
		spec: input.Spec{Exclude: []string{"class"}}},
	"groupskm of heart": {relation: "examples/heart.csv", algorithm: "groupskm", k: 3, params: map[string]string{"lambda": "0.01"},
		spec: input.Spec{Exclude: []string{"HD"}, Categorical: []string{"cp", "thal", "sex", "slope"}}},
	"missing cells": {setup: mice, relation: "mice", algorithm: "kmeans", k: 4},
	"missing cells, skfr": {setup: mice, relation: "mice", algorithm: "skfr", k: 4,
		params: map[string]string{"sparsity": "12"}},
	"missing cells, drop": {setup: mice, relation: "mice", algorithm: "kmeans", k: 4,
		spec: input.Spec{Nulls: "drop"}},
	"weights": {relation: "SELECT * EXCLUDE class, [0, 0.3, 1, 2][id % 4 + 1] AS w FROM 'examples/wine.csv'", algorithm: "kmeans", k: 3,
		spec: input.Spec{Weight: "w"}},
	"weights and missing cells": {setup: mice, relation: "SELECT *, [0, 0.3, 1, 2][id % 4 + 1] AS w FROM mice", algorithm: "kmeans", k: 3,
		spec: input.Spec{Weight: "w"}},
	"whole weights, skm": {relation: "SELECT * EXCLUDE class, id % 3 AS w FROM 'examples/wine.csv'", algorithm: "skm", k: 3,
		params: map[string]string{"l1_bound": "2"}, spec: input.Spec{Weight: "w"}},
	"bounds": {relation: "examples/wine.csv", algorithm: "kmeans", k: 3, spec: input.Spec{Exclude: []string{"class"}},
		constraints: []framework.ConstraintRow{{Kind: "box", Feature: new("alcohol"), Lo: new(12.5), Hi: new(13.5)}}},
	"nonnegative": {relation: "examples/wine.csv", algorithm: "kmeans", k: 3, scale: "sd", spec: input.Spec{Exclude: []string{"class"}},
		constraints: []framework.ConstraintRow{{Kind: "nonnegative"}}},
	"offsets of 1e8": {setup: "CREATE VIEW far AS SELECT id, alcohol + 1e8 AS a, ash - 1e8 AS b, proline * 1e-3 AS c FROM 'examples/wine.csv'",
		relation: "far", algorithm: "kmeans", k: 3, scale: "raw", slack: 1e-8}, // cells have an ulp of 1.5e-8 there
	"one feature":  {relation: "SELECT id, proline FROM 'examples/wine.csv'", algorithm: "kmeans", k: 3},
	"two features": {relation: "SELECT id, proline, alcohol FROM 'examples/wine.csv'", algorithm: "kmeans", k: 3},
	"one cluster":  {relation: "examples/wine.csv", algorithm: "kmeans", k: 1, spec: input.Spec{Exclude: []string{"class"}}},
	"ties and duplicates": {relation: "SELECT i AS id, i % 4 AS x, i // 4 % 4 AS y, 7 AS constant FROM range(64) t(i)",
		algorithm: "kmeans", k: 4, scale: "raw", tied: true},
	"odd names": {setup: `CREATE TABLE "o'd ""t" AS SELECT id AS "the ""key""", alcohol AS "c'1", ash AS "Größe \ x", hue AS "select", ` +
		`proline AS r_x0 FROM 'examples/wine.csv'`, relation: `"o'd ""t"`, algorithm: "kmeans", k: 3, spec: input.Spec{ID: `the "key"`}},
	"names of results, NULLs in all": {relation: `SELECT id, alcohol, if(id % 5 = 0, NULL, alcohol) AS status, if(id % 7 = 0, NULL, hue) AS distance, ` +
		`if(id % 35 = 0, NULL, ash) AS "x IS NULL", if(id % 5 = 0, NULL, proline) AS margin FROM 'examples/wine.csv'`, algorithm: "kmeans", k: 3,
		spec: input.Spec{Exclude: []string{"alcohol"}}},
	"categories with NULL": {relation: "SELECT id, age, chol, nullif(cp, 2) AS cp, " +
		"CASE WHEN thal = 3 THEN 'it''s' WHEN thal = 6 THEN 'NULL' END AS thal FROM 'examples/heart.csv'", algorithm: "groupskm", k: 3, params: map[string]string{"lambda": "0.001"},
		spec: input.Spec{Categorical: []string{"cp", "thal"}, NullLevel: true}},
	"enum": {setup: "CREATE TYPE size AS ENUM ('small', 'large', 'medium'); CREATE TABLE e AS SELECT id, alcohol, " +
		"(['large', 'small', 'medium'][id % 3 + 1])::size AS size FROM 'examples/wine.csv'", relation: "e", algorithm: "kmeans", k: 3,
		spec: input.Spec{Categorical: []string{"size"}}},
	"norm": {relation: "examples/wine.csv", algorithm: "kmeans", k: 3, scale: "raw", norm: "l2", spec: input.Spec{Exclude: []string{"class"}}},
	"groups of features, skfr": {relation: "examples/wine.csv", algorithm: "skfr", k: 3, params: map[string]string{"sparsity": "2"},
		spec: input.Spec{Exclude: []string{"class"}}, groups: map[string]framework.Group{
			"alcohol": {Name: "a"}, "ash": {Name: "a"}, "hue": {Name: "b"}, "proline": {Name: "b"}}},
	"a cluster that gets a row": {relation: "SELECT id, alcohol + 1e4 AS a, ash + 1e4 AS b, hue + 1e4 AS c FROM 'examples/wine.csv'", algorithm: "kmeans", k: 4,
		scale: "raw", far: true}, // no row is near 0, where a center without rows goes
	"an empty cluster": {relation: "examples/wine.csv", algorithm: "kmeans", k: 4, spec: input.Spec{Exclude: []string{"class"}}, far: true},
}

func TestRecipesAreThoseOfRowsHere(t *testing.T) {
	for name, c := range fits {
		t.Run(name, func(t *testing.T) {
			p := c.bind(t)
			compareFeatures(t, p.recipe.Features, p.learnt.Features)
			compareColumns(t, p.problem.Columns, p.distal.Columns)
			if p.distal.N != p.problem.N || p.distal.Mass != p.problem.Mass && !near(p.distal.Mass, p.problem.Mass, 1e-12) {
				t.Errorf("%d rows that weigh %v, want %d and %v", p.distal.N, p.distal.Mass, p.problem.N, p.problem.Mass)
			}
		})
	}
}

// compareFeatures compares recipes: locations and scales come from the same sums but for
// rounding, of which there are few here, as sums are exact.
func compareFeatures(t *testing.T, want, got []matrix.Feature) {
	t.Helper()
	const tolerance = 1e-12
	if len(got) != len(want) {
		t.Fatalf("%d features, want %d", len(got), len(want))
	}
	for l, w := range want {
		g := got[l]
		if !near(g.Location, w.Location, tolerance) || !near(g.Scale, w.Scale, tolerance) || !near(g.Share, w.Share, tolerance) {
			t.Errorf("feature %q: %+v, want %+v", w.Name, g, w)
		}
		g.Location, g.Scale, g.Share, g.Group = w.Location, w.Scale, w.Share, w.Group
		must.Equal(t, w, g)
	}
}

// compareColumns compares descriptions of fitted columns, whose units are standard
// deviations, but for raw ones.
func compareColumns(t *testing.T, want, got []framework.Column) {
	t.Helper()
	for l, w := range want {
		g, sd := got[l], math.Sqrt(w.SumSq/math.Max(w.Mass, 1))
		unit := sd + math.Abs(w.Mean)
		if math.Abs(g.Mean-w.Mean) > 1e-12*unit || math.Abs(g.Min-w.Min) > 1e-12*(unit+math.Abs(w.Min)) ||
			math.Abs(g.Max-w.Max) > 1e-12*(unit+math.Abs(w.Max)) || !near(g.SumSq, w.SumSq, 1e-12) || g.Missing != w.Missing ||
			!near(g.Mass, w.Mass, 1e-12) || g.Constant() != w.Constant() {
			t.Errorf("column %q: %+v, want %+v", w.Name, g, w)
		}
	}
}

// Centers are means of sums. Cells differ by what recipes do, 1e-12 and less; the sums are
// exact there and in two parts here. An iteration carries a difference of the centers on only through labels, which
// are the same; so 1e-9 of the unit is never reached, unless a row moves that is equally
// near to two centers but for rounding.
const tolerance = 1e-9

func TestFitsWhereTheRowsAreAreThoseOfRowsHere(t *testing.T) {
	for name, c := range fits {
		t.Run(name, func(t *testing.T) {
			p := c.bind(t)
			centers := p.start(c.far)
			want := must.Get(fit.Run(t.Context(), p.c, p.problem, p.data, fit.Start{Centers: &centers}, c.settings(), nil))(t)
			got := must.Get(fit.Elsewhere(t.Context(), p.other, p.distal, fit.Distant{Passes: p.bound,
				Begin: func(context.Context, int) (fit.Beginning, error) {
					same := centers.Clone()
					return fit.Beginning{Centers: &same}, nil
				}}, c.settings(), nil))(t)
			if got.Stop != want.Stop || got.Iterations != want.Iterations || !near(got.Objective, want.Objective, tolerance) {
				t.Errorf("%s after %d, %v; want %s after %d, %v", got.Stop, got.Iterations, got.Objective, want.Stop, want.Iterations, want.Objective)
			}
			must.Equal(t, want.Model.Selected, got.Model.Selected)
			for i, v := range want.Model.Centers.Data {
				if !near(got.Model.Centers.Data[i], v, tolerance) {
					t.Errorf("center %d, feature %d is %v, want %v", i/p.problem.P, i%p.problem.P, got.Model.Centers.Data[i], v)
				}
			}
			for l, v := range want.Model.FeatureWeights {
				if !near(got.Model.FeatureWeights[l], v, tolerance) {
					t.Errorf("weight %d is %v, want %v", l, got.Model.FeatureWeights[l], v)
				}
			}
			for i, it := range want.Trace {
				if i >= len(got.Trace) {
					break // their number is compared, too
				}
				same := near(got.Trace[i].Objective, it.Objective, max(tolerance, c.slack))
				if got.Trace[i].Moved != it.Moved && !c.tied || !same {
					t.Errorf("iteration %+v, want %+v", got.Trace[i], it)
				}
			}
		})
	}
}
