package transport

import (
	"context"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// chunk is the number of rows that a goroutine takes at a time.
const chunk = 8192

// chunks calls work for parts of n rows, on several goroutines.
func chunks(ctx context.Context, threads, n int, work func(worker, part, from, to int) error) error {
	return parallel.For(ctx, threads, (n+chunk-1)/chunk, func(worker, part int) error {
		return work(worker, part, part*chunk, min(n, (part+1)*chunk))
	})
}

// largest is the limit of finite costs: differences of two, and ways of them, are
// finite as well.
const largest = 0x1p1000

// scale looks at all costs. It returns the largest absolute cost, the exponent of the
// unit of which all are multiples, and the number of bits from the unit to above the
// largest.
func scale(ctx context.Context, threads int, p Problem) (top float64, unit, width int, err error) {
	// Absolute values of floats are in the order of their bits.
	type seen struct{ low, top uint64 }
	const none, sign = math.MaxUint64, 1 << 63
	limit := math.Float64bits(largest)
	workers := make([]seen, max(threads, 1))
	for w := range workers {
		workers[w].low = none
	}
	k := p.Clusters
	err = chunks(ctx, threads, p.Rows, func(worker, _, from, to int) error {
		s := workers[worker]
		for i := from; i < to; i++ {
			some := false
			for j, c := range p.Costs[i*k : i*k+k] {
				a := math.Float64bits(c) &^ sign
				if a > limit {
					if !math.IsInf(c, 1) {
						return fmt.Errorf("the cost of row %d in cluster %d is %g", i, j, c)
					}
					continue
				}
				some = true
				s.top = max(s.top, a)
				s.low = min(s.low, a-1) // 0 becomes the largest number
			}
			if !some {
				return &Infeasible{Row: i, Rows: 1}
			}
		}
		workers[worker] = s
		return nil
	})
	all := seen{low: none}
	for _, s := range workers {
		all = seen{min(all.low, s.low), max(all.top, s.top)}
	}
	top, low := math.Float64frombits(all.top), math.Float64frombits(all.low+1)
	if top == 0 {
		return 0, 0, 0, err
	}
	_, unit = split(low)
	_, high := split(top)
	return top, unit, high - unit + 53 + spare(p.Rows, k), err
}
