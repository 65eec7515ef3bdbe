package main

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

const upgradeData = "testdata/upgrade"

// eachVersion runs a test with a copy of what each earlier version has written: old.duckdb,
// beside the files that its runs were made of. testdata/upgrade/README.md says how.
func eachVersion(t *testing.T, test func(t *testing.T, dir string)) {
	t.Helper()
	packed := must.Get(filepath.Glob(upgradeData + "/v*.duckdb.gz"))(t)
	if len(packed) == 0 {
		t.Fatal("there is no version")
	}
	for _, from := range packed {
		t.Run(strings.TrimSuffix(filepath.Base(from), ".duckdb.gz"), func(t *testing.T) {
			dir := t.TempDir()
			for _, csv := range must.Get(filepath.Glob(upgradeData + "/*.csv"))(t) {
				write(t, dir, filepath.Base(csv), string(must.Get(os.ReadFile(csv))(t)))
			}
			file := must.Get(os.Open(from))(t)
			defer func() { _ = file.Close() }()
			unpacked := must.Get(gzip.NewReader(file))(t)
			write(t, dir, "old.duckdb", string(must.Get(io.ReadAll(unpacked))(t)))
			test(t, dir)
		})
	}
}

// oldRuns are the runs in a database.
func oldRuns(t *testing.T, dir string) []store.RunInfo {
	t.Helper()
	db := must.Get(store.Open(t.Context(), filepath.Join(dir, "old.duckdb"), store.ReadOnly))(t)
	defer func() { _ = db.Close() }()
	return must.Get(db.Runs(t.Context()))(t)
}

func TestTablesOfEarlierVersionsAreKnownAndShown(t *testing.T) {
	eachVersion(t, func(t *testing.T, dir string) {
		db := opened(t, dir, "old.duckdb")
		columns := map[string][]string{}
		for _, row := range must.Get(db.Rows(t.Context(),
			"SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal ORDER BY column_index"))(t) {
			columns[row[0].(string)] = append(columns[row[0].(string)], row[1].(string))
		}
		shown := 0
		for _, r := range must.Get(db.Runs(t.Context()))(t) {
			for _, what := range schema.Names() {
				of := columns[r.Name+"_"+what]
				if of == nil {
					continue
				}
				if schema.Grouping(what, of) < 0 {
					t.Errorf("%s of %s is not known by its columns %q", what, r.Name, of)
				}
				if !clustertest.Campaign && r.Name != "skfr" && r.Name != "grouped" {
					continue
				}
				if s, err := db.Shown(t.Context(), r.Name, what); err != nil || s.Rows == 0 && what != schema.Violations {
					t.Errorf("%s of %s is not shown: %v", what, r.Name, err)
				}
				shown++
			}
		}
		if shown < 7 { // of skfr
			t.Errorf("%d tables are shown", shown)
		}
	})
}

// then is the row of a table of predictions.
type then struct {
	cluster  any
	distance any
}

func TestModelsOfEarlierVersionsLabelRowsAsTheyDidThen(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	known := registry.Read(registry.BuiltIns()...).Library(host.Options{})
	eachVersion(t, func(t *testing.T, dir string) {
		db := opened(t, dir, "old.duckdb")
		labelled := 0
		for _, w := range must.Get(db.Written(t.Context()))(t) {
			run := strings.TrimSuffix(w.Name, "_new")
			if w.Kind != store.KindPrediction || run == "grouped" { // that is for a command
				continue
			}
			spec := input.Spec{Relation: filepath.Join(dir, "new.csv")}
			switch run {
			case "words":
				spec.Relation = filepath.Join(dir, "words.csv")
			case "skm", "groupskm", "pcskm", "pckm", "mpckm":
				spec.Nulls = "drop"
			}
			m := must.Get(model.Load(t.Context(), known, db, run, "test it"))(t)
			got := must.Get(m.Predict(t.Context(), db, spec, 1, matrix.UnseenError))(t).Assignments
			want := map[any]then{}
			for _, row := range must.Get(db.Rows(t.Context(), "FROM "+schema.Quote(w.Name)))(t) {
				want[row[0]] = then{row[1], row[2]}
			}
			for i := range got.Keys.Len() {
				was := want[got.Keys.Value(i)]
				if fmt.Sprint(was.cluster) != fmt.Sprint(got.Labels[i]) || math.Abs(was.distance.(float64)-got.Distance[i]) > 1e-12*got.Distance[i] {
					t.Errorf("%s: row %v has cluster %d at %v, and had %v at %v",
						run, got.Keys.Value(i), got.Labels[i], got.Distance[i], was.cluster, was.distance)
				}
			}
			if left := len(want) - got.Keys.Len() - got.Dropped.Len(); left != 0 {
				t.Errorf("%s: %d rows more were labelled then", run, left)
			}
			labelled++
		}
		if labelled < 6 {
			t.Errorf("there are predictions by %d runs", labelled)
		}
	})
}

// What else is done with a run: each command succeeds, or says that the run has to be made
// again, or that it has no single model.
func TestCommandsTakeRunsOfEarlierVersions(t *testing.T) {
	eachVersion(t, func(t *testing.T, dir string) {
		if !clustertest.Campaign && !strings.HasSuffix(t.Name(), "/v0.1.0") && !strings.HasSuffix(t.Name(), "/v0.7.0") {
			return
		}
		for _, r := range oldRuns(t, dir) {
			if !clustertest.Campaign && r.Name != "skfr" {
				continue
			}
			relation := map[string]string{"words": "words.csv"}[r.Name]
			for _, args := range [][]string{
				{"export", r.Name, "--as", "macro"}, {"report", r.Name, "--out", "page.html", "--force"}, {"stability", r.Name, "--draws", "2"},
				{"show", r.Name, "params"}, {"score", r.Name}, {"diff", r.Name, r.Name}, {"predict", r.Name, cmp.Or(relation, "rows.csv")},
			} {
				if o := sqlcluster(t, dir, append(args, "--db", "old.duckdb", "-q")...); o.code != 0 && !rightlyRefused(r, args[0], o.stderr) {
					t.Errorf("%q: %s", args, o.stderr)
				}
			}
		}
	})
}

// rightlyRefused reports whether the message says why a command cannot use the run.
func rightlyRefused(r store.RunInfo, command, message string) bool {
	switch {
	case strings.Contains(message, "[run-has-groups]"):
		return r.Groups > 0
	case strings.Contains(message, "[run-is-a-path]"), strings.Contains(message, "[run-is-a-stability]"):
		return r.Fit.IsPath()
	}
	ofRun := map[string]string{"batch": "[batch-and-draws]", "crossed": "[pairs-of-classes]"}[r.Name]
	return command == "stability" && (strings.Contains(message, "[run-not-repeatable]") || ofRun != "" && strings.Contains(message, ofRun))
}

func TestRunsOfEarlierVersionsAreReplacedAndDropped(t *testing.T) {
	eachVersion(t, func(t *testing.T, dir string) {
		succeed(t, dir, "fit", "rows.csv", "--id", "id", "--features", "a,b", "-k", "2", "-q",
			"--db", "old.duckdb", "--into", "skfr", "--replace")
		db := must.Get(store.Open(t.Context(), filepath.Join(dir, "old.duckdb"), store.ReadWrite))(t)
		defer func() { _ = db.Close() }()
		if fit := must.Get(db.LoadModel(t.Context(), "skfr"))(t); fit.K != 2 || fit.P != 2 {
			t.Errorf("after --replace, the run has k %d and %d features", fit.K, fit.P)
		}
		dropped := []string{"skfr", "local", "local_new"}
		if clustertest.Campaign {
			dropped = nil
			for _, r := range must.Get(db.Runs(t.Context()))(t) {
				dropped = append(dropped, r.Name)
			}
			for _, w := range must.Get(db.Written(t.Context()))(t) {
				dropped = append(dropped, w.Name)
			}
		}
		before := must.Get(db.Tables(t.Context()))(t)
		for _, name := range dropped {
			must.Get(db.Drop(t.Context(), name))(t)
		}
		after := must.Get(db.Tables(t.Context()))(t)
		if gone := len(before) - len(after); gone != 15 && !clustertest.Campaign { // 7 tables of each run
			t.Errorf("%d tables were dropped", gone)
		}
		for _, table := range after {
			if clustertest.Campaign && !strings.HasPrefix(table.Name, "kept") { // of cluster_fit, a table of the user's
				t.Errorf("the table %s is left", table.Name)
			}
		}
	})
}

// A value that cluster_fit returned, in a table of the user's, is still a model.
func TestValuesOfEarlierVersionsLabelRowsAsTheyDidThen(t *testing.T) {
	eachVersion(t, func(t *testing.T, dir string) {
		if v := strings.TrimPrefix(t.Name(), "TestValuesOfEarlierVersionsLabelRowsAsTheyDidThen/v"); v < "0.4.0" {
			return // there were no functions
		}
		// The run skfr is of the same fit.
		o := succeed(t, dir, "sql", "old.duckdb", "-q", "-o", "jsonl", "-c", `FROM cluster_clusters(kept) SELECT cluster WHERE cluster = 2;
			FROM cluster_features(kept) SELECT feature, selected, gain EXCEPT FROM skfr_features SELECT feature, selected, gain;
			SELECT r.id FROM 'new.csv' r JOIN kept_new o ON o.id = r.id, kept WHERE o.cluster <> cluster_predict(kept.model, r)`)
		equal(t, "{\"cluster\":2}\n", o.stdout, "a cluster, and then what differs")
	})
}
