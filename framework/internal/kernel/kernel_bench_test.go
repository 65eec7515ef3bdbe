package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

func BenchmarkNearest(b *testing.B) {
	for _, name := range kernel.Names() {
		for _, size := range []struct{ s, k int }{{10, 10}, {50, 4}, {50, 10}, {50, 20}, {784, 10}, {784, 50}} {
			b.Run(fmt.Sprintf("kernel=%s/s=%d/k=%d", name, size.s, size.k), func(b *testing.B) {
				defer kernel.Use(name)()
				const rows = 128
				r := rand.New(rand.NewPCG(1, 1))
				x := drawn(r, rows*size.s, false, false)
				c := kernel.Centers{K: size.k, S: size.s, Rows: drawn(r, size.k*size.s, false, false)}
				c.Pack()
				f := kernel.Nearest{Label: make([]int32, rows), Best: make([]float64, rows)}
				for b.Loop() {
					f.Find(kernel.Measure{}, x, &c)
				}
				flops := 3 * float64(rows*size.s*size.k) // a subtraction, a product, a sum
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkMove(b *testing.B) {
	for _, name := range kernel.Names() {
		b.Run("kernel="+name, func(b *testing.B) {
			defer kernel.Use(name)()
			const n, p, k = 2048, 50, 20
			x, to := make([]float64, n*p), make([]int32, n)
			for i := range to {
				to[i] = int32(i * 7 % k)
			}
			s := kernel.Sums{Sum: make([]float64, k*p), Mass: make([]float64, k), Low: make([]float64, k*p)}
			for b.Loop() {
				s.Move(x, nil, to, nil)
			}
			b.SetBytes(8 * n * p)
		})
	}
}

// BenchmarkNearestMemory is BenchmarkNearest on rows that exceed the caches.
func BenchmarkNearestMemory(b *testing.B) {
	const cells = 16 << 20
	x := drawn(rand.New(rand.NewPCG(1, 1)), cells, false, false)
	for _, size := range []struct{ s, k int }{{5, 1}, {20, 1}, {20, 10}, {50, 1}, {50, 20}, {200, 1}, {1000, 1}, {1000, 10}} {
		c := kernel.Centers{K: size.k, S: size.s, Rows: x[:size.k*size.s]}
		rows := cells / size.s
		f := kernel.Nearest{Label: make([]int32, rows), Best: make([]float64, rows)}
		for _, name := range kernel.Names() {
			b.Run(fmt.Sprintf("kernel=%s/s=%d/k=%d", name, size.s, size.k), func(b *testing.B) {
				defer kernel.Use(name)()
				c.Pack()
				for b.Loop() {
					f.Find(kernel.Measure{}, x, &c)
				}
				b.SetBytes(8 * cells)
			})
		}
	}
}
