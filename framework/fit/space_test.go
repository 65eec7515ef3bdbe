package fit_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// inUnits returns rows of three columns with clusters, fitted by k-means, whose
// original units differ by the factors.
func inUnits(t *rapid.T, factors []float64) (clustertest.Rows, framework.Problem) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "data"), 3))
	r := clustertest.Rows{X: framework.NewMatrix(40, len(factors)), Size: 8}
	for i := range r.X.Data {
		r.X.Data[i] = random.NormFloat64() + float64(random.IntN(3))
	}
	p := r.Problem(4)
	p.Seed = rapid.Uint64().Draw(t, "seed")
	for l, f := range factors {
		p.Columns[l].Scale = f
	}
	return r, p
}

func traceOf(t clustertest.T, r clustertest.Rows, p framework.Problem, s fit.Settings, start fit.Start) *fit.Result {
	return must.Get(fit.Run(context.Background(), means.NewLloyd(p, means.Squared), p, r, start, s, nil))(t)
}

func TestStartsInBothUnitsAreFittedAndRawOnesByTurns(t *testing.T) {
	differ := false
	rapid.Check(t, func(t *rapid.T) {
		r, p := inUnits(t, []float64{1, 100, 0.01})
		s := settings()
		s.Empty, s.Restarts = framework.Reseed, rapid.IntRange(1, 5).Draw(t, "restarts")
		s.Init = rapid.SampledFrom([]string{"kmeans++", "kmeans||", "random"}).Draw(t, "init")
		of := map[string]map[int][]fit.Iteration{}
		best := map[string]float64{}
		for _, space := range []string{fit.Both, fit.Fitted, fit.Raw} {
			s.InitSpace, s.Threads = space, 1
			of[space] = map[int][]fit.Iteration{}
			res := traceOf(t, r, p, s, fit.Start{})
			for _, it := range res.Trace {
				of[space][it.Restart] = append(of[space][it.Restart], it)
			}
			best[space] = res.Objective
			s.Threads = 3
			if diff := cmp.Diff(res.Trace, traceOf(t, r, p, s, fit.Start{}).Trace); diff != "" {
				t.Fatalf("threads change starts in %s units: %s", space, diff)
			}
		}
		for restart, its := range of[fit.Both] {
			space := []string{fit.Fitted, fit.Raw}[restart%2]
			if diff := cmp.Diff(of[space][restart], its); diff != "" {
				t.Fatalf("restart %d is not the one in %s units: %s", restart, space, diff)
			}
		}
		differ = differ || best[fit.Fitted] != best[fit.Raw]
		if s.Restarts > 1 && best[fit.Both] < math.Min(best[fit.Fitted], best[fit.Raw]) {
			t.Fatal("both are better than either")
		}
	})
	if !differ {
		t.Error("raw and fitted starts always end alike: the cases tell nothing apart")
	}
}

func TestWhereColumnsAreNotScaledUnitsOfStartsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := inUnits(t, []float64{1, 1, 1}) // as --scale raw and --scale none have it
		s := settings()
		s.Empty, s.Restarts, s.InitSpace = framework.Reseed, 4, fit.Raw
		raw := traceOf(t, r, p, s, fit.Start{}).Trace
		s.InitSpace = fit.Both
		must.Equal(t, raw, traceOf(t, r, p, s, fit.Start{}).Trace)
	})
}

func TestASingleStartInBothUnitsIsTheFittedOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, p := inUnits(t, []float64{1, 100, 0.01})
		s := settings()
		s.Empty, s.Restarts = framework.Reseed, 10
		s.Init = rapid.SampledFrom([]string{"maximin", "dkm++", "robin"}).Draw(t, "init")
		start := fit.Start{}
		if rapid.Bool().Draw(t, "rows given") {
			start.Rows = []int{0, 9, 18, 27}
		}
		s.InitSpace = fit.Fitted
		fitted := traceOf(t, r, p, s, start).Trace
		s.InitSpace = fit.Both
		must.Equal(t, fitted, traceOf(t, r, p, s, start).Trace)
	})
}
