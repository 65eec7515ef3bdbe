package functions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/session"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// Of a fit, what may not depend on who has asked for it.
const outcome = "algorithm, version, seed, n, p, k, objective, maximize, inertia, iterations, converged, stop_reason, model"

// jobIs fits by a job, and writes the result tables that begin with want.
func jobIs(t *testing.T, db *store.DB, s settings.Settings) {
	t.Helper()
	j := must.Get(job.New(s, builtIn))(t)
	defer j.Close()
	must.Do(t, j.Read(t.Context(), db, nil))
	done := must.Get(j.Fit(t.Context(), nil))(t)
	must.Do(t, db.Write(t.Context(), "want", true, must.Get(j.Tables(done))(t)))
}

// fitIs runs a call of cluster_fit, and compares each list of it with the tables of
// jobIs.
func fitIs(t *testing.T, s *session.Session, call string) {
	t.Helper()
	ran(t, s, "CREATE OR REPLACE TEMP TABLE got AS FROM "+call)
	same(t, s, "SELECT "+outcome+" FROM want_fit", "SELECT "+outcome+" FROM got")
	lists := []string{schema.Assignments, schema.Centers, schema.Features, schema.Clusters, schema.Trace}
	if strings.Contains(call, "pairs := ") {
		lists = append(lists, schema.Violations)
	}
	for _, list := range lists {
		same(t, s, "FROM want_"+list, "SELECT unnest("+list+", recursive := true) FROM got")
	}
}

// both opens a file for a job and for statements.
func both(t *testing.T, statements ...string) (*store.DB, *session.Session) {
	t.Helper()
	path := sqltest.Temp(t, "x.duckdb")
	db, err := store.Open(t.Context(), path, store.ReadWrite)
	must.Do(t, sqltest.Ready(t, db, err, statements...).Close()) // so that the file is there, which both then share
	db, err = store.Open(t.Context(), path, store.ReadWrite)
	return sqltest.Ready(t, db, err), opened(t, path)
}

func given(values ...string) map[string]settings.Given {
	all := map[string]settings.Given{}
	for i := 0; i < len(values); i += 2 {
		all[values[i]] = settings.Given{Value: values[i+1]}
	}
	return all
}

// The settings are those that a user of the command would give by flags.
func TestAFitInSQLHasTheBitsOfAJob(t *testing.T) {
	db, s := both(t, wine,
		"CREATE TABLE heart AS SELECT * EXCLUDE HD FROM '../../examples/heart.csv' ORDER BY hash(id)",
		"CREATE TABLE gaps AS SELECT CASE WHEN id % 7 > 0 THEN ash END AS ash, * EXCLUDE ash FROM wine",
		"CREATE TABLE weighed AS SELECT *, (1 + id % 3) / 2 AS times FROM wine",
		"CREATE TABLE links AS SELECT id AS a, id + 1 AS b, if(id % 3 > 0, 'must', 'cannot') AS kind FROM wine WHERE id % 20 = 1",
		"CREATE TABLE parts AS FROM (VALUES ('ash', 'minerals'), ('magnesium', 'minerals'), ('hue', 'look')) v(feature, feature_group)",
		"CREATE TABLE limits AS SELECT 'box' AS kind, 'alcohol' AS feature, 13 AS lo",
		"CREATE TABLE labels AS SELECT id, id % 3 AS cluster FROM wine",
		"CREATE TABLE known AS SELECT id, 'no. ' || id % 3 AS class, CASE WHEN id > 100 THEN 2 END AS weight FROM wine WHERE id % 9 = 0",
		"CREATE TABLE sizes AS SELECT 'size' AS kind, 40 AS lo")
	for name, c := range map[string]struct {
		relation string
		set      func(o *settings.Settings)
		options  string
	}{
		"kmeans": {"wine", func(*settings.Settings) {}, ""},
		"kmeans, medians of fitted rows": {"gaps",
			func(o *settings.Settings) { o.Params, o.Nulls, o.Scale = given("loss", "l1"), "drop", "robust" },
			"loss := 'l1', nulls := 'drop', scale := 'robust'"},
		"kmeans, NULLs kept": {"gaps", func(o *settings.Settings) { o.Params = given("missing", "kpod") }, "params := {'missing': 'kpod'}"},
		"kmeans, settings of the driver": {"wine", func(o *settings.Settings) {
			o.Seed, o.Restarts, o.MaxIter, o.Tol, o.Init, o.InitSpace = 18446744073709551615, 3, 5, 0.1, "maximin", "raw"
		}, "seed := 18446744073709551615, restarts := 3, max_iter := 5, tol := 0.1, init := 'maximin', init_space := 'raw'"},
		"kmeans, weighed": {"weighed", func(o *settings.Settings) { o.Weight = "times" }, "weight := 'times'"},
		"kmeans, a start": {"wine", func(o *settings.Settings) { o.Start = "labels" }, "start := labels"},
		"kmeans, limits":  {"wine", func(o *settings.Settings) { o.Constraints = "limits" }, "constraints := limits"},
		"kmeans, lengths": {"gaps", func(o *settings.Settings) { o.Norm, o.Scale = "l2", "sd_n" }, "norm := 'l2', scale := 'sd_n'"},
		"kmeans, classes": {"wine", func(o *settings.Settings) { o.Labels = "known" }, "labels := known"},
		"kmeans, classes and sizes": {"wine", func(o *settings.Settings) { o.Labels, o.Constraints = "known", "sizes" },
			"labels := known, constraints := sizes"},
		"skfr, a start of classes": {"wine",
			func(o *settings.Settings) { o.Params, o.Labels, o.LabelsAs = given("sparsity", "5"), "known", "start" },
			"sparsity := 5, labels := known, labels_as := 'start'"},
		"pckm, pairs of classes": {"wine", func(o *settings.Settings) { o.Labels, o.LabelsAs = "known", "pairs" },
			"labels := known, labels_as := 'pairs'"},
		"spherical": {"wine", func(*settings.Settings) {}, ""},
		"skfr, features": {"wine", func(o *settings.Settings) { o.Params, o.Features = given("sparsity", "2"), []string{"a*", "hue"} },
			"sparsity := 2, features := ['a*', 'hue']"},
		"skfr, local": {"wine", func(o *settings.Settings) { o.Params, o.Center = given("sparsity", "5", "scope", "local"), "none" },
			"sparsity := 5, scope := 'local', center := 'none'"},
		"skfr, groups": {"wine", func(o *settings.Settings) { o.Params, o.Groups = given("sparsity", "3"), "parts" },
			"params := {sparsity: 3}, groups := parts"},
		"skm": {"gaps", func(o *settings.Settings) { o.Params, o.Exclude = given("l1_bound", "2.5"), []string{"hue"} },
			"l1_bound := 2.5, exclude := 'hue'"},
		"groupskm": {"heart", func(o *settings.Settings) {
			o.Params, o.Categorical = given("lambda", "0.05"), []string{"sex", "thal", "cp"}
		},
			`"lambda" := 0.05, categorical := ['sex', 'thal', 'cp']`},
		"pcskm": {"wine", func(o *settings.Settings) { o.Params, o.Pairs = given("l1_bound", "2"), "links" }, "l1_bound := 2, pairs := links"},
		"pckm": {"wine", func(o *settings.Settings) { o.Params, o.Pairs = given("closure", "true"), "links" },
			"closure := true, pairs := links"},
		"mpckm": {"wine", func(o *settings.Settings) { o.Pairs = "links" }, "pairs := links"},
	} {
		t.Run(name, func(t *testing.T) {
			algorithm, _, _ := strings.Cut(name, ",")
			o := settings.Defaults()
			o.Relation, o.ID, o.K, o.Algorithm = c.relation, "id", 3, algorithm
			c.set(&o)
			jobIs(t, db, o)
			fitIs(t, s, fmt.Sprintf("cluster_fit(%s, 'id', k := 3, algorithm := '%s'%s)", c.relation, algorithm, after(", ", c.options)))
		})
	}
}

func after(comma, text string) string {
	if text == "" {
		return ""
	}
	return comma + text
}

// 9000 rows are three blocks of 4096 of the driver, and five vectors of DuckDB.
func TestABitDependsNeitherOnThreadsNorOnTheOrderOfRows(t *testing.T) {
	db, s := both(t, "CREATE TABLE t AS SELECT i AS id, sin(i * i) + i % 4 AS x, cos(i * 7) AS y, i % 13 AS z FROM range(9000) r(i)",
		"CREATE TABLE u AS FROM t ORDER BY hash(id)")
	o := settings.Defaults()
	o.Relation, o.ID, o.K, o.Restarts = "t", "id", 5, 2
	jobIs(t, db, o)
	for threads := range 4 {
		ran(t, s, fmt.Sprintf("SET threads = %d", threads+1))
		fitIs(t, s, fmt.Sprintf("cluster_fit(u, 'id', k := 5, restarts := 2, threads := %d)", 4-threads))
	}
	same(t, s, "SELECT model FROM want_fit", "SELECT cluster_fit(id, u, {k: 5, restarts: 2}).model FROM u")
	same(t, s, "SELECT model FROM want_fit", "SELECT cluster_fit(id, u, {k: 5, restarts: 2}).model FROM u WHERE id < 3 OR id > -1")
}
