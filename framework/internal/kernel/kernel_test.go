package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// oneChain is the definition: the features of one row and one center in order.
func oneChain(loss kernel.Loss, x, c []float64) float64 {
	var d float64
	for l, v := range x {
		if math.IsNaN(v) {
			continue
		}
		if loss == kernel.Squared {
			d = math.FMA(v-c[l], v-c[l], d)
		} else {
			d += math.Abs(v - c[l])
		}
	}
	return d
}

func TestDistancesAndLabelsEqualOneChainPerRowAndCenter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, s, k := rapid.IntRange(0, 6).Draw(t, "rows"), rapid.IntRange(0, 9).Draw(t, "s"), rapid.IntRange(1, 11).Draw(t, "k")
		loss := kernel.Loss(rapid.IntRange(0, 1).Draw(t, "loss"))
		observed := rapid.Bool().Draw(t, "observed")
		cell := rapid.SampledFrom([]float64{0, 1, -1, 2, 0.1, 1e-310, 1e150, -3}) // ties, denormals, large
		draw := func(n int, missing bool) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = cell.Draw(t, "cell")
				if missing && rapid.IntRange(0, 4).Draw(t, "hole") == 0 {
					v[i] = math.NaN()
				}
			}
			return v
		}
		x, centers := draw(rows*s, observed), draw(k*s, false)
		labels, d := make([]int32, rows), make([]float64, rows*k)
		kernel.Nearest(labels, loss, observed, x, s, centers, k)
		kernel.Distances(d, loss, observed, x, s, centers, k)
		for i := range rows {
			best := 0
			for j := range k {
				want := oneChain(loss, x[i*s:(i+1)*s], centers[j*s:(j+1)*s])
				if math.Float64bits(d[i*k+j]) != math.Float64bits(want) {
					t.Fatalf("row %d, center %d: %v, want %v", i, j, d[i*k+j], want)
				}
				if want < d[i*k+best] {
					best = j
				}
			}
			if int(labels[i]) != best {
				t.Fatalf("row %d has label %d, want %d of %v", i, labels[i], best, d[i*k:(i+1)*k])
			}
		}
	})
}

func BenchmarkNearest(b *testing.B) {
	for _, size := range []struct{ s, k int }{{10, 10}, {50, 4}, {50, 20}, {784, 10}} {
		b.Run(fmt.Sprintf("s=%d/k=%d", size.s, size.k), func(b *testing.B) {
			const rows = 1024
			r := rand.New(rand.NewPCG(1, 1))
			x, c := make([]float64, rows*size.s), make([]float64, size.k*size.s)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			for i := range c {
				c[i] = r.NormFloat64()
			}
			labels := make([]int32, rows)
			for b.Loop() {
				kernel.Nearest(labels, kernel.Squared, false, x, size.s, c, size.k)
			}
			flops := 3 * float64(rows*size.s*size.k) // a subtraction, a product, a sum
			b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
