package duckdb_test

import (
	"context"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A listener is an engine that notes the largest answer.
type listener struct {
	*duckdb.Engine
	most int // rows
}

func (l *listener) Query(ctx context.Context, statement string) ([][]any, error) {
	rows, err := l.Engine.Query(ctx, statement)
	l.most = max(l.most, len(rows))
	return rows, err
}

// open returns an engine in memory.
func open(t *testing.T) *listener {
	t.Helper()
	e := must.Get(duckdb.Open(t.Context(), "", duck.ReadWrite))(t)
	t.Cleanup(func() { _ = e.Close() })
	return &listener{Engine: e}
}

// raw binds a relation for kmeans, whose cells stay as they are.
func raw(t *testing.T, e engine.Engine, relation, weight string, k int) *engine.Bound {
	t.Helper()
	away := engine.On(e)
	_, _, p, _, err := away.Learn(t.Context(), input.Spec{Relation: relation, ID: "id", Weight: weight, MissingOK: true},
		matrix.Scaling{Center: "none", Scale: "none"})
	must.Do(t, err)
	a := enginetest.Algorithm(t, "kmeans")
	p.K, p.Params = k, must.Get(a.Describe().Resolve(nil))(t)
	c := must.Get(a.New(p))(t)
	return must.Get(away.Bind(must.Get(means.FormulaOf(c, "kmeans"))(t), p))(t)
}

func modelOf(k, p int, centers ...float64) *framework.Model {
	return &framework.Model{Centers: framework.Matrix{Rows: k, Cols: p, Data: centers}}
}

func TestRowsThatChangeBetweenPassesAreTold(t *testing.T) {
	for name, change := range map[string]string{
		"one more":      "INSERT INTO t VALUES (1000, 3, 4, 1)",
		"one less":      "DELETE FROM t WHERE id = 17",
		"another cell":  "UPDATE t SET b = b + 1e-7 WHERE id = 17",
		"a new row":     "UPDATE t SET a = 1e9, b = -1e9 WHERE id = 17",
		"a lost cell":   "UPDATE t SET a = NULL WHERE id = 17",
		"a weight":      "UPDATE t SET w = 2 WHERE id = 17",
		"a weight of 0": "UPDATE t SET w = 0 WHERE id = 17",
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t)
			must.Do(t, e.Exec(t.Context(),
				"CREATE TABLE t AS SELECT i AS id, nullif(sin(i), sin(5)) AS a, cos(i) AS b, 1.0 AS w FROM range(100) r(i)"))
			b := raw(t, e, "t", "w", 2)
			one, two := modelOf(2, 2, -1, 0, 1, 0), modelOf(2, 2, 0.1, -1, 0.2, 1)
			must.Get(b.Assign(t.Context(), one, nil))(t)
			must.Get(b.Assign(t.Context(), two, one))(t)
			must.Get(b.Summarise(t.Context(), two))(t)
			must.Do(t, e.Exec(t.Context(), change))
			_, err := b.Assign(t.Context(), one, two)
			must.Fault(t, err, "rows-changed")
			if name != "another cell" {
				return
			}
			must.Do(t, e.Exec(t.Context(), "DELETE FROM t WHERE id = 3"))
			_, err = b.Summarise(t.Context(), two)
			must.Fault(t, err, "rows-changed")
		})
	}
}

func TestAQueryThatGivesOtherRowsEachTimeIsTold(t *testing.T) {
	b := raw(t, open(t), "SELECT i AS id, random() AS a FROM range(100) r(i)", "", 2)
	m := modelOf(2, 1, 0, 1)
	_, err := b.Assign(t.Context(), m, nil)
	must.Do(t, err)
	_, err = b.Assign(t.Context(), m, m)
	must.Fault(t, err, "rows-changed")
}

// Of 60 000 rows, three differ. Two of these are far from their center, and one is drawn in a start only if it is looked for.
func TestNoMoreRowsComeHereThanDiffer(t *testing.T) {
	e := open(t)
	b := raw(t, e, "SELECT i AS id, CASE i WHEN 77 THEN 1 WHEN 78 THEN 2 ELSE 0 END AS a, 1 + i % 3 AS w FROM range(60000) r(i)", "w", 3)
	m := modelOf(3, 1, 0.5, 9, 99)
	far := must.Get(b.Farthest(t.Context(), m, m, 3))(t)
	must.Equal(t, []fit.FarRow{{Cells: []float64{2}, Weight: 1}, {Cells: []float64{0}, Weight: 1}, {Cells: []float64{1}, Weight: 3}}, far)
	begun := must.Get(b.Begin(t.Context(), "random", fit.Fitted, 1, 0))(t)
	seen := map[float64]bool{}
	for _, v := range begun.Centers.Data {
		seen[v] = true
	}
	must.Equal(t, map[float64]bool{0: true, 1: true, 2: true}, seen)
	if e.most > 48 { // 8 · 2k
		t.Errorf("%d rows came", e.most)
	}
}

func TestFingerprintsKnowTheCategories(t *testing.T) {
	fingerprint := func(other string) string {
		_, _, _, f, err := engine.On(open(t)).Learn(t.Context(), input.Spec{Relation: "SELECT i AS id, i AS x, if(i % 2 = 0, 'a', '" + other +
			"') AS c FROM range(9) r(i)", ID: "id", Categorical: []string{"c"}}, matrix.Scaling{Center: "mean", Scale: "sd"})
		must.Do(t, err)
		return f
	}
	must.Equal(t, fingerprint("b"), fingerprint("b"))
	if fingerprint("b") == fingerprint("c") {
		t.Error("categories of other names have the same fingerprint")
	}
}

func TestNewRowsWhoseSquaresOverflowAreRefused(t *testing.T) {
	e := open(t)
	away := engine.On(e)
	learned := input.Spec{Relation: "SELECT i AS id, i AS x FROM range(9) r(i)", ID: "id"}
	_, r, _, _, err := away.Learn(t.Context(), learned, matrix.Scaling{Center: "mean", Scale: "sd"})
	must.Do(t, err)
	used := input.Spec{Relation: "SELECT i AS id, i * 1e200 AS x FROM range(9) r(i)", ID: "id", Want: []string{"x"}}
	_, err = engine.On(e).Use(t.Context(), used, r, "")
	must.Fault(t, err, "values-too-large")
}
