package transport_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// BenchmarkSolve times the projection alone: cold without prices, warm with those of
// the same rows before the centers have moved a little.
func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct{ n, k int }{{10000, 20}, {50000, 10}, {100000, 20}, {1000000, 20}, {20000, 200}, {10000, 1000}} {
		p := mixture(1, size.n, size.k)
		moved := p
		moved.Costs = make([]float64, len(p.Costs))
		for i, c := range p.Costs {
			moved.Costs[i] = c * (1 + 0.01*float64(i%size.k)/float64(size.k))
		}
		before := must.Get(transport.Solve(b.Context(), moved, transport.Options{Threads: 2}))(b).Prices
		for name, prices := range map[string][]float64{"cold": nil, "warm": before} {
			b.Run(fmt.Sprintf("%dx%d/%s", size.n, size.k, name), func(b *testing.B) {
				for b.Loop() {
					must.Get(transport.Solve(b.Context(), p, transport.Options{Threads: 2, Prices: prices}))(b)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.n), "ns/row")
			})
		}
	}
}

// BenchmarkSolveGroups is BenchmarkSolve for rows of which a cluster may have one of each
// five.
func BenchmarkSolveGroups(b *testing.B) {
	for _, size := range []struct{ n, k int }{{10000, 10}, {50000, 10}, {100000, 20}} {
		for _, group := range []int{5, 1000} {
			p := mixture(1, size.n, size.k)
			for i := range size.n {
				p.Group = append(p.Group, int32(i/group))
			}
			for range size.k {
				p.Most = append(p.Most, 1+group/size.k*11/10)
			}
			b.Run(fmt.Sprintf("%dx%d/%d", size.n, size.k, group), func(b *testing.B) {
				for b.Loop() {
					must.Get(transport.Solve(b.Context(), p, transport.Options{Threads: 2}))(b)
				}
			})
		}
	}
}
