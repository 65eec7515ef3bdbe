package labelset

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
)

// flow is Project of a set whose cheapest labels are a flow of least cost. Its prices
// are those of the clusters, then what one row more would save each, then what one row fewer would.
func (s *set) flow(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	p, free := s.problem(at.Costs.Data)
	for place, n := range p.Taken {
		if n > p.Most[place.Cluster] {
			return framework.LabelPoint{}, s.Feasible(ctx) // held labels alone break a limit
		}
	}
	warm := at.Prices
	if len(warm) != 3*s.k {
		warm = nil
	}
	got, err := transport.Solve(ctx, p, transport.Options{Prices: warm[:min(len(warm), s.k)], Threads: at.Threads})
	if err != nil {
		return framework.LabelPoint{}, s.explain(ctx, err, free)
	}
	point := framework.LabelPoint{Cost: got.Total, Prices: slices.Concat(got.Prices, got.Looser, got.Fewer)}
	if free == nil {
		copy(labels, got.Labels)
		point.Bound = point.Cost
		return point, nil
	}
	for i := range s.held {
		if j := s.held[i]; j >= 0 && math.IsInf(at.Costs.Row(i)[j], 1) {
			return framework.LabelPoint{}, framework.Faultf(framework.Data, "infeasible-labels",
				"row %d is held by label %d, which it must not have", i, j)
		}
	}
	copy(labels, s.held)
	for t, i := range free {
		labels[i] = got.Labels[t]
	}
	point.Cost = at.Total(labels)
	point.Bound = point.Cost
	return point, nil
}

// problem returns the problem of the rows that no label holds. free has their numbers; nil: all.
func (s *set) problem(costs []float64) (p transport.Problem, free []int32) {
	lo, hi := s.tightest()
	p = transport.Problem{Rows: s.n, Clusters: s.k, Costs: costs, Lo: lo, Hi: hi}
	var most []int
	if s.columns() == 1 {
		p.Group, most = s.uniques[0].codes, slices.Clone(s.uniques[0].hi)
		for _, u := range s.uniques[1:] {
			for j := range most {
				most[j] = min(most[j], u.hi[j])
			}
		}
		p.Most = make([]int, 0, s.k)
		p.Most = append(p.Most, most...)
	}
	if s.held == nil {
		return p, nil
	}
	free = make([]int32, 0, s.n)
	p.Costs, p.Rows, p.Group = nil, 0, nil
	for i, j := range s.held {
		if j >= 0 {
			lo[j]--
			hi[j]--
			continue
		}
		free = append(free, int32(i))
		p.Costs = append(p.Costs, costs[i*s.k:i*s.k+s.k]...)
		if most != nil {
			p.Group = append(p.Group, s.uniques[0].codes[i])
		}
	}
	p.Rows = len(free)
	if most != nil {
		p.Taken = map[transport.Place]int{}
		for i, j := range s.held {
			if c := s.uniques[0].codes[i]; j >= 0 && c >= 0 {
				p.Taken[transport.Place{Group: c, Cluster: int(j)}]++
			}
		}
	}
	return p, free
}

// tightest returns the largest lo and the smallest hi of each cluster.
func (s *set) tightest() (lo, hi []int) {
	lo, hi = make([]int, s.k), slices.Repeat([]int{s.n}, s.k)
	for _, l := range s.sizes {
		lo[l.cluster] = max(lo[l.cluster], l.lo)
		hi[l.cluster] = min(hi[l.cluster], l.hi)
	}
	return lo, hi
}

// explain makes a Fault of an infeasible problem, if that is what the error is.
func (s *set) explain(ctx context.Context, err error, free []int32) error {
	var e *transport.Infeasible
	if !errors.As(err, &e) {
		return err
	}
	if f := s.Feasible(ctx); f != nil {
		return f
	}
	f := framework.Faultf(framework.Data, "infeasible-labels", "no labels of finite cost obey all limits of %d clusters", s.k).
		At("constraints").WithHint("make the limits looser")
	if e.Clusters == nil {
		row := e.Row
		if free != nil {
			row = int(free[row])
		}
		f.Summary = framework.Faultf(framework.Data, "", "row %d may be in no cluster", row).Summary
		return f
	}
	f.Details = append(f.Details, e.Error())
	for _, l := range s.sizes {
		if slices.Contains(e.Clusters, l.cluster) && s.rows[l.row] != "" && !slices.Contains(f.Details, s.rows[l.row]) {
			f.Details = append(f.Details, s.rows[l.row])
		}
	}
	return f
}

// price sets the prices of sizes: what one row more or fewer would save. A bound that another
// one repeats saves nothing if it alone is looser.
func (s *set) price(all []framework.Limit, prices []float64) {
	if len(prices) != 3*s.k || !s.flows() {
		return
	}
	lo, hi := s.tightest()
	los, his := make([]int, s.k), make([]int, s.k)
	sizes := map[[2]int]size{} // of each row and cluster
	for _, l := range s.sizes {
		sizes[[2]int{l.row, l.cluster}] = l
		los[l.cluster] += one(l.lo == lo[l.cluster])
		his[l.cluster] += one(l.hi == hi[l.cluster])
	}
	for i, l := range all {
		j := l.Cluster
		own, is := sizes[[2]int{l.Row, j}]
		if !is {
			continue
		}
		all[i].Price = 0
		if own.hi == hi[j] && his[j] == 1 {
			all[i].Price = prices[s.k+j]
		}
		if own.lo == lo[j] && los[j] == 1 {
			all[i].Price = max(all[i].Price, prices[2*s.k+j])
		}
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
