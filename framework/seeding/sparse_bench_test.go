package seeding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// BenchmarkSparse starts 100 000 rows of 20 000 features with about 50 entries each, of
// which some features have many.
func BenchmarkSparse(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 4))
	s := &framework.Sparse{Base: make([]float64, 20_000), Start: []int64{0}}
	for range 100_000 {
		var columns []int32
		for range 50 {
			u := r.Float64()
			columns = append(columns, int32(u*u*u*20_000))
		}
		slices.Sort(columns)
		columns = slices.Compact(columns)
		s.Column = append(s.Column, columns...)
		for range columns {
			s.Offset = append(s.Offset, float64(1+r.IntN(5)))
		}
		s.Start = append(s.Start, int64(len(s.Column)))
	}
	rows := matrix.FromSparse(s, nil, 0)
	for _, k := range []int{20, 200} {
		for _, name := range []string{"kmeans++", "kmeans||", "maximin"} {
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) {
				for b.Loop() {
					must.Get(labels(context.Background(), name, rows, seeding.Options{K: k, Threads: 1}, 0))(b)
				}
			})
		}
	}
}
