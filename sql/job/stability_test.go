package job_test

import (
	"context"
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// fitted is the row of NAME_fit of k clusters, with one column selected for each.
func fitted(t *testing.T, of rows, k int, algorithms ...framework.Algorithm) *result.Fit {
	t.Helper()
	s := settings.Defaults()
	s.Algorithm, s.K, s.Restarts, s.Origins = "skfr", k, 2, map[string]string{"k": "flag"}
	s.Params = map[string]settings.Given{"sparsity": {Value: "1", Origin: "flag"}, "scope": {Value: "local", Origin: "flag"}}
	b := must.Get(job.New(s, library.Here(algorithms...)))(t)
	defer b.Close()
	must.Do(t, b.Read(t.Context(), of, nil))
	tables := must.Get(b.Tables(must.Get(b.Fit(t.Context(), nil))(t)))(t)
	return &tables.Fit
}

func newStability(t *testing.T, of *result.Fit, threads int, o job.StabilityOptions) *job.Stability {
	t.Helper()
	s := must.Get(job.NewStability(of, "run", "rows", threads, library.Here(skfr.Algorithms()...), o))(t)
	t.Cleanup(s.Close)
	return s
}

var few = job.StabilityOptions{Draws: 12, Resample: job.Subsample}

func TestAStabilityHasTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	source := mixture(threeClusters)
	run := fitted(t, source, 3, skfr.Algorithms()...)
	var tables []*result.Stability
	for _, threads := range []int{1, 3} {
		s := newStability(t, run, threads, few)
		must.Do(t, s.Read(t.Context(), source, nil))
		must.Do(t, s.Run(t.Context(), nil))
		tables = append(tables, must.Get(s.Tables(""))(t))
	}
	must.Equal(t, tables[0], tables[1], cmpopts.EquateNaNs(),
		cmpopts.IgnoreTypes(result.Run{}), cmpopts.IgnoreFields(result.Stability{}, "Keys"))
	if n := len(tables[0].Features); n != 3*2 {
		t.Errorf("%d rows of features, of 3 clusters and 2 features", n)
	}
	if tables[0].Fit.RunID == run.RunID {
		t.Error("a stability has the name of its run")
	}
}

func TestAStabilityThatWasEndedHasTheDrawsThatWereMade(t *testing.T) {
	source := mixture(threeClusters)
	run := fitted(t, source, 3, skfr.Algorithms()...)
	whole := newStability(t, run, 1, few)
	must.Do(t, whole.Read(t.Context(), source, nil))
	must.Do(t, whole.Run(t.Context(), nil))
	want := must.Get(whole.Tables(""))(t)

	ended := newStability(t, run, 1, few)
	must.Do(t, ended.Read(t.Context(), source, nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := ended.Run(ctx, func(done, of int) {
		if of != few.Draws+1 {
			t.Errorf("%d fits of %d draws and the run", of, few.Draws)
		}
		if done == 6 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	got := must.Get(ended.Tables("interrupted"))(t)
	must.Equal(t, "interrupted", got.Fit.StopReason)
	must.Equal(t, want.Draws[:len(got.Draws)], got.Draws)
	if n := len(got.Draws); n < 5 || n == few.Draws {
		t.Errorf("%d draws after 6 fits", n)
	}
}

// A bootstrap sample of 4 rows often has fewer than 3 different ones.
func TestADrawThatCannotBeFittedSaysWhyAndOthersGoOn(t *testing.T) {
	source := rows{sizesAndPrices: [][]float64{{0, 1}, {5, 2}, {10, 0}, {20, 9}}}
	s := newStability(t, fitted(t, source, 3, skfr.Algorithms()...), 1, job.StabilityOptions{Draws: 30, Resample: job.Bootstrap})
	must.Do(t, s.Read(t.Context(), source, nil))
	must.Do(t, s.Run(t.Context(), nil))
	tables := must.Get(s.Tables(""))(t)
	failed := 0
	for _, d := range tables.Draws {
		if fails := d.Rows < 3; fails != (d.Iterations < 0) || fails != math.IsNaN(d.ARI) || d.Status == "" {
			t.Errorf("a draw of %d rows: %+v", d.Rows, d)
		}
		if d.Iterations < 0 {
			failed++
		}
	}
	if failed == 0 || failed == len(tables.Draws) {
		t.Fatalf("%d of %d draws failed", failed, len(tables.Draws))
	}
	must.Equal(t, 3*(len(tables.Draws)-failed), len(tables.Jaccards))
}

// older is an algorithm before it got its last parameter.
type older struct{ framework.Algorithm }

func (o older) Describe() framework.Description {
	d := o.Algorithm.Describe()
	d.Version, d.Params = "0.1", d.Params[:max(0, len(d.Params)-1)]
	return d
}

func (o older) New(p framework.Problem) (framework.Clusterer, error) {
	defaults, err := o.Algorithm.Describe().Resolve(map[string]string{"sparsity": "1"})
	if err != nil {
		return nil, err
	}
	maps.Copy(defaults, p.Params)
	p.Params = defaults
	return o.Algorithm.New(p)
}

func TestAStabilityTellsOtherRowsFromAnotherVersion(t *testing.T) {
	source := mixture(threeClusters)
	var old []framework.Algorithm
	for _, a := range skfr.Algorithms() {
		old = append(old, older{a})
	}
	run := fitted(t, source, 3, old...)
	must.Fault(t, newStability(t, run, 1, few).Read(t.Context(), source, nil), "run-not-repeatable")
	source.sizesAndPrices = source.sizesAndPrices[1:]
	must.Fault(t, newStability(t, run, 1, few).Read(t.Context(), source, nil), "not-the-rows-of-the-run")
}

func TestARunWithoutClustersHasNoStability(t *testing.T) {
	of := fitted(t, mixture(threeClusters), 3, skfr.Algorithms()...)
	of.StopReason = framework.AllZero
	_, err := job.NewStability(of, "run", "rows", 1, library.Here(skfr.Algorithms()...), few)
	must.Fault(t, err, "no-clusters")
}
