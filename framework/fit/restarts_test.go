package fit_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// scattered draws rows without clear groups, so that starts end apart, at a place and
// of a size that make sums drift; or whole numbers, so that many of them tie.
func scattered(t *rapid.T) clustertest.Rows {
	n, p := rapid.IntRange(8, 120).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "p")
	x := framework.NewMatrix(n, p)
	whole := rapid.Bool().Draw(t, "whole")
	offset := rapid.SampledFrom([]float64{0, 1, 1e5}).Draw(t, "offset")
	random := framework.Rand(rapid.Uint64().Draw(t, "seed"), "rows")
	for i := range x.Data {
		x.Data[i] = offset + random.NormFloat64()
		if whole {
			x.Data[i] = math.Round(2 * x.Data[i])
		}
	}
	return clustertest.Rows{X: x, Size: rapid.IntRange(1, n).Draw(t, "block")}
}

func TestTheBestOfSeveralStartsIsTheBestOfTheRunsThatEachMakesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := scattered(t)
		p := rows.Problem(rapid.IntRange(1, min(8, rows.Len())).Draw(t, "k"))
		s := settings()
		s.Restarts = rapid.IntRange(2, 12).Draw(t, "restarts")
		c := means.NewLloyd(p, means.Squared)
		starts := must.Get(fit.NewStarts(p, rows, s, []int{p.K}))(t)
		var best *fit.Result
		for r := range s.Restarts {
			start := must.Get(starts.Labels(t.Context(), p.K, r, 1))(t)
			one := must.Get(fit.Run(t.Context(), c, p, rows, fit.Start{Labels: start}, s, nil))(t)
			if one.Restart = r; best == nil || one.Objective < best.Objective {
				best = one
			}
		}
		var traces [][]fit.Iteration
		for _, s.Threads = range []int{1, 3} {
			all := must.Get(fit.Run(t.Context(), c, p, rows, fit.Start{}, s, nil))(t)
			traces = append(traces, all.Trace)
			all.Trace, best.Trace = nil, nil
			all.Seconds, best.Seconds, all.BlocksByWorker, best.BlocksByWorker = fit.Seconds{}, fit.Seconds{}, nil, nil
			all.Model.Cache, best.Model.Cache = nil, nil
			if diff := cmp.Diff(best, all, clustertest.Bitwise); diff != "" {
				t.Fatalf("%d threads; − the best run made alone, + the best of all:\n%s", s.Threads, diff)
			}
		}
		if diff := cmp.Diff(traces[0], traces[1]); diff != "" {
			t.Fatalf("− one thread, + three:\n%s", diff)
		}
	})
}
