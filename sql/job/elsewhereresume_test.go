package job_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// inDuck is a table of DuckDB as jobs have it.
type inDuck struct{ *engine.Table }

func (r inDuck) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (l distant.Learned, err error) {
	l.Table, l.Recipe, l.Problem, l.Fingerprint, err = r.Table.Learn(ctx, spec, s)
	return l, err
}

func (r inDuck) Bind(f means.Formula, p framework.Problem) (distant.Bound, error) {
	return r.Table.Bind(f, p)
}

// blobs are 150 rows of three columns, in three clusters by the first two.
const blobs = `CREATE TABLE blobs AS SELECT i AS id, hash(i) % 100 + 200 * (i % 3) AS a, hash(i + 1000) % 100 + 150 * (i % 3 // 2) AS b,
	hash(i + 2000) % 100 AS c FROM range(150) t(i)`

// tuned is a tuning of blobs in DuckDB, which each process makes anew.
type tuned struct {
	change func(*settings.Settings)
	grid   string
	method string
	path   string // of the database, with the tables of the run
}

var errPower = errors.New("the power is off")

// open opens the database as a new process does, and looks at the rows.
func (u tuned) open(t *testing.T) (*store.DB, *job.ElsewhereTuning, func()) {
	t.Helper()
	db := must.Get(store.Open(t.Context(), u.path, store.ReadWrite))(t)
	if _, err := db.Rows(t.Context(), "FROM blobs LIMIT 1"); err != nil {
		must.Do(t, db.Exec(t.Context(), blobs))
	}
	s, o := settings.Defaults(), settings.DefaultTuneOptions()
	s.Relation, s.ID, s.Ks, s.Restarts, s.Threads = "blobs", "id", "2:4", 2, 1
	s.Origins = map[string]string{"k": "flag"}
	o.Method, o.Draws = u.method, 3
	u.change(&s)
	var g settings.Grid
	if u.grid != "" {
		g = must.Get(settings.NewGrid(longLibrary, s.Algorithm, u.grid, 20))(t)
	}
	e := duckdb.On(db.DB.DB.DB)
	tuning := must.Get(job.NewElsewhereTuning(s, longLibrary, g, o, job.ElsewhereOptions{Engine: "duckdb"}))(t)
	must.Do(t, tuning.Read(t.Context(), db, inDuck{engine.On(e)}))
	return db, tuning, func() {
		tuning.Close()
		must.Do(t, e.Close())
		must.Do(t, db.Close())
	}
}

// process makes the tuning, or goes on with it, keeps what is done, and ends after so many things were kept; 0: not before
// the end. It returns all tables.
func (u tuned) process(t *testing.T, resume bool, most int) (*result.Tune, error) {
	t.Helper()
	db, tuning, ends := u.open(t)
	defer ends()
	keepSoFar := func(ctx context.Context) error {
		r, p, err := tuning.SoFar()
		must.Do(t, err)
		return db.KeepTune(ctx, "run", r, p)
	}
	if resume {
		there := must.Get(db.Standing(t.Context(), "run"))(t)
		of, was, err := db.LoadTune(t.Context(), "run")
		must.Do(t, err)
		must.Do(t, tuning.Resume(of, was, there.At))
	} else {
		begun := must.Get(tuning.Begun())(t)
		_, p, err := tuning.SoFar()
		must.Do(t, err)
		must.Do(t, db.BeginTune(t.Context(), "run", false, begun, p))
	}
	ended := func(err error) error {
		if most--; most == 0 {
			return errors.Join(err, errPower)
		}
		return err
	}
	tuning.Keep = func(ctx context.Context, draws []result.TuneDraw) error { return ended(db.AddDraws(ctx, "run", draws)) }
	tuning.KeepPoint = func(ctx context.Context) error { return ended(keepSoFar(ctx)) }
	tuning.KeepStand = func(at fit.Stand) error {
		return ended(db.KeepProgress(t.Context(), "run", nil, must.Get(tuning.Progress(at))(t)))
	}
	if err := tuning.Run(t.Context(), nil); err != nil {
		return nil, err
	}
	done, err := tuning.FitChosen(t.Context(), nil)
	if err != nil {
		return nil, err
	}
	tables := must.Get(tuning.Tables(done, ""))(t)
	must.Do(t, db.WriteTune(t.Context(), "run", true, tables))
	if there := must.Get(db.Standing(t.Context(), "run"))(t); !there.Ended || there.Fit != nil {
		t.Errorf("%+v is left of a tuning that has ended", there)
	}
	return tables, nil
}

// tunings are those that are interrupted: of all rows, and of a sample.
var tunings = map[string]tuned{
	"all rows": {change: func(*settings.Settings) {}, method: "silhouette,calinski-harabasz,davies-bouldin"},
	"all rows, some features": {change: func(s *settings.Settings) {
		s.Algorithm, s.Params = "skfr", map[string]settings.Given{"sparsity": {Value: 2}}
	}, method: "calinski-harabasz"},
	"a sample":           {change: func(s *settings.Settings) { s.Ks = "2:3" }},
	"a sample, features": {change: func(s *settings.Settings) { s.Algorithm, s.Ks = "skfr", "2:3" }, grid: "1,2"},
}

// sameTune compares all that is no clock's: draws are made in any order, and a restored run has its rows sorted.
var sameTune = cmp.Options{cmpopts.IgnoreTypes(result.Run{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(result.Tune{}, "Keys"), cmpopts.IgnoreFields(result.Assignments{}, "Keys", "Dropped"),
	cmpopts.SortSlices(func(a, b result.TuneDraw) bool {
		return a.Kind < b.Kind || a.Kind == b.Kind && (a.Draw < b.Draw || a.Draw == b.Draw && a.Point < b.Point)
	})}

func TestATuningInAnEngineThatEndsAfterAllThatItKeepsGoesOnToTheSameBits(t *testing.T) {
	for name, u := range tunings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u.path = filepath.Join(t.TempDir(), "whole.duckdb")
			want := must.Get(u.process(t, false, 0))(t)
			u.path = filepath.Join(t.TempDir(), "cut.duckdb")
			got, err := u.process(t, false, 1)
			processes := 1
			for ; errors.Is(err, errPower); processes++ {
				got, err = u.process(t, true, 1)
			}
			must.Do(t, err)
			if d := cmp.Diff(want, got, sameTune); d != "" || want.Final.Fit.Model == "" || want.Final.Fit.Model != got.Final.Fit.Model {
				t.Error(d)
			}
			if processes < 8 { // three points of two starts, or three draws and the fit of the chosen point
				t.Errorf("only %d processes", processes)
			}
		})
	}
}

func TestATuningInAnEngineThatIsAnotherOneDoesNotGoOn(t *testing.T) {
	u := tunings["all rows"]
	u.path = filepath.Join(t.TempDir(), "cut.duckdb")
	if _, err := u.process(t, false, 3); !errors.Is(err, errPower) {
		t.Fatal(err)
	}
	refused := func(u tuned, says string) {
		t.Helper()
		db, tuning, ends := u.open(t)
		defer ends()
		there := must.Get(db.Standing(t.Context(), "run"))(t)
		of, was, err := db.LoadTune(t.Context(), "run")
		must.Do(t, err)
		err = tuning.Resume(of, was, there.At)
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data || strings.Join(f.Details, "; ") != says {
			t.Errorf("%v: %q, want %q", err, f.Details, says)
		}
	}
	other := u
	other.change = func(s *settings.Settings) { s.Ks, s.Seed = "2:5", 7 }
	refused(other, "k was 2:4, and is 2:5; seed was 1, and is 7")
	other = u
	other.method = "silhouette"
	refused(other, "method was silhouette,calinski-harabasz,davies-bouldin, and is silhouette")
	db := must.Get(store.Open(t.Context(), u.path, store.ReadWrite))(t)
	must.Do(t, db.Exec(t.Context(), "UPDATE blobs SET a = a + 1 WHERE id = 7"))
	must.Do(t, db.Close())
	refused(u, "the rows have changed")
}
