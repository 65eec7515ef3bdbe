package groupskm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
)

// BenchmarkPath fits 20 values of λ with 10 starts each. On two shared cores the
// authors' R package, vimpclust 0.1.0, took 1.2 s for heart and 12.7 s for the
// other, by user time.
func BenchmarkPath(b *testing.B) {
	b.Run("heart/20", func(b *testing.B) {
		for _, r := range references(b) {
			if r.Name == "heart_k2" {
				path(b, r.rows, r.problem, r.Lambda)
			}
		}
	})
	b.Run("n=1000/p=50/k=4/20", func(b *testing.B) {
		random := rand.New(rand.NewPCG(1, 1))
		rows := clustertest.Rows{X: framework.NewMatrix(1000, 50), Size: 1000}
		for i := range rows.X.Data {
			rows.X.Data[i] = random.NormFloat64()
			if i%50 < 10 {
				rows.X.Data[i] += float64(i / 50 % 4)
			}
		}
		rows.Standardise()
		grid := make([]float64, 20)
		for i := range grid {
			grid[i] = 0.5 * float64(i) / 19
		}
		path(b, rows, rows.Problem(4), grid)
	})
}

func path(b *testing.B, rows clustertest.Rows, p framework.Problem, grid []float64) {
	for b.Loop() {
		for _, lambda := range grid {
			rows.Fit(b, groupskm.GroupSKM{}, p, map[string]string{"lambda": fmt.Sprint(lambda)}, fit.Start{},
				func(s *fit.Settings) { s.Restarts = 10 })
		}
	}
}
