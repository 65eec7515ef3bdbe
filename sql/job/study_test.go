package job_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// mixture is a source of rows in clusters.
func mixture(m clustertest.Mixture) rows {
	x, _ := m.Rows()
	var r rows
	for i := range x.X.Rows {
		r.sizesAndPrices = append(r.sizesAndPrices, x.X.Row(i))
	}
	return r
}

func newTuning(t *testing.T, algorithm, ks, grid string, change func(*settings.TuneOptions)) *job.Tuning {
	t.Helper()
	s, o, l := settings.Defaults(), settings.DefaultTuneOptions(), library.Here(skfr.Algorithms()...)
	s.Algorithm, s.Ks, s.Restarts, s.Threads = algorithm, ks, 3, 2
	s.Origins = map[string]string{"k": "flag"}
	o.Draws = 5
	if change != nil {
		change(&o)
	}
	var g settings.Grid
	if grid != "" {
		g = must.Get(settings.NewGrid(l, algorithm, grid, 20))(t)
	}
	tuning := must.Get(job.NewTuning(s, l, g, o))(t)
	t.Cleanup(tuning.Close)
	return tuning
}

// Two columns with three clusters.
var threeClusters = clustertest.Mixture{K: 3, P: 2, N: 120, Seed: 5}

func TestATuningThatWasEndedGoesOnToTheSameBits(t *testing.T) {
	source := classless{mixture(threeClusters)}
	read := func(tuning *job.Tuning) {
		t.Helper()
		must.Do(t, tuning.Read(t.Context(), source, nil))
	}
	whole := newTuning(t, "skfr", "2:4", "1,2", nil)
	read(whole)
	must.Do(t, whole.Run(t.Context(), nil))
	want := must.Get(whole.Tables(nil, ""))(t)

	db := must.Get(store.Open(t.Context(), filepath.Join(t.TempDir(), "t.duckdb"), store.ReadWrite))(t)
	t.Cleanup(func() { _ = db.Close() })
	stop := errors.New("the power is off")
	first := newTuning(t, "skfr", "2:4", "1,2", nil)
	read(first)
	must.Do(t, db.WriteTune(t.Context(), "run", false, must.Get(first.Begun())(t)))
	kept := 0
	first.Keep = func(ctx context.Context, draws []result.TuneDraw) error {
		if kept++; kept >= 8 { // the rows, 5 permutations, and one of 5 uniform data sets before
			return stop
		}
		return db.AddDraws(ctx, "run", draws)
	}
	if err := first.Run(t.Context(), nil); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	fit, draws, err := db.LoadDraws(t.Context(), "run")
	must.Do(t, err)

	second := newTuning(t, "skfr", "2:4", "1,2", nil)
	read(second)
	must.Do(t, second.Resume(fit, draws))
	made := 0
	second.Keep = func(context.Context, []result.TuneDraw) error { made++; return nil }
	must.Do(t, second.Run(t.Context(), nil))
	must.Equal(t, 4, made) // of 5 uniform data sets
	got := must.Get(second.Tables(nil, ""))(t)
	inAnyOrder := cmpopts.SortSlices(func(a, b result.TuneDraw) bool {
		return a.Kind < b.Kind || a.Kind == b.Kind && (a.Draw < b.Draw || a.Draw == b.Draw && a.Point < b.Point)
	})
	must.Equal(t, want.Values, got.Values, clustertest.Bitwise)
	must.Equal(t, want.Draws, got.Draws, clustertest.Bitwise, inAnyOrder)

	other := newTuning(t, "skfr", "2:5", "1,2", nil)
	read(other)
	must.Fault(t, other.Resume(fit, draws), "not-resumable")
}

// classless is a ClassSource of rows without classes.
type classless struct{ rows }

func (classless) CheckTruth(context.Context, string, string) error { panic("there are no classes") }

func (classless) ReadClasses(context.Context, string, string, *input.Table) ([]int32, error) {
	panic("there are no classes")
}

func TestTheDefaultFindsTheClustersOfAMixtureAndNoneInOneBlob(t *testing.T) {
	found := newTuning(t, "kmeans", "2:5", "", func(o *settings.TuneOptions) { o.Draws = 10 })
	must.Do(t, found.Read(t.Context(), classless{mixture(threeClusters)}, nil))
	must.Do(t, found.Run(t.Context(), nil))
	if at := found.Chosen(); at < 0 || found.Points[at].K != 3 {
		t.Errorf("point %d is chosen", at)
	}
	none := newTuning(t, "kmeans", "2:5", "", func(o *settings.TuneOptions) { o.Draws = 10 })
	blob := clustertest.Blob{P: 2, N: 120, Correlated: true, Seed: 1}.Rows()
	var r rows
	for i := range blob.X.Rows {
		r.sizesAndPrices = append(r.sizesAndPrices, blob.X.Row(i))
	}
	must.Do(t, none.Read(t.Context(), classless{r}, nil))
	must.Do(t, none.Run(t.Context(), nil))
	must.Equal(t, -1, none.Chosen())
}

func TestPointsThatAreNotPossibleSayWhyAndTheOthersGoOn(t *testing.T) {
	some := newTuning(t, "skfr", "2,3,1000", "1,2,7", nil)
	must.Do(t, some.Read(t.Context(), classless{mixture(threeClusters)}, nil))
	must.Do(t, some.Run(t.Context(), nil))
	status := map[string]int{}
	for _, v := range some.Judged[0].Values {
		status[v.Status]++
	}
	// One point of k = 1 with a sparsity of 7, and of k = 2, 3 and 1000; k = 1000 with 1 and 2 features.
	must.Equal(t, map[string]int{"settled": 4, "sparsity-out-of-range": 4, "too-few-rows": 2}, status)
	if some.Chosen() < 0 {
		t.Error("nothing is chosen")
	}
}

func TestEveryMethodChoosesThreeClustersThatAreFarApart(t *testing.T) {
	var r rows
	blob := clustertest.Blob{P: 2, N: 90, Seed: 2}.Rows()
	for i := range blob.X.Rows {
		x := blob.X.Row(i)
		r.sizesAndPrices = append(r.sizesAndPrices, []float64{x[0] + float64(i%3)*100, x[1] + float64(i%3%2)*100})
	}
	for _, m := range tune.Methods() {
		all := newTuning(t, "kmeans", "2:5", "", func(o *settings.TuneOptions) { o.Method = string(m) })
		must.Do(t, all.Read(t.Context(), classless{r}, nil))
		must.Do(t, all.Run(t.Context(), nil))
		if at := all.Chosen(); at < 0 || all.Points[at].K != 3 {
			t.Errorf("%s chooses point %d: %+v", m, at, all.Judged)
		}
	}
}
