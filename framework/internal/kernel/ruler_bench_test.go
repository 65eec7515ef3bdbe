package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// BenchmarkRuler measures 1000 rows of 20 000 columns with about 50 entries each from one
// of them.
func BenchmarkRuler(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	columns, offsets := make([][]int32, 1000), make([][]float64, 1000)
	for i := range columns {
		for range 50 {
			u := r.Float64()
			columns[i] = append(columns[i], int32(u*u*u*20_000))
		}
		slices.Sort(columns[i])
		columns[i] = slices.Compact(columns[i])
		for range columns[i] {
			offsets[i] = append(offsets[i], float64(1+r.IntN(5)))
		}
	}
	ruler := kernel.NewRuler(20_000, nil)
	ruler.Set(columns[0], offsets[0])
	for b.Loop() {
		for i := range columns {
			ruler.Square(columns[i], offsets[i])
		}
	}
}
