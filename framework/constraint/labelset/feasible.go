package labelset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
)

// Feasible implements framework.LabelSet. Whether there are labels within sizes and limits of
// one column's values is a question of a flow, which is always answered. With capacities or
// balances it is asked without them; if that has an answer, nobody knows.
func (s *set) Feasible(ctx context.Context) error {
	use := make([]bool, len(s.rows))
	for i := range use {
		use[i] = true
	}
	if s.possible(use) {
		if s.flows() {
			return nil
		}
		return s.undecided(ctx)
	}
	for i := len(use) - 1; i >= 0; i-- { // one by one, what is not needed goes
		if ctx.Err() != nil {
			return ctx.Err()
		}
		use[i] = false
		if s.possible(use) {
			use[i] = true
		}
	}
	return s.contradiction(use)
}

// contradiction returns the Fault that names the rows in use.
func (s *set) contradiction(use []bool) error {
	f := framework.Faultf(framework.Data, "infeasible-labels", "no labels of %d rows and %d clusters obey these limits together", s.n, s.k).
		At("constraints").WithHint("make one of them looser: without any one of them, there are labels that obey the others")
	for i, text := range s.rows {
		if use[i] && text != "" {
			f.Details = append(f.Details, text)
		}
	}
	if !s.flows() {
		f.Hint = "make one of them looser"
	}
	if len(f.Details) == 1 {
		f.Summary = fmt.Sprintf("no labels of %d rows and %d clusters obey this limit", s.n, s.k)
		f.Hint = "make it looser"
	}
	return f
}

// possible reports whether there are labels within the sizes and, for one column, the
// uniques of the rows in use.
func (s *set) possible(use []bool) bool {
	lo, hi := make([]int, s.k), slices.Repeat([]int{s.n}, s.k)
	for _, l := range s.sizes {
		if use[l.row] {
			lo[l.cluster] = max(lo[l.cluster], l.lo)
			hi[l.cluster] = min(hi[l.cluster], l.hi)
		}
	}
	least, most := 0, 0
	for j := range lo {
		if lo[j] > hi[j] || hi[j] < 0 {
			return false
		}
		least += lo[j]
		most += min(hi[j], s.n)
	}
	if least > s.n || most < s.n {
		return false
	}
	for _, u := range s.uniques { // each column by itself
		if use[u.row] && !s.spread(u, use, lo, hi) {
			return false
		}
	}
	return true
}

// spread reports whether the values of a column can be spread over the clusters. Values with
// as many rows are one: what flows to a cluster from them together can be shared out between them.
func (s *set) spread(u unique, use []bool, lo, hi []int) bool {
	limit := slices.Clone(u.hi)
	for _, o := range s.uniques {
		if use[o.row] && sameCodes(o.codes, u.codes) {
			for j := range limit {
				limit[j] = min(limit[j], o.hi[j])
			}
		}
	}
	values, counted := map[int]int{}, 0 // values by their number of rows
	for v := range u.groups.len() {
		values[len(u.groups.of(v))]++
		counted += len(u.groups.of(v))
	}
	from := []transport.Source{{Rows: s.n - counted, Most: slices.Repeat([]int{s.n}, s.k)}} // NULLs
	for _, rows := range slices.Sorted(maps.Keys(values)) {
		one := transport.Source{Rows: rows * values[rows], Most: slices.Clone(limit)}
		for j := range one.Most {
			one.Most[j] *= values[rows]
		}
		from = append(from, one)
	}
	return transport.Feasible(from, lo, hi)
}
