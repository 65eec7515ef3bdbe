package export_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// builtIn has all algorithms that come with the program.
var builtIn = library.Here(slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms())...)

// guests are rows with few different numbers, so that many are equally near to two
// centers, with NULLs, and with names that need quotes.
const guests = `CREATE TABLE guests AS SELECT i AS id, i % 5 = 0 AS known,
	if(i % 11 = 0, NULL, hash(i) % 6 + i % 3 * 2) AS a,
	if(i % 7 = 0, NULL, CAST(hash(i + 1) % 8 AS DECIMAL(9, 2)) / 4) AS "say ""hi""",
	if(i % 11 = 0 OR i % 5 = 1, NULL, hash(i + 2) % 100 / 7 + i % 3 * 9) AS "C'1",
	if(i % 13 = 0, NULL, ['x', 'it''s', 'a\b'][(hash(i + 3) % 3)::INTEGER + 1]) AS plan,
	i % 2 = 0 AS "Select", 4 AS constant, [i % 3, hash(i) % 5, 0]::DOUBLE[3] AS x FROM range(800) t(i)`

// a fitting is a fit whose model is exported.
type fitting struct {
	from, rows string // what is fitted, and what is labelled
	s          settings.Settings
	params     map[string]any
	unseen     matrix.Unseen
	exact      bool // no rounding: not one label may differ
}

const (
	numbers    = `SELECT id, a, "say ""hi""", "C'1", constant FROM guests`
	complete   = `SELECT id, a, "say ""hi""", "C'1", constant FROM guests WHERE COLUMNS(*) IS NOT NULL`
	categories = `SELECT id, a, "C'1", plan, "Select" FROM guests`
)

// fits are at least one of each algorithm, and of each way to measure.
var fits = map[string]fitting{
	"kmeans":       {from: numbers, s: settings.Settings{K: 5}},
	"medians":      {from: numbers, s: settings.Settings{K: 4}, params: map[string]any{"loss": "l1"}},
	"one cluster":  {from: numbers, s: settings.Settings{K: 1}},
	"robust":       {from: numbers, s: settings.Settings{K: 3, Scale: "robust"}},
	"filled cells": {from: numbers, s: settings.Settings{K: 3}, params: map[string]any{"missing": "kpod"}},
	"an array":     {from: "SELECT id, x FROM guests", s: settings.Settings{K: 3}},
	"selected":     {from: numbers, s: settings.Settings{K: 4, Algorithm: "skfr"}, params: map[string]any{"sparsity": 2}},
	"selected by cluster": {from: numbers, s: settings.Settings{K: 4, Algorithm: "skfr"}, params: map[string]any{"sparsity": 1,
		"scope": "local"}},
	"weights":           {from: numbers, s: settings.Settings{K: 3, Algorithm: "skm"}, params: map[string]any{"l1_bound": 1.5}},
	"pairs":             {from: complete, s: settings.Settings{K: 3, Algorithm: "pckm"}},
	"weights and pairs": {from: complete, s: settings.Settings{K: 3, Algorithm: "pcskm"}, params: map[string]any{"l1_bound": 1.3}},
	"divided by length": {from: numbers, s: settings.Settings{K: 4, Norm: "l2"}},
	"huge and tiny lengths": {from: "SELECT id, a * u AS a, \"C'1\" * u AS b, constant * u / 8 AS c FROM (SELECT *, if(id % 2 = 0, 1e200, " +
		"1e-200) AS u FROM guests)",
		s: settings.Settings{K: 3, Norm: "l2", Scale: "raw"}},
	"selected of lengths":  {from: numbers, s: settings.Settings{K: 4, Algorithm: "skfr", Norm: "l2"}, params: map[string]any{"sparsity": 2}},
	"spherical":            {from: complete, s: settings.Settings{K: 4, Algorithm: "spherical"}},
	"an array of length 1": {from: "SELECT id, x FROM guests", s: settings.Settings{K: 3, Algorithm: "spherical"}},
	"a metric":             {from: complete, s: settings.Settings{K: 3, Algorithm: "mpckm"}},
	"categories": {from: categories + " WHERE plan IS NOT NULL", rows: categories, params: map[string]any{"lambda": 0.001},
		s: settings.Settings{K: 3, Algorithm: "groupskm", Categorical: []string{"plan", "Select"}}},
	"NULL is a category": {from: categories, params: map[string]any{"lambda": 0.001},
		s: settings.Settings{K: 4, Algorithm: "groupskm", Categorical: []string{"plan", "Select"}, NullCategory: "level"}},
	"unseen ignored": {from: categories + " WHERE plan = 'x' OR plan IS NULL OR plan LIKE 'a%'", rows: categories, unseen: matrix.UnseenIgnore,
		params: map[string]any{"lambda": 0.001}, s: settings.Settings{K: 3, Algorithm: "groupskm", Categorical: []string{"plan"},
			NullCategory: "level",
			Exclude:      []string{"Select"}}},
	"unseen nearest": {from: categories + " WHERE plan = 'x' OR plan IS NULL OR plan LIKE 'a%'", rows: categories,
		unseen: matrix.UnseenNearest,
		params: map[string]any{"lambda": 0.001}, s: settings.Settings{K: 3, Algorithm: "groupskm", Categorical: []string{"plan"},
			NullCategory: "level",
			Exclude:      []string{"Select"}}},
	"ties": {from: "FROM (VALUES (1, 0, 0), (2, 8, 0), (3, 0, 16), (4, 8, 16)) t(id, u, v)", exact: true, s: settings.Settings{K: 4,
		Scale: "raw"},
		rows: "SELECT i AS id, i % 9 AS u, i // 9 AS v FROM range(153) t(i)"},
}

// model fits and stores run "m", and loads its model.
func (f fitting) model(t *testing.T, db *store.DB) *model.Model {
	t.Helper()
	s := settings.Defaults()
	s.Relation, s.ID, s.K, s.Categorical, s.Exclude, s.Restarts, s.Params = f.from, "id", f.s.K, f.s.Categorical, f.s.Exclude, 1,
		map[string]settings.Given{}
	s.Scale, s.Norm = f.s.Scale, f.s.Norm
	if f.s.Algorithm != "" {
		s.Algorithm = f.s.Algorithm
	}
	if f.s.NullCategory != "" {
		s.NullCategory = f.s.NullCategory
	}
	for name, v := range f.params {
		s.Params[name] = settings.Given{Value: v}
	}
	j := must.Get(job.New(s, builtIn))(t)
	defer j.Close()
	must.Do(t, j.Read(t.Context(), db, nil))
	fitted := must.Get(j.Fit(t.Context(), nil))(t)
	tables := must.Get(j.Tables(fitted))(t)
	must.Do(t, db.Write(t.Context(), "m", true, tables))
	return must.Get(model.Load(t.Context(), builtIn, db, "m", "export that"))(t)
}

// labelled is what is said of a row; cluster is −1 where it has none.
type labelled struct {
	cluster          int
	distance, margin float64
}

// predicted labels the rows by predict.
func (f fitting) predicted(t *testing.T, db *store.DB, m *model.Model) map[string]labelled {
	t.Helper()
	spec := input.Spec{Relation: f.relation(), ID: "id", Storage: matrix.Auto}
	p := must.Get(m.Predict(t.Context(), db, spec, 2, unseenOf(f.unseen)))(t)
	rows := make(map[string]labelled, len(p.Assignments.Labels))
	for i, j := range p.Assignments.Labels {
		rows[p.Assignments.Keys.Text(i)] = labelled{int(j), p.Assignments.Distance[i], p.Assignments.Margin[i]}
	}
	return rows
}

func unseenOf(u matrix.Unseen) matrix.Unseen {
	if u == "" {
		return matrix.UnseenError
	}
	return u
}

func (f fitting) relation() string {
	if f.rows != "" {
		return f.rows
	}
	return f.from
}

// check compares rows (key, cluster, distance) of another database with predict's,
// and returns how many have another label: they are equally near to two centers but
// for rounding. Rows that predict drops have no cluster.
func (f fitting) check(t *testing.T, want map[string]labelled, key func(int) (string, int, float64), n int) (ties int) {
	t.Helper()
	if n < len(want) {
		t.Fatalf("%d rows of %d", n, len(want))
	}
	for i := range n {
		id, cluster, distance := key(i)
		w, ok := want[id]
		if !ok {
			w = labelled{cluster: -1}
		}
		switch {
		case w.cluster != cluster && !f.exact && cluster >= 0 && w.margin <= 1e-12*w.distance:
			ties++
		case w.cluster != cluster:
			t.Fatalf("row %s is in cluster %d, predict says %+v", id, cluster, w)
		case cluster >= 0 && math.Abs(distance-w.distance) > 1e-12*w.distance+1e-15:
			t.Fatalf("row %s is %v away, predict says %+v", id, distance, w)
		}
	}
	return ties
}

// ready returns a database with the guests in it.
func ready(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), sqltest.Temp(t, "runs.duckdb"), store.ReadWrite)
	return sqltest.Ready(t, db, err, guests)
}

// statements runs a script of macros.
func statements(t *testing.T, db *store.DB, script string) {
	t.Helper()
	for s := range strings.SplitSeq(script, ";\n") {
		if strings.TrimSpace(s) != "" {
			must.Do(t, db.Exec(t.Context(), s))
		}
	}
}

// text exports a model.
func text(t *testing.T, m *model.Model, o export.Options) string {
	t.Helper()
	return must.Get(export.Text(m, o))(t)
}
