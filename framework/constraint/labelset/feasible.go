package labelset

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// Feasible implements framework.LabelSet. Whether there are labels within sizes and limits of
// one column's values is a question of a flow, which is always answered. Of capacities and
// balances only what counting shows is known; if that leaves room, nobody knows.
func (s *set) Feasible(ctx context.Context) error {
	try := (*set).possible
	if !s.flows() && s.countable() {
		try = func(s *set, use []bool) bool { return s.possible(use) && s.obeyed(ctx, use) }
	}
	use := make([]bool, len(s.rows))
	for i := range use {
		use[i] = true
	}
	if try(s, use) {
		if s.flows() || s.countable() {
			return ctx.Err()
		}
		return framework.Undecided{Why: fmt.Sprintf("whether any labels of %s obey all limits is not known before they are found",
			words.Plural(s.n, "row"))}
	}
	for i := len(use) - 1; i >= 0; i-- { // one by one, what is not needed goes
		if ctx.Err() != nil {
			return ctx.Err()
		}
		use[i] = false
		if try(s, use) {
			use[i] = true
		}
	}
	free := *s
	free.held = nil
	return s.contradiction(use, s.held != nil && try(&free, use))
}

// FeasibleWith implements constraint.Holder: rows with a label in held, not −1, have that label.
func (s *set) FeasibleWith(ctx context.Context, held []int32) error {
	with := *s
	if slices.ContainsFunc(held, func(j int32) bool { return j >= 0 }) {
		with.held = held
	}
	return with.Feasible(ctx)
}

// contradiction returns the Fault that names the rows in use, and says that they leave no room for
// labels that are held if these are needed for it.
func (s *set) contradiction(use []bool, held bool) error {
	f := framework.Faultf(framework.Data, "infeasible-labels", "no labels of %s obey these limits together", s.extent()).
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
		f.Summary = fmt.Sprintf("no labels of %s obey this limit", s.extent())
		f.Hint = "make it looser"
	}
	if why := s.only(use).uncountable(); why != "" {
		f.Details = append(f.Details, why)
	}
	if held {
		f.Summary += " and leave each row whose class is certain in the cluster of its class"
		for j, rows := range count(s.held, s.k) {
			if rows > 0 {
				f.Details = append(f.Details, fmt.Sprintf("known classes: %s certain to be in cluster %d",
					words.Counted(rows, "row is", "rows are"), j))
			}
		}
		_ = f.At("labels").WithHint("%s, or give doubtful classes a weight", f.Hint)
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
	sub := s.only(use)
	if sub.uncountable() != "" {
		return false
	}
	for j, empty := range sub.empties() {
		if empty {
			hi[j] = 0
		}
	}
	fixed := make([]int, s.k) // rows that are held
	if s.held != nil {
		fixed = count(s.held, s.k)
	}
	for j, rows := range fixed {
		if hi[j] < rows {
			return false
		}
		lo[j] = max(lo[j], rows)
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
	var from []transport.Source
	null := transport.Source{Rows: s.n, Most: slices.Repeat([]int{s.n}, s.k)}
	if s.held != nil {
		from, null.Rows = s.heldOf(u, limit)
		if from == nil {
			return false
		}
	} else {
		for v := range u.groups.len() {
			values[len(u.groups.of(v))]++
			counted += len(u.groups.of(v))
		}
		null.Rows -= counted
	}
	from = append(from, null)
	for _, rows := range slices.Sorted(maps.Keys(values)) {
		one := transport.Source{Rows: rows * values[rows], Most: slices.Clone(limit)}
		for j := range one.Most {
			one.Most[j] *= values[rows]
		}
		from = append(from, one)
	}
	return transport.Feasible(from, lo, hi)
}

// heldOf returns the sources of a column's values where rows are held: those that are, by cluster, and of each value
// the others, for which there is less room. It returns nil where those that are held break the limit. others is
// the number of rows without a value that are free.
func (s *set) heldOf(u unique, limit []int) (from []transport.Source, others int) {
	for j, rows := range count(s.held, s.k) {
		one := transport.Source{Rows: rows, Most: make([]int, s.k)}
		one.Most[j] = rows
		from = append(from, one)
	}
	for i, v := range u.codes {
		if v < 0 && s.held[i] < 0 {
			others++
		}
	}
	for v := range u.groups.len() {
		one := transport.Source{Most: slices.Clone(limit)}
		for _, i := range u.groups.of(v) {
			switch j := s.held[i]; {
			case j < 0:
				one.Rows++
			case one.Most[j] == 0:
				return nil, 0
			default:
				one.Most[j]--
			}
		}
		from = append(from, one)
	}
	return from, others
}
