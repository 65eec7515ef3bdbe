package labelset

import (
	"context"
	"errors"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
)

// flow is Project of a set whose cheapest labels are a flow of least cost. Its prices
// are those of the clusters, then what one row more would save each, then what one row fewer would.
func (s *set) flow(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	warm := at.Prices
	if len(warm) != 3*s.k {
		warm = nil
	}
	got, err := transport.Solve(ctx, s.problem(at.Costs.Data), transport.Options{Prices: warm[:min(len(warm), s.k)], Threads: at.Threads})
	if err != nil {
		return framework.LabelPoint{}, s.explain(ctx, err)
	}
	copy(labels, got.Labels)
	return framework.LabelPoint{Cost: got.Total, Bound: got.Total, Prices: slices.Concat(got.Prices, got.Looser, got.Fewer)}, nil
}

// problem returns the flow: sizes, and limits of values of one column.
func (s *set) problem(costs []float64) transport.Problem {
	lo, hi := s.tightest()
	p := transport.Problem{Rows: s.n, Clusters: s.k, Costs: costs, Lo: lo, Hi: hi}
	if s.columns() == 1 {
		p.Group, p.Most = s.uniques[0].codes, slices.Clone(s.uniques[0].hi)
		for _, u := range s.uniques[1:] {
			for j := range p.Most {
				p.Most[j] = min(p.Most[j], u.hi[j])
			}
		}
	}
	return p
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
func (s *set) explain(ctx context.Context, err error) error {
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
		f.Summary = e.Error()
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
