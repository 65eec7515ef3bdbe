package skfr_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// BenchmarkGap is the fits of permuted data sets for 12 numbers of features, with
// permuting and measuring distances. ms/s is the time for one of these numbers in one
// data set, with all its starts.
func BenchmarkGap(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("n=400/p=1000/k=10/starts=20/threads=%d", threads), func(b *testing.B) {
			_, p, data := design{"", 400, 1000, 10, 20, 10, 1}.problem(b)
			defer func() { _ = data.Close() }()
			const sets = 4
			sweep := tune.Sweep{Settings: fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 20, MaxIter: 300, Empty: framework.Reseed,
				Threads: threads}}
			for _, s := range []int{2, 3, 5, 8, 12, 20, 32, 50, 80, 125, 200, 320} {
				params := must.Get(skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": fmt.Sprint(s)}))(b)
				sweep.Candidates = append(sweep.Candidates, tune.Candidate{K: 10, Params: params})
			}
			for number := range sets {
				sweep.Draws = append(sweep.Draws, tune.Draw{Kind: tune.Permuted, Number: number})
			}
			b.ResetTimer()
			for range b.N {
				must.Do(b, sweep.Run(b.Context(), tune.Here(skfr.SKFR{}, nil), p, data, func(tune.Trial) error { return nil }))
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*sets*len(sweep.Candidates)), "ms/s")
		})
	}
}
