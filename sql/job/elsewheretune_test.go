package job

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

func TestAPathElsewhereIsTheOneHere(t *testing.T) {
	s := withStart()["skfr"]
	s.Params = nil
	g := must.Get(settings.NewGrid(builtIn, "skfr", "1:5", 20))(t)
	src := startOfFew()
	here := must.Get(NewPath(s, builtIn, g, PathOptions{}))(t)
	defer here.Close()
	must.Do(t, here.Read(t.Context(), src, nil))
	must.Do(t, here.Run(t.Context(), nil))
	want := must.Get(here.Tables(""))(t)
	there := must.Get(NewElsewherePath(s, builtIn, g, PathOptions{}, inDuckDB))(t)
	defer there.Close()
	must.Do(t, there.Read(t.Context(), src, &away{ready: src.ready}))
	ended := 0
	must.Do(t, there.Run(t.Context(), func(done, _ int, _ *tune.Point) { ended = done }))
	got := must.Get(there.Tables(""))(t)
	if d := gocmp.Diff(want.Points, got.Points, bySums); d != "" || ended != 5 {
		t.Errorf("%d ended: %s", ended, d)
	}
	if d := gocmp.Diff(want.Features, got.Features, bySums); d != "" {
		t.Error(d)
	}
}

func TestATuningElsewhereJudgesAsOneHere(t *testing.T) {
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks, s.Restarts = "", 0, "2:5", 100 // so that both find the best clusters
	o := settings.DefaultTuneOptions()
	o.Method = "calinski-harabasz,davies-bouldin,silhouette"
	src := startOfFew()
	here := must.Get(NewTuning(s, builtIn, settings.Grid{}, o))(t)
	defer here.Close()
	must.Do(t, here.Read(t.Context(), noClasses{src}, nil))
	must.Do(t, here.Run(t.Context(), nil))
	want := must.Get(here.Tables(nil, ""))(t)
	there := must.Get(NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB))(t)
	defer there.Close()
	must.Do(t, there.Read(t.Context(), src, &away{ready: src.ready}))
	must.Do(t, there.Run(t.Context(), func(int, int) {}))
	got := must.Get(there.Tables(nil, ""))(t)
	if d := gocmp.Diff(want.Values, got.Values, bySums); d != "" {
		t.Error(d)
	}
	if here.Chosen() != there.Chosen() || len(got.Draws) != 4 {
		t.Errorf("%d and %d chosen; %v", here.Chosen(), there.Chosen(), got.Draws)
	}
	done := must.Get(there.FitChosen(t.Context(), nil))(t)
	tables := must.Get(there.Tables(done, ""))(t)
	if k := there.Points[there.Chosen()].K; tables.Final == nil || tables.Final.Fit.K != k || tables.Final.Assignments.From == "" {
		t.Errorf("%+v", tables.Final)
	}
}

func TestATuningElsewhereRefusesAScoreThatNeedsRowsWithMissingCells(t *testing.T) {
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks = "", 0, "2:3"
	for method, refused := range map[string]bool{"davies-bouldin": true, "silhouette,davies-bouldin": true, "silhouette": false} {
		for _, cell := range []float64{1, math.NaN()} {
			src := startOfFew()
			src.rows.Row(4)[1] = cell
			o := settings.DefaultTuneOptions()
			o.Method = method
			there := must.Get(NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB))(t)
			err := there.Read(t.Context(), src, &away{ready: src.ready})
			if refused && cell != cell {
				if f := framework.AsFault(err); f == nil || f.Code != "needs-rows" {
					t.Errorf("%s: %v", method, err)
				}
			} else if err != nil {
				t.Errorf("%s, a cell of %g: %v", method, cell, err)
			}
			there.Close()
		}
	}
}

// noClasses is a source without classes.
type noClasses struct{ Source }

func (noClasses) CheckTruth(context.Context, string, string) error { return errors.ErrUnsupported }

func (noClasses) ReadClasses(context.Context, string, string, *input.Table) ([]int32, error) {
	return nil, errors.ErrUnsupported
}

// judge makes a tuning of rows in an engine, and one of the same rows here.
func judge(t *testing.T, s settings.Settings, g settings.Grid, o settings.TuneOptions) (here *Tuning, there *ElsewhereTuning, passes *int) {
	src := startOfFew()
	rows := &away{ready: src.ready}
	here = must.Get(NewTuning(withoutRows(s), builtIn, g, o))(t)
	t.Cleanup(here.Close)
	must.Do(t, here.Read(t.Context(), noClasses{src}, nil))
	must.Do(t, here.Run(t.Context(), nil))
	there = must.Get(NewElsewhereTuning(s, builtIn, g, o, inDuckDB))(t)
	t.Cleanup(there.Close)
	must.Do(t, there.Read(t.Context(), src, rows))
	must.Do(t, there.Run(t.Context(), nil))
	return here, there, &rows.passes
}

func TestMethodsThatDrawRowsDrawThemFromASampleOfThoseElsewhere(t *testing.T) {
	for name, of := range map[string]struct{ algorithm, ks, grid, method string }{
		"numbers of clusters":   {"kmeans", "2:4", "", ""},
		"halves of the rows":    {"kmeans", "2:4", "", "stability"},
		"features":              {"skfr", "", "1:5", ""},
		"features and clusters": {"skfr", "2:3", "2:4", ""},
		"two methods":           {"skfr", "2:3", "2:4", "silhouette,gap"},
		"values of the data":    {"skfr", "", "sparsity", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := withStart()[of.algorithm]
			if s.Start, s.Params = "", nil; of.ks != "" {
				s.K, s.Ks = 0, of.ks
			}
			var g settings.Grid
			switch of.grid {
			case "":
			case "sparsity":
				g = must.Get(settings.NewGrid(builtIn, of.algorithm, "", 4))(t)
			default:
				g = must.Get(settings.NewGrid(builtIn, of.algorithm, of.grid, 20))(t)
			}
			o := settings.DefaultTuneOptions()
			o.Method, o.Draws = of.method, 5
			here, there, passes := judge(t, s, g, o) // away gives all rows as its sample, in their order
			want, got := must.Get(here.Tables(nil, ""))(t), must.Get(there.Tables(nil, ""))(t)
			if d := gocmp.Diff(want.Values, got.Values, bySums); d != "" || *passes != 0 {
				t.Errorf("%d passes; %s", *passes, d)
			}
			if here.Chosen() != there.Chosen() || len(want.Draws) != len(got.Draws) {
				t.Errorf("%d and %d chosen, %d and %d draws", here.Chosen(), there.Chosen(), len(want.Draws), len(got.Draws))
			}
			if there.Chosen() < 0 {
				return
			}
			done := must.Get(there.FitChosen(t.Context(), nil))(t)
			must.Do(t, there.Measure(t.Context(), done))
			tables := must.Get(there.Tables(done, ""))(t)
			if tables.Final == nil || tables.Final.Fit.K != there.Points[there.Chosen()].K || tables.Final.Fit.N != 20 || *passes == 0 {
				t.Errorf("%+v after %d passes", tables.Final, *passes)
			}
		})
	}
}

func TestATuningElsewhereRefusesWhatOneHereDoesAndAllRows(t *testing.T) {
	s := withStart()["skfr"]
	s.Start, s.Params = "", nil
	g := must.Get(settings.NewGrid(builtIn, "skfr", "1:5", 20))(t)
	for name, of := range map[string]struct {
		change func(*settings.TuneOptions)
		code   string
	}{
		"classes":                      {func(o *settings.TuneOptions) { o.Truth = "c" }, "needs-rows"},
		"all rows":                     {func(o *settings.TuneOptions) { o.Sample = 0 }, "needs-rows"},
		"features by their silhouette": {func(o *settings.TuneOptions) { o.Method = "silhouette" }, "bad-flag"},
	} {
		t.Run(name, func(t *testing.T) {
			o := settings.DefaultTuneOptions()
			of.change(&o)
			_, err := NewElsewhereTuning(s, builtIn, g, o, inDuckDB)
			must.Fault(t, err, of.code)
		})
	}
}

// counted makes a tuning of all rows, and returns it with the engine that it is in.
func counted(t *testing.T, resume func(*ElsewhereTuning)) (*ElsewhereTuning, *away) {
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks, s.Restarts = "", 0, "2:4", 2
	o := settings.DefaultTuneOptions()
	o.Method = "calinski-harabasz,davies-bouldin"
	src := startOfFew()
	rows := &away{ready: src.ready}
	e := must.Get(NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB))(t)
	t.Cleanup(e.Close)
	must.Do(t, e.Read(t.Context(), src, rows))
	if resume != nil {
		resume(e)
	}
	must.Do(t, e.Run(t.Context(), nil))
	return e, rows
}

func TestPointsThatWereKeptAreNotFittedAgain(t *testing.T) {
	var kept *result.Tune
	var from *result.Progress
	var row result.Fit
	whole, _ := counted(t, func(e *ElsewhereTuning) {
		row = must.Get(e.Begun())(t).Fit
		e.KeepPoint = func(context.Context) (err error) { kept, from, err = e.SoFar(); return err }
	})
	want := must.Get(whole.Tables(must.Get(whole.FitChosen(t.Context(), nil))(t), ""))(t)
	for name, p := range map[string]*result.Progress{"with the best": from, "without": nil} {
		again, rows := counted(t, func(e *ElsewhereTuning) { must.Do(t, e.Resume(&row, kept, p)) })
		if rows.passes != 0 {
			t.Errorf("%s: %d passes", name, rows.passes)
		}
		done := must.Get(again.FitChosen(t.Context(), nil))(t)
		if (rows.passes == 0) != (p != nil) { // else it is fitted once more
			t.Errorf("%s: %d passes for the chosen point", name, rows.passes)
		}
		must.Equal(t, want, must.Get(again.Tables(done, ""))(t), clockless, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
	}
	damaged := *from
	for _, state := range []string{"", `{"format_version": 2}`} {
		damaged.State = state
		counted(t, func(e *ElsewhereTuning) { must.Fault(t, e.Resume(&row, kept, &damaged), "run-damaged") })
	}
	damaged.State = strings.Replace(from.State, `"Rows":2`, `"Rows":9`, 1)
	if damaged.State == from.State {
		t.Fatal(from.State)
	}
	e, _ := counted(t, func(e *ElsewhereTuning) { must.Do(t, e.Resume(&row, kept, &damaged)) })
	_, err := e.FitChosen(t.Context(), nil)
	must.Fault(t, err, "run-damaged")
}

// altered are rows that change when they are read with so many clusters.
type altered struct {
	*away
	k int
}

func (a altered) Bind(f means.Formula, p framework.Problem) (distant.Bound, error) {
	b, err := a.away.Bind(f, p)
	return alteredBound{b, p.K == a.k}, err
}

type alteredBound struct {
	distant.Bound
	changed bool
}

func (b alteredBound) Assign(ctx context.Context, m, before *framework.Model) (fit.Pass, error) {
	if b.changed {
		return fit.Pass{}, framework.Faultf(framework.Data, "rows-changed", "the rows have changed")
	}
	return b.Bound.Assign(ctx, m, before)
}

func TestRowsThatChangeEndATuningAndAPath(t *testing.T) {
	src := startOfFew()
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks = "", 0, "2:4"
	o := settings.DefaultTuneOptions()
	o.Method = "silhouette"
	e := must.Get(NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB))(t)
	defer e.Close()
	must.Do(t, e.Read(t.Context(), src, altered{&away{ready: src.ready}, 3}))
	must.Fault(t, e.Run(t.Context(), nil), "rows-changed")
	if done, of := e.Done(); done != 1 || of != 3 {
		t.Errorf("%d of %d points", done, of)
	}
	s = withStart()["skfr"]
	s.Params = nil
	p := must.Get(NewElsewherePath(s, builtIn, must.Get(settings.NewGrid(builtIn, "skfr", "1:5", 20))(t), PathOptions{}, inDuckDB))(t)
	defer p.Close()
	must.Do(t, p.Read(t.Context(), src, altered{&away{ready: src.ready}, 3}))
	must.Fault(t, p.Run(t.Context(), func(int, int, *tune.Point) {}), "rows-changed")
}
