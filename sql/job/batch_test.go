package job

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

func TestBatchesThatAreNotPossibleAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		code   string
		change func(*settings.Settings)
	}{
		"negative":      {"bad-setting", func(s *settings.Settings) { s.Batch = -1 }},
		"too few rows":  {"bad-setting", func(s *settings.Settings) { s.Batch = 3 }},
		"pairs":         {"no-batch", func(s *settings.Settings) { s.Algorithm, s.Pairs = "pckm", "pairs" }},
		"a given start": {"no-batch", func(s *settings.Settings) { s.Start = "start" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings.Defaults()
			s.K, s.Batch = 3, 1000
			c.change(&s)
			_, err := New(s, builtIn)
			must.Equal(t, framework.Setting("batch"), must.Fault(t, err, c.code).Where)
		})
	}
	s := settings.Defaults()
	s.K, s.Batch, s.Algorithm = 3, 1000, "skfr"
	_, err := NewPath(s, builtIn, settings.Grid{Parameter: framework.Param{Name: "sparsity", Type: framework.IntParam, Min: new(1.0)}},
		PathOptions{})
	must.Fault(t, err, "no-batch")
	_, err = NewSeveral([]settings.Settings{s, s}, builtIn)
	must.Fault(t, err, "no-batch")
}

func TestTheBatchOfAFitIsReadBackFromItsRecord(t *testing.T) {
	s := settings.Defaults()
	s.K, s.Batch, s.Origins = 3, 1000, map[string]string{"batch": "flag"}
	record := must.Get(must.Get(New(s, builtIn))(t).record())(t)
	got, also, err := settings.Recorded(record, "", builtIn)
	if err != nil || got.Batch != 1000 || len(also) > 0 {
		t.Errorf("batch %d, and %v: %v", got.Batch, also, err)
	}
}

func TestABatchOfAllRowsIsTheFitItselfAndASmallerOneSaysThatItIsApproximate(t *testing.T) {
	src := few() // of 20 rows
	for _, driver := range []string{settings.OnPlugin, settings.OnHost} {
		fitted := func(batch int) (*Fitted, *result.Tables) {
			s := settings.Defaults()
			s.K, s.Batch, s.Driver, s.Threads = 3, batch, driver, 2
			j := must.Get(New(s, builtIn))(t)
			defer j.Close()
			must.Do(t, j.Read(t.Context(), src, nil))
			f := must.Get(j.Fit(t.Context(), nil))(t)
			if batch > 0 && batch < 20 != (j.Starts() == 1) {
				t.Errorf("batch of %d: %d starts", batch, j.Starts())
			}
			return f, must.Get(j.Tables(f))(t)
		}
		_, want := fitted(0)
		f, all := fitted(20)
		must.Equal(t, want.Assignments, all.Assignments, clustertest.Bitwise)
		must.Equal(t, want.Fit.Model, all.Fit.Model)
		if f.Approximate || all.Fit.Approximate || want.Fit.Approximate || len(f.Notes) > 0 {
			t.Errorf("a fit of all rows is approximate, with notes %q", f.Notes)
		}
		f, some := fitted(10)
		if !some.Fit.Approximate || len(f.Notes) != 1 || !strings.HasPrefix(f.Notes[0], "approximate: ") {
			t.Errorf("a fit from a batch is approximate: %v, with notes %q", some.Fit.Approximate, f.Notes)
		}
		if last := f.Trace[len(f.Trace)-1]; f.Stop == "" || last.Restart != 0 || last.Objective != f.Objective {
			t.Errorf("it ends with %v by %s, and the trace with %+v", f.Objective, f.Stop, last)
		}
	}
}
