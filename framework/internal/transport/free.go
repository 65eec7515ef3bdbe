package transport

import "context"

// free returns the solution where no bound is reached if each row goes to its cheapest
// cluster, the lowest of equals: these labels cost least, bounds or not, and lower ones
// would cost more. A row more or fewer changes nothing then, and all prices are 0: each
// cluster and the pool can be reached from each other at no cost. It is nil elsewhere.
func free[N number[N]](ctx context.Context, p Problem, threads, unit int) (*Solution, error) {
	n, k := p.Rows, p.Clusters
	if p.Group != nil || n == 0 {
		return nil, nil
	}
	done := &Solution{Labels: make([]int32, n), Sizes: make([]int, k), Prices: make([]float64, k),
		Looser: make([]float64, k), Fewer: make([]float64, k)}
	err := chunks(ctx, threads, n, func(_, _, from, to int) error {
		for i := from; i < to; i++ {
			row := p.Costs[i*k : i*k+k]
			best, least := 0, row[0]
			for j, c := range row {
				if c < least {
					best = j
				}
				least = min(least, c)
			}
			done.Labels[i] = int32(best)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, j := range done.Labels {
		done.Sizes[j]++
	}
	for j, size := range done.Sizes {
		if size <= p.Lo[j] || size >= p.Hi[j] {
			return nil, nil
		}
	}
	var total N
	for i, j := range done.Labels {
		total = total.plus(exact[N](p.Costs[i*k+int(j)], unit))
	}
	done.Total = total.float(unit)
	return done, nil
}
