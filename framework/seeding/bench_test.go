package seeding_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A shape is a size of benchmark data.
type shape struct {
	name    string
	n, p, k int
}

// shapes are small data with many features, and some that exceed every cache.
var shapes = []shape{
	{"n=400/p=1000/k=10", 400, 1000, 10},
	{"n=200k/p=50/k=20", 200_000, 50, 20},
	{"n=200k/p=50/k=200", 200_000, 50, 200},
	{"n=1M/p=20/k=10", 1_000_000, 20, 10},
}

// normalRows returns standard normal cells in blocks of about 0.8 MiB; with
// clusters > 0 the rows are spread about as many points, 5 deviations apart in
// each feature.
func normalRows(n, p, clusters int) clustertest.Rows {
	data := clustertest.Rows{X: framework.NewMatrix(n, p), Size: max(1, 100_000/p)}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data.X.Data {
		data.X.Data[i] = r.NormFloat64()
	}
	if clusters > 0 {
		center := make([]float64, clusters*p)
		for i := range center {
			center[i] = 5 * r.NormFloat64()
		}
		for i := range n {
			c := center[r.IntN(clusters)*p:]
			for l, row := 0, data.X.Row(i); l < p; l++ {
				row[l] += c[l]
			}
		}
	}
	return data
}

func BenchmarkLabels(b *testing.B) {
	for _, s := range shapes {
		for _, kind := range []string{"normal", "clusters"} {
			clusters := 0
			if kind == "clusters" {
				clusters = s.k
			}
			data := normalRows(s.n, s.p, clusters)
			for _, name := range seeding.Names() {
				if s.n > 50_000 && (name == "dkm++" || name == "robin") {
					continue // refused
				}
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%s/%s/%s/threads=%d", name, s.name, kind, threads), func(b *testing.B) {
						b.ReportAllocs()
						for b.Loop() {
							must.Get(labels(context.Background(), name, data, seeding.Options{K: s.k, Threads: threads}, 0))(b)
						}
					})
				}
			}
		}
	}
}

// BenchmarkRestarts makes all starts of a fit.
func BenchmarkRestarts(b *testing.B) {
	for _, s := range []shape{{"n=400/p=20/k=10", 400, 20, 10}, {"n=400/p=1000/k=10", 400, 1000, 10}, {"n=2000/p=100/k=20", 2000, 100, 20}} {
		for _, restarts := range []int{1, 10, 50} {
			data := normalRows(s.n, s.p, 0)
			b.Run(fmt.Sprintf("%s/restarts=%d", s.name, restarts), func(b *testing.B) {
				for b.Loop() {
					seeder := must.Get(seeding.New("kmeans++", data, seeding.Options{K: s.k, Restarts: restarts}))(b)
					for r := range restarts {
						must.Get(seeder.Labels(context.Background(), r, 1))(b)
					}
				}
			})
		}
	}
}
