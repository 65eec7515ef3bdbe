package labelset

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	if s.possible(use, true) {
		if s.flows() {
			return nil
		}
		return s.undecided(ctx)
	}
	held := s.held != nil
	if held && !s.possible(use, false) {
		held = false // the rows contradict each other without it
	}
	for i := len(use) - 1; i >= 0; i-- { // one by one, what is not needed goes
		if ctx.Err() != nil {
			return ctx.Err()
		}
		use[i] = false
		if s.possible(use, held) {
			use[i] = true
		}
	}
	return s.contradiction(use, held)
}

// contradiction returns the Fault that names the rows in use.
func (s *set) contradiction(use []bool, held bool) error {
	f := framework.Faultf(framework.Data, "infeasible-labels", "no labels of %d rows and %d clusters obey these limits together", s.n, s.k).
		At("constraints").WithHint("make one of them looser: without any one of them, there are labels that obey the others")
	for i, text := range s.rows {
		if use[i] && text != "" {
			f.Details = append(f.Details, text)
		}
	}
	if len(f.Details) == 1 && !held {
		f.Summary = fmt.Sprintf("no labels of %d rows and %d clusters obey this limit", s.n, s.k)
		f.Hint = "make it looser"
	}
	if held {
		counts := count(s.held, s.k)
		var some []string
		for j, n := range counts {
			if n > 0 {
				some = append(some, fmt.Sprintf("%d in cluster %d", n, j))
			}
		}
		f.Details = append(f.Details, "the known labels: "+strings.Join(some, ", "))
	}
	return f
}

// possible reports whether there are labels within the sizes and, for one column, the
// uniques of the rows in use, and those that are held if held is true.
func (s *set) possible(use []bool, held bool) bool {
	lo, hi := make([]int, s.k), slices.Repeat([]int{s.n}, s.k)
	for _, l := range s.sizes {
		if use[l.row] {
			lo[l.cluster] = max(lo[l.cluster], l.lo)
			hi[l.cluster] = min(hi[l.cluster], l.hi)
		}
	}
	fixed := s.held
	if !held {
		fixed = nil
	}
	counts := make([]int, s.k)
	if fixed != nil {
		counts = count(fixed, s.k)
	}
	least, most := 0, 0
	for j := range lo {
		if lo[j] > hi[j] || counts[j] > hi[j] || hi[j] < 0 {
			return false
		}
		least += max(lo[j], counts[j])
		most += min(hi[j], s.n)
	}
	if least > s.n || most < s.n {
		return false
	}
	for _, u := range s.uniques { // each column by itself
		if use[u.row] && !s.spread(u, use, fixed, lo, hi) {
			return false
		}
	}
	return true
}

// spread reports whether the values of a column can be spread over the clusters. Values with
// as many rows, and as many of them held by each label, are one: what flows to
// a cluster from them together can be shared out between them.
func (s *set) spread(u unique, use []bool, fixed []int32, lo, hi []int) bool {
	limit := slices.Clone(u.hi)
	for _, o := range s.uniques {
		if use[o.row] && sameCodes(o.codes, u.codes) {
			for j := range limit {
				limit[j] = min(limit[j], o.hi[j])
			}
		}
	}
	type class struct {
		values, rows int
		held         []int
	}
	classes := map[string]*class{}
	var names []string
	add := func(rows []int32, values int) bool {
		c := class{values: values, rows: len(rows), held: make([]int, s.k)}
		for _, i := range rows {
			if fixed != nil && fixed[i] >= 0 {
				c.held[fixed[i]]++
			}
		}
		for j, n := range c.held {
			if values > 0 && n > limit[j] {
				return false
			}
		}
		name := fmt.Sprint(values > 0, c.rows, c.held)
		if classes[name] == nil {
			classes[name] = &c
			names = append(names, name)
			return true
		}
		classes[name].values++
		return true
	}
	for v := range u.groups.len() {
		if !add(u.groups.of(v), 1) {
			return false
		}
	}
	var nulls []int32
	for i, c := range u.codes {
		if c < 0 {
			nulls = append(nulls, int32(i))
		}
	}
	add(nulls, 0)
	var from []transport.Source
	for _, name := range names {
		c := classes[name]
		times := max(c.values, 1)
		one := transport.Source{Rows: c.rows * times, Least: make([]int, s.k), Most: make([]int, s.k)}
		for j := range s.k {
			one.Least[j] = c.held[j] * times
			one.Most[j] = limit[j] * times
			if c.values == 0 {
				one.Most[j] = s.n
			}
		}
		from = append(from, one)
	}
	return transport.Feasible(from, lo, hi)
}
