package labelset_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// BenchmarkFit times whole fits of k-means with sizes, of 10 starts but where rows are a million.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		n, p, k, restarts int
		lo, hi            int
	}{{50_000, 5, 10, 10, 4500, 5500}, {23_000, 50, 10, 10, 2200, 2400}, {1_000_000, 20, 20, 1, 45_000, 55_000}} {
		b.Run(fmt.Sprintf("%dx%dx%d", c.n, c.p, c.k), func(b *testing.B) {
			rows, _ := clustertest.Mixture{K: c.k, P: c.p, N: c.n, Noise: 2, Seed: 1}.Rows()
			rows.Size = 4096
			p := rows.Problem(c.k)
			p.Labels = declared(b, framework.LabelTable{N: c.n, K: c.k}, fmt.Sprintf("size - - %d %d", c.lo, c.hi))
			s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: c.restarts, MaxIter: 300, Empty: framework.Reseed, Threads: 2}
			for b.Loop() {
				res := must.Get(fit.Run(b.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{}, s, nil))(b)
				b.ReportMetric(float64(len(res.Trace)), "iterations")
			}
		})
	}
}

// BenchmarkProject times one projection of each kind.
func BenchmarkProject(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		const k = 10
		for name, lines := range map[string][]string{
			"size":     {fmt.Sprintf("size - - %d %d", n*9/100, n*11/100)},
			"unique":   {"unique_per - s - -", fmt.Sprintf("size - - %d %d", n*9/100, n*11/100)},
			"capacity": {fmt.Sprintf("capacity - w - %d", n*105/100)},
			"balance":  {"balance - g 0.2 0.6"},
		} {
			set, at := declared(b, table(1, n, k), lines...), blobs(1, n, k)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					labels := slices.Repeat([]int32{-1}, n)
					point := must.Get(set.Project(b.Context(), labels, at))(b)
					b.ReportMetric((point.Cost-point.Bound)/point.Cost, "gap")
					b.ReportMetric(point.Cost, "cost")
				}
			})
		}
	}
}

// BenchmarkFitCapacity times fits of k-means with a capacity that binds.
func BenchmarkFitCapacity(b *testing.B) {
	for _, c := range []struct{ n, k int }{{5000, 20}, {10_000, 10}, {100_000, 10}} {
		for _, line := range []string{"capacity - w - %g", "balance - g 0.2 0.55"} {
			b.Run(fmt.Sprintf("%s/%dx%d", line[:7], c.n, c.k), func(b *testing.B) {
				rows, _ := clustertest.Mixture{K: c.k, P: 5, N: c.n, Noise: 2, Seed: 1}.Rows()
				rows.Size = 4096
				p := rows.Problem(c.k)
				t := table(1, c.n, c.k)
				if sum := 10.05 * float64(c.n) / float64(c.k); line[0] == 'c' {
					line = fmt.Sprintf(line, 1.03*sum)
				}
				p.Labels = declared(b, t, line)
				s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 300, Empty: framework.Reseed, Threads: 2}
				for b.Loop() {
					res := must.Get(fit.Run(b.Context(), means.NewLloyd(p, means.Squared), p, rows, fit.Start{}, s, nil))(b)
					b.ReportMetric(float64(len(res.Trace)), "iterations")
					b.ReportMetric(res.Objective, "objective")
					b.ReportMetric((res.Limits.Cost-res.Limits.Bound)/res.Limits.Cost, "gap")
				}
			})
		}
	}
}
