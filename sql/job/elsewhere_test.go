package job

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// starting is a Source whose relations of starts have centers.
type starting struct {
	ready
	centers framework.Matrix
}

func (s starting) ReadStart(context.Context, string, *input.Table, int, bool) (input.Start, error) {
	c := s.centers.Clone()
	return input.Start{Centers: &c}, nil
}

// withStart are settings of fits from a given start, by algorithm.
func withStart() map[string]settings.Settings {
	all := small()
	delete(all, "pcskm")
	plain := settings.Defaults()
	plain.K, plain.Restarts, plain.Threads = 3, 1, 1
	all["kmeans"] = plain
	for name, s := range all {
		s.Start, s.Origins = "starts", map[string]string{"k": "flag"}
		all[name] = s
	}
	return all
}

func startOfFew() starting {
	src := few()
	c := framework.NewMatrix(3, 5)
	for j := range c.Rows {
		copy(c.Row(j), src.rows.Row(j))
	}
	return starting{src, c}
}

var inDuckDB = ElsewhereOptions{Engine: "duckdb"}

// bySums is what sums in another order may differ by: of 20 cells below 10, 20·10·2⁻⁵³ is
// below 1e-13; steps of an algorithm may make it some orders larger.
var bySums = gocmp.Options{cmpopts.EquateApprox(1e-9, 1e-10), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}

func TestAFitElsewhereHasTheTablesOfOneHere(t *testing.T) {
	for name, s := range withStart() {
		t.Run(name, func(t *testing.T) {
			src := startOfFew()
			want := fitSmall(t, must.Get(New(s, builtIn))(t), src)
			e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
			defer e.Close()
			must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
			f := must.Get(e.Fit(t.Context(), nil, nil, nil))(t)
			got := must.Get(e.Tables(f))(t)
			for _, pair := range [][2]any{{want.Centers, got.Centers}, {want.Features, got.Features}, {want.Clusters, got.Clusters},
				{want.Trace, got.Trace}} {
				if d := gocmp.Diff(pair[0], pair[1], bySums); d != "" {
					t.Error(d)
				}
			}
			ignored := cmpopts.IgnoreFields(result.Fit{}, "RunID", "Params", "Model")
			if d := gocmp.Diff(want.Fit, got.Fit, bySums, ignored); d != "" {
				t.Error(d)
			}
			if got.Assignments.From == "" || !strings.Contains(got.Fit.Params, `"engine":{"value":"duckdb"`) {
				t.Errorf("%+v, %s", got.Assignments, got.Fit.Params)
			}
			here := must.Get(New(s, builtIn))(t)
			defer here.Close()
			must.Do(t, here.Read(t.Context(), src, nil))
			fitted := must.Get(here.Fit(t.Context(), nil))(t)
			must.Do(t, here.Measure(t.Context(), fitted))
			must.Do(t, e.Measure(t.Context(), f))
			if d := gocmp.Diff(fitted.Quality, f.Quality, bySums); d != "" {
				t.Error(d)
			}
		})
	}
}

var errCut = errors.New("cut")

func TestAFitElsewhereGoesOnFromWhatWasKeptOfIt(t *testing.T) {
	for name, s := range withStart() {
		t.Run(name, func(t *testing.T) {
			s.Start, s.Restarts = "", 3
			src := startOfFew()
			read := func() *Elsewhere {
				e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
				must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
				return e
			}
			e := read()
			whole := must.Get(e.Tables(must.Get(e.Fit(t.Context(), nil, nil, nil))(t)))(t)
			for after := 1; ; after++ {
				var kept *result.Progress
				left, e := after, read()
				_, err := e.Fit(t.Context(), nil, func(at fit.Stand) error {
					kept = must.Get(e.Progress(at))(t)
					if left--; left == 0 {
						return errCut
					}
					return nil
				}, nil)
				if err == nil {
					if after < 4 {
						t.Errorf("only %d iterations", after)
					}
					return
				}
				next := read()
				from := must.Get(next.Resume(kept))(t)
				got := must.Get(next.Tables(must.Get(next.Fit(t.Context(), from, nil, nil))(t)))(t)
				must.Equal(t, whole, got, clockless, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
			}
		})
	}
}

func TestAFitOfOtherRowsOrSettingsDoesNotGoOn(t *testing.T) {
	s := withStart()["skfr"]
	s.Start = ""
	src := startOfFew()
	read := func(s settings.Settings, src starting) *Elsewhere {
		e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
		must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
		return e
	}
	e := read(s, src)
	var kept *result.Progress
	must.Get(e.Fit(t.Context(), nil, func(at fit.Stand) error { kept = must.Get(e.Progress(at))(t); return nil }, nil))(t)
	other := s
	other.K, other.Params = 4, map[string]settings.Given{"sparsity": {Value: 2}}
	changed := starting{few(), src.centers}
	changed.rows.Data[7]++
	damaged := *kept
	damaged.State = strings.Replace(kept.State, `"Rows":3`, `"Rows":4`, 1)
	for name, of := range map[string]struct {
		e    *Elsewhere
		p    *result.Progress
		says string
	}{
		"other settings":                   {read(other, src), kept, "k was 3, and is 4; sparsity was 3, and is 2"},
		"other rows":                       {read(s, changed), kept, "the rows have changed"},
		"a text that somebody has changed": {read(s, src), &damaged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := of.e.Resume(of.p)
			f := framework.AsFault(err)
			if f == nil || f.Class != framework.Data || strings.Join(f.Details, "; ") != of.says {
				t.Errorf("%v: %v", err, f)
			}
		})
	}
}

func TestWhatNeedsRowsIsRefusedBeforeAnyStatement(t *testing.T) {
	for name, of := range map[string]struct {
		change func(*settings.Settings)
		where  string
	}{
		"pairs":          {func(s *settings.Settings) { s.Algorithm, s.Pairs = "pckm", "p" }, "pairs"},
		"classes":        {func(s *settings.Settings) { s.Labels = "l" }, "labels"},
		"outliers":       {func(s *settings.Settings) { s.Trim = 0.1 }, "trim"},
		"batches":        {func(s *settings.Settings) { s.Batch = 100 }, "batch"},
		"groups of rows": {func(s *settings.Settings) { s.By = []string{"g"} }, "by"},
		"triples":        {func(s *settings.Settings) { s.Long = []string{"a", "b", "c"} }, "long"},
		"distances":      {func(s *settings.Settings) { s.Distances = 2 }, "distances"},
		"medians":        {func(s *settings.Settings) { s.Params = map[string]settings.Given{"loss": {Value: "l1"}} }, "loss"},
		"another's steps": {func(s *settings.Settings) {
			s.Algorithm = "pcskm"
			s.Params = map[string]settings.Given{"l1_bound": {Value: 2}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings.Defaults()
			s.K, s.Origins = 3, map[string]string{"k": "flag"}
			of.change(&s)
			_, err := NewElsewhere(s, builtIn, inDuckDB)
			f := framework.AsFault(err)
			if f == nil || f.Code != "needs-rows" || of.where != "" && f.Where != framework.Setting(of.where) {
				t.Errorf("%v (%+v)", err, f)
			}
		})
	}
}

func TestAnAlgorithmOfAPluginAloneIsRefused(t *testing.T) {
	l := builtIn
	l.Algorithms = slices.Clone(l.Algorithms)
	for i := range l.Algorithms {
		l.Algorithms[i].Local = nil
	}
	s := settings.Defaults()
	s.K = 2
	_, err := NewElsewhere(s, l, inDuckDB)
	if f := framework.AsFault(err); f == nil || f.Code != "needs-rows" || !strings.Contains(f.Summary, "plugin") {
		t.Error(err)
	}
}
