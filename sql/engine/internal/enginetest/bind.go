package enginetest

import (
	"context"
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
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// An Opener makes the relation of a case, which a database has, known to an engine. It
// returns the engine and the relation there.
type Opener func(t *testing.T, db *duck.DB, c Case) (e engine.Engine, relation string)

// A Pair is a case that is bound in both ways.
type Pair struct {
	Case    Case
	DB      *duck.DB
	Table   *input.Table // as it is read here
	Recipe  matrix.Recipe
	Data    *matrix.Data
	Problem framework.Problem
	C       framework.Clusterer

	Engine  engine.Engine
	Spec    input.Spec
	There   *engine.Table
	Bound   *engine.Bound
	Learnt  matrix.Recipe
	Distant framework.Problem // as the engine sees it
	Other   framework.Clusterer

	open Opener
}

// Algorithm returns the built-in algorithm of a name.
func Algorithm(t *testing.T, name string) framework.Algorithm {
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

// scaling is how features are scaled.
func (c Case) scaling(t *testing.T) matrix.Scaling {
	t.Helper()
	scale := c.Scale
	if scale == "" {
		scale = "sd"
	}
	return must.Get(must.Get(matrix.ParseScale(scale, c.Center))(t).WithNorm(c.Norm))(t)
}

// Bind reads the relation here, and learns it there.
func (c Case) Bind(t *testing.T, open Opener) *Pair {
	t.Helper()
	p := &Pair{Case: c, DB: must.Get(duck.Open(t.Context(), "", duck.ReadWrite, duck.Options{}))(t)}
	t.Cleanup(func() { _ = p.DB.Close() })
	if c.Setup != "" {
		must.Do(t, p.DB.Exec(t.Context(), c.Setup))
	}
	spec := c.Spec
	spec.Relation, spec.MissingOK, spec.Storage = c.Here(), Algorithm(t, c.Algorithm).Describe().Missing, matrix.Auto
	if spec.ID == "" {
		spec.ID = "id"
	}
	p.Table = must.Get((&source.DB{DB: p.DB}).Read(t.Context(), spec))(t)
	var err error
	if p.Data, p.Recipe, p.Problem, err = matrix.Prepare(p.Table.Builder, p.Table.Sources, c.scaling(t), c.Groups); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Data.Close() })
	p.bindThere(t, open, spec)
	return p
}

// bindThere learns the relation where the rows are, and binds both.
func (p *Pair) bindThere(t *testing.T, open Opener, spec input.Spec) {
	t.Helper()
	c := p.Case
	p.open = open
	p.Engine, spec.Relation = open(t, p.DB, c)
	p.Spec, p.There = spec, engine.On(p.Engine)
	_, learnt, away, _, err := p.There.Learn(t.Context(), spec, c.scaling(t))
	if err != nil {
		t.Fatal(err)
	}
	p.Learnt = learnt
	p.Problem, p.C = p.finish(t, p.Problem, c.K)
	p.Distant, p.Other = p.finish(t, away, c.K)
	p.Bound = p.bound(t, p.There)
}

// There learns a relation where the rows are, of which nothing is read here, and binds it.
func (c Case) There(t *testing.T, e engine.Engine, relation string) *Pair {
	t.Helper()
	p := &Pair{Case: c, Engine: e, There: engine.On(e), Spec: c.Spec}
	p.Spec.Relation, p.Spec.MissingOK = relation, Algorithm(t, c.Algorithm).Describe().Missing
	if p.Spec.ID == "" {
		p.Spec.ID = "id"
	}
	_, learnt, problem, _, err := p.There.Learn(t.Context(), p.Spec, c.scaling(t))
	if err != nil {
		t.Fatal(err)
	}
	p.Learnt, p.Problem = learnt, problem
	p.Distant, p.Other = p.finish(t, problem, c.K)
	p.Bound = p.bound(t, p.There)
	return p
}

// bound binds a table of an engine.
func (p *Pair) bound(t *testing.T, of *engine.Table) *engine.Bound {
	t.Helper()
	f := must.Get(means.FormulaOf(p.Other, p.Case.Algorithm))(t)
	return must.Get(of.Bind(f, p.Distant))(t)
}

// finish completes a problem, and makes its clusterer.
func (p *Pair) finish(t *testing.T, problem framework.Problem, k int) (framework.Problem, framework.Clusterer) {
	t.Helper()
	a := Algorithm(t, p.Case.Algorithm)
	problem.K, problem.Params, problem.Seed, problem.Groups = k, must.Get(a.Describe().Resolve(p.Case.Params))(t), 1, p.Problem.Groups
	for l := range problem.Columns {
		problem.Columns[l].Group = p.Problem.Columns[l].Group
	}
	if p.Case.Constraints != nil {
		problem.Centers = must.Get(declare.Rows(p.Case.Constraints, problem))(t)
	}
	return problem, must.Get(a.New(problem))(t)
}

// Here is the relation in DuckDB.
func (c Case) Here() string {
	if c.Where == "" {
		return c.Relation
	}
	return "SELECT * FROM '" + c.Relation + "' WHERE " + c.Where
}

// Start returns rows as first centers, far from each other in the order of the keys.
func (p *Pair) Start(far bool) framework.Matrix {
	k, n := p.Problem.K, p.Data.Len()
	centers := framework.NewMatrix(k, p.Problem.P)
	for j := range k {
		for l, v := range framework.Cells(p.Data, j*n/k) {
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

// From is the rows that are there, with a start.
func (p *Pair) From(centers framework.Matrix) fit.Distant {
	return fit.Distant{Passes: p.Bound, Begin: func(context.Context, int) (fit.Beginning, error) {
		same := centers.Clone()
		return fit.Beginning{Centers: &same}, nil
	}}
}

// Settings are those of the fit.
func (c Case) Settings() fit.Settings {
	s := fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 1, MaxIter: 100, Threads: 2, Empty: framework.Reseed}
	if c.MaxIter > 0 {
		s.MaxIter = c.MaxIter
	}
	if c.Algorithm == "skfr" {
		s.Empty = framework.Origin
	}
	return s
}

// Fit fits the rows that are here and those that are there, from the same start.
func (p *Pair) Fit(t *testing.T, centers framework.Matrix) (here, there *fit.Result) {
	t.Helper()
	of := centers.Clone()
	here = must.Get(fit.Run(t.Context(), p.C, p.Problem, p.Data, fit.Start{Centers: &of}, p.Case.Settings(), nil))(t)
	there = must.Get(fit.Elsewhere(t.Context(), p.Other, p.Distant, p.From(centers), p.Case.Settings(), nil))(t)
	return here, there
}

// Model returns a model of centers that differ in all features, from rows.
func (p *Pair) Model(t *testing.T, iterations int) *framework.Model {
	t.Helper()
	centers := p.Start(false)
	s := p.Case.Settings()
	s.MaxIter = iterations
	return must.Get(fit.Run(t.Context(), p.C, p.Problem, p.Data, fit.Start{Centers: &centers}, s, nil))(t).Model
}
