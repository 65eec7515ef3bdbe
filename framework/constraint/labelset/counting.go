package labelset

import (
	"fmt"
	"slices"
)

// uncountable returns why counting alone shows that no labels obey, or "": a cluster has two limits of a sum that
// exclude each other, a column adds up to more than all clusters may have together, or to less, or a value has a
// share of all rows that no shares of the clusters make up. Of several limits of a cluster and a column the tightest counts.
func (s *set) uncountable() string {
	empty := s.empties()
	for i, l := range s.sums {
		if slices.ContainsFunc(s.sums[:i], l.sameColumn) {
			continue
		}
		if why := s.sumsOf(l, empty); why != "" {
			return why
		}
	}
	for i, l := range s.balances {
		same := func(o balance) bool { return sameCodes(o.codes, l.codes) }
		if slices.ContainsFunc(s.balances[:i], same) {
			continue
		}
		if why := s.sharesOf(l, empty); why != "" {
			return why
		}
	}
	return ""
}

// sameColumn reports whether two limits add up the same numbers.
func (l sum) sameColumn(o sum) bool {
	if len(l.amounts) > 0 && len(o.amounts) > 0 && &l.amounts[0] == &o.amounts[0] {
		return true
	}
	return l.unit.Cmp(o.unit) == 0 && slices.Equal(l.amounts, o.amounts)
}

// sumsOf is uncountable of the limits of one column's sums.
func (s *set) sumsOf(of sum, empty []bool) string {
	negative, positive := int64(0), int64(0) // no sum is below, or above
	for _, a := range of.amounts {
		negative, positive = negative+min(a, 0), positive+max(a, 0)
	}
	total, least, most := negative+positive, 0.0, 0.0
	lo, hi := slices.Repeat([]int64{negative}, s.k), slices.Repeat([]int64{positive}, s.k)
	for _, l := range s.sums {
		if l.sameColumn(of) {
			lo[l.cluster], hi[l.cluster] = max(lo[l.cluster], l.lo), min(hi[l.cluster], l.hi)
		}
	}
	for j := range s.k {
		if empty[j] {
			lo[j], hi[j] = max(lo[j], 0), min(hi[j], 0)
		}
		if lo[j] > positive || hi[j] < negative {
			return fmt.Sprintf("all rows together have %g", of.number(total))
		}
		if lo[j] > hi[j] {
			return fmt.Sprintf("cluster %d: its sum must be at least %g, and is at most %g", j, of.number(lo[j]), of.number(hi[j]))
		}
		least += float64(lo[j])
		most += float64(hi[j])
	}
	rounding := 0.5 + 1e-12*(float64(positive)-float64(negative))*float64(s.k) // sums are those of whole numbers
	if least-float64(total) > rounding || float64(total)-most > rounding {
		return fmt.Sprintf("all rows together have %g", of.number(total))
	}
	return ""
}

// sharesOf is uncountable of the limits of the shares of one column's values: those of all rows are between the
// lowest and the highest of the clusters that may have rows.
func (s *set) sharesOf(of balance, empty []bool) string {
	lo, hi := s.shares(of)
	all := of
	all.lo, all.hi = whole, 0
	for j := range s.k {
		if !empty[j] {
			all.lo, all.hi = min(all.lo, lo[j]), max(all.hi, hi[j])
		}
	}
	if !slices.Contains(empty, false) {
		return "" // no cluster may have rows: that is said of the sizes
	}
	counts := make([]int, len(of.values))
	for _, c := range of.codes {
		if c >= 0 {
			counts[c]++
		}
	}
	for v, n := range counts {
		if all.off(n, s.n) > 0 {
			return fmt.Sprintf("of all rows, %.4g have the value %s", float64(n)/float64(s.n), of.values[v])
		}
	}
	return ""
}

// shares returns the tightest limits of each cluster for the shares of the values of a column.
func (s *set) shares(of balance) (lo, hi []share) {
	lo, hi = make([]share, s.k), slices.Repeat([]share{whole}, s.k)
	for _, l := range s.balances {
		if sameCodes(l.codes, of.codes) {
			lo[l.cluster], hi[l.cluster] = max(lo[l.cluster], l.lo), min(hi[l.cluster], l.hi)
		}
	}
	return lo, hi
}

// empties reports of each cluster whether its balances are such that it can have no rows: shares of a column's values would
// add up to more than 1, or to less where each row has a value.
func (s *set) empties() []bool {
	empty := make([]bool, s.k)
	for _, l := range s.balances {
		lo, hi := s.shares(l)
		j, values := l.cluster, float64(len(l.values))
		more := float64(lo[j])*values > whole*(1+1e-12)
		less := float64(hi[j])*values < whole*(1-1e-12) && !slices.Contains(l.codes, -1)
		empty[j] = empty[j] || more || less || lo[j] > hi[j]
	}
	return empty
}

// OnlyEmpty reports of each cluster whether the limits leave it no rows: those of its size, or its balances.
func (s *set) OnlyEmpty() []bool {
	empty := s.empties()
	_, hi := s.tightest()
	for j := range empty {
		empty[j] = empty[j] || hi[j] <= 0
	}
	return empty
}
