package skm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// BenchmarkFits makes 25 starts at each of 10 bounds, as a gap statistic does.
func BenchmarkFits(b *testing.B) {
	rows := clustertest.ReadTable(b, unpacked+"/wine/X.csv").Rows(b)
	rows.Standardise()
	p := rows.Problem(3)
	b.Run("wine/25×10", func(b *testing.B) {
		for b.Loop() {
			for i := range 10 {
				bound := 1.2 * math.Pow(0.9*math.Sqrt(13)/1.2, float64(i)/9)
				rows.Fit(b, skm.SKM{}, p, map[string]string{"l1_bound": fmt.Sprint(bound)}, fit.Start{}, func(s *fit.Settings) { s.Restarts = 25 })
			}
		}
	})
}
