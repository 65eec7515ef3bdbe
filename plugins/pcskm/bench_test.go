package pcskm_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// BenchmarkFit fits rows of ten classes, of which pairs are known at random. The
// peak of the heap is what a fit adds to the rows and the links, garbage included.
func BenchmarkFit(b *testing.B) {
	const n, p, k = 20_000, 20, 10
	for _, pairs := range []int{0, 10_000, 100_000} {
		random := rand.New(rand.NewPCG(1, 1))
		data := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: 512}}
		for i := range data.X.Data {
			data.X.Data[i] = random.NormFloat64()
			if i%p < 5 { // informative
				data.X.Data[i] += 2 * float64(i/p%k*(i%p+1)%k)
			}
		}
		var links []framework.Link
		for len(links) < pairs {
			if x, y := random.IntN(n), random.IntN(n); x != y {
				links = append(links, framework.Link{A: int32(x), B: int32(y), Cannot: x%k != y%k, Weight: 1})
			}
		}
		b.Run(fmt.Sprintf("n=20000/p=20/k=10/pairs=%d", pairs), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				must.Get(data.run(pcskm.PCSKM{}, k, links, map[string]string{"l1_bound": "2.5"}, fit.Start{},
					func(s *fit.Settings) { s.Empty = framework.Reseed; s.Threads = 2 }))(b)
			}
			b.ReportMetric(data.peak(b, k, links), "peak-heap-B")
		})
	}
}

// peak returns the most bytes on the heap at the end of an iteration, above those
// before the fit.
func (b blocks) peak(t *testing.B, k int, links []framework.Link) float64 {
	t.Helper()
	p := b.problem(k, links)
	p.Params = must.Get((pcskm.PCSKM{}).Describe().Resolve(map[string]string{"l1_bound": "2.5"}))(t)
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, peak := m.HeapAlloc, m.HeapAlloc
	c := must.Get(pcskm.PCSKM{}.New(p))(t)
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Reseed, Threads: 2}
	must.Get(fit.Run(t.Context(), c, p, b, fit.Start{}, s, func(fit.Iteration) {
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
	}))(t)
	return float64(peak - before)
}
