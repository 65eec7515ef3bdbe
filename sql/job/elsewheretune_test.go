package job

import (
	"context"
	"errors"
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
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
