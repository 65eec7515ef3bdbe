package job_test

import (
	"context"
	"errors"
	"math"
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

// Their objective is 0, of which there is no logarithm, or what rounding leaves of it: that is up to the number of rows.
func TestAsManyClustersAreFoundAsThereAreDifferentRows(t *testing.T) {
	corners := [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 0}} // two of them, a triangle, and a square
	exact := map[bool]int{}
	for kinds := 2; kinds <= len(corners); kinds++ {
		for n := 40; n < 70; n++ {
			var r rows
			for i := range n {
				r.sizesAndPrices = append(r.sizesAndPrices, corners[i%kinds])
			}
			all := newTuning(t, "kmeans", "2:6", "", nil)
			must.Do(t, all.Read(t.Context(), classless{r}, nil))
			must.Do(t, all.Run(t.Context(), nil))
			for _, all.Choose = range []string{settings.ChooseBest, settings.ChooseOne} {
				at := all.Chosen()
				if at < 0 && kinds == 4 {
					at = all.Beyond() // two clusters of some squares leave more than of rows without clusters
				}
				if at < 0 || all.Points[at].K != kinds {
					t.Errorf("%d rows of %d kinds, %s: point %d is chosen: %+v", n, kinds, all.Choose, at, all.Judged)
				}
			}
			exact[math.IsInf(all.Judged[0].Values[kinds-1].Score, 1)]++
		}
	}
	if len(exact) != 2 {
		t.Errorf("infinite gaps, and others: %v", exact)
	}
}

func TestTheRuleDoesNotGetToAMaximumThatIsLargerByMoreThanAStandardErrorAlone(t *testing.T) {
	for _, c := range []struct {
		gaps []float64 // of one cluster, and of more; their standard error is 0.125
		want int       // clusters; 0: none
	}{
		{[]float64{1, 0.5, 2, 1.5}, 3},
		{[]float64{1, 0.5, 1.125, 0.5}, 0}, // exactly
		{[]float64{1, 0.5, 1.1251, 0.5}, 3},
		{[]float64{1, 0.5, 1.1, 0.5, 3}, 5}, // the last
		{[]float64{1, 0.5, 2, 3, 2.5}, 4},   // that of three grows on
		{[]float64{1, 0.5, 2, 1.5, 3}, 3},   // the first
		{[]float64{1, 0.5, math.NaN(), 2, math.NaN(), 1}, 4},
		{[]float64{1, 0.5, math.Inf(1), math.Inf(1)}, 3}, // as many different rows
		{[]float64{1, 0.5, 0.25}, 0},
		{[]float64{1, 2, 1.5, 3}, 0}, // two are chosen
	} {
		j := job.TuneJudged{Method: string(tune.MethodGapAxes), Best: 0, One: 0, P: math.NaN()}
		of := job.Tuning{Ks: []int{2, 3}}
		for i, gap := range c.gaps {
			of.Points = append(of.Points, job.TunePoint{K: i + 1, Value: math.NaN()})
			j.Values = append(j.Values, tune.Value{Point: i, Score: gap, Error: 0.125})
		}
		if c.gaps[1] > c.gaps[0] {
			j.Best, j.One = 1, 1
		}
		of.Judged = []job.TuneJudged{j}
		if got := of.Beyond() + 1; got != c.want {
			t.Errorf("%v: k = %d, want %d", c.gaps, got, c.want)
		}
	}
}

// Of three clusters in a line two leave as much as of rows without clusters: the first gap is not below the second.
func TestClustersThatTheRuleDoesNotGetToAreNamedAndNoneWhereThereAreNone(t *testing.T) {
	line := func(x []float64, i int) []float64 { return []float64{x[0] + float64(i%3)*30, x[1] + float64(i%3)*20} }
	same := func(x []float64, _ int) []float64 { return x }
	for seed := range uint64(4) {
		blob := clustertest.Blob{P: 2, N: 120, Seed: seed}.Rows()
		for want, move := range map[int]func([]float64, int) []float64{3: line, 0: same} {
			var r rows
			for i := range blob.X.Rows {
				r.sizesAndPrices = append(r.sizesAndPrices, move(blob.X.Row(i), i))
			}
			of := newTuning(t, "kmeans", "2:5", "", func(o *settings.TuneOptions) { o.Draws = 20 })
			must.Do(t, of.Read(t.Context(), classless{r}, nil))
			must.Do(t, of.Run(t.Context(), nil))
			got := 0
			if at := max(of.Chosen(), of.Beyond()); at >= 0 {
				got = of.Points[at].K
			}
			if got != want || of.Chosen() >= 0 && of.Beyond() >= 0 {
				t.Errorf("seed %d: point %d is chosen, and %d named; want k = %d", seed, of.Chosen(), of.Beyond(), want)
			}
		}
	}
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
