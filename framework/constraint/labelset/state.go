package labelset

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A state is labels of all rows, with all that is counted of them.
type state struct {
	set    *set
	costs  framework.Matrix
	labels []int32
	sizes  []int
	totals []int64   // of each sum
	codes  [][]int32 // of each column that is counted
	counts [][]int32 // of each column: values × clusters
	on     []limitsOn
	lo, hi []int
}

// limitsOn are the limits of one cluster.
type limitsOn struct {
	sums     []int
	balances []counted
	uniques  []counted
}

// counted is a limit and the column that it counts.
type counted struct{ limit, column int }

// newState returns a state without rows.
func (s *set) newState(costs framework.Matrix) *state {
	st := &state{set: s, costs: costs, labels: slices.Repeat([]int32{-1}, s.n), sizes: make([]int, s.k),
		totals: make([]int64, len(s.sums)), on: make([]limitsOn, s.k)}
	st.lo, st.hi = s.tightest()
	for i, l := range s.sums {
		st.on[l.cluster].sums = append(st.on[l.cluster].sums, i)
	}
	column := func(codes []int32, values int) int {
		for c, have := range st.codes {
			if sameCodes(have, codes) {
				return c
			}
		}
		st.codes = append(st.codes, codes)
		st.counts = append(st.counts, make([]int32, values*s.k))
		return len(st.codes) - 1
	}
	for i, l := range s.uniques {
		c := column(l.codes, len(l.values))
		for j := range s.k {
			if l.hi[j] < s.n {
				st.on[j].uniques = append(st.on[j].uniques, counted{i, c})
			}
		}
	}
	for i, l := range s.balances {
		st.on[l.cluster].balances = append(st.on[l.cluster].balances, counted{i, column(l.codes, len(l.values))})
	}
	return st
}

// fill gives all rows labels.
func (st *state) fill(labels []int32) {
	copy(st.labels, labels)
	clear(st.sizes)
	clear(st.totals)
	for c := range st.counts {
		clear(st.counts[c])
		for i, j := range labels {
			if v := st.codes[c][i]; v >= 0 {
				st.counts[c][int(v)*st.set.k+int(j)]++
			}
		}
	}
	for i, j := range labels {
		st.sizes[j]++
		for _, l := range st.on[j].sums {
			st.totals[l] += st.set.sums[l].amounts[i]
		}
	}
}

// may reports whether a row may have a label, whatever the others have.
func (st *state) may(i, j int) bool {
	return !math.IsInf(st.costs.Row(i)[j], 1) && (st.set.held == nil || st.set.held[i] < 0 || int(st.set.held[i]) == j)
}

// off returns how far cluster j would be from its limits with row in more and row out fewer, −1:
// none. Rows count 1, sums by their typical amounts.
func (st *state) off(j, out, in int) float64 {
	size := st.sizes[j] + one(in >= 0) - one(out >= 0)
	by := float64(max(0, st.lo[j]-size, size-st.hi[j]))
	on := &st.on[j]
	for _, i := range on.sums {
		l := &st.set.sums[i]
		total := st.totals[i]
		if in >= 0 {
			total += l.amounts[in]
		}
		if out >= 0 {
			total -= l.amounts[out]
		}
		if total < l.lo || total > l.hi {
			by += l.off(total) / l.size
		}
	}
	for _, b := range on.balances {
		l := &st.set.balances[b.limit]
		lo, hi := l.bounds(size)
		for v := range len(l.values) {
			n := st.count(b.column, l.codes, v, j, out, in)
			by += float64(max(0, lo-n, n-hi))
		}
	}
	for _, u := range on.uniques {
		by += st.offUnique(u, j, out, in)
	}
	return by
}

// offUnique counts the values of the two rows only: those of others do not change.
func (st *state) offUnique(u counted, j, out, in int) (by float64) {
	l := &st.set.uniques[u.limit]
	seen := int32(-1)
	for _, i := range [2]int{in, out} {
		if i < 0 || l.codes[i] < 0 || l.codes[i] == seen {
			continue
		}
		seen = l.codes[i]
		by += float64(max(0, st.count(u.column, l.codes, int(seen), j, out, in)-l.hi[j]))
	}
	return by
}

func (st *state) count(column int, codes []int32, v, j, out, in int) int {
	n := int(st.counts[column][v*st.set.k+j])
	if in >= 0 && int(codes[in]) == v {
		n++
	}
	if out >= 0 && int(codes[out]) == v {
		n--
	}
	return n
}

// better returns by how much less the limits of a and b are broken if row i goes from a to
// b, and row back, unless it is −1, from b to a.
func (st *state) better(i, a, b, back int) float64 {
	now := st.off(a, -1, -1) + st.off(b, -1, -1)
	for _, j := range [2]int{a, b} { // off without rows leaves uniques out
		for _, u := range st.on[j].uniques {
			now += st.offNow(u, j, i, back)
		}
	}
	return now - st.off(a, i, back) - st.off(b, back, i)
}

// offNow is offUnique before the rows have moved.
func (st *state) offNow(u counted, j, i, back int) (by float64) {
	l := &st.set.uniques[u.limit]
	seen := int32(-1)
	for _, r := range [2]int{i, back} {
		if r < 0 || l.codes[r] < 0 || l.codes[r] == seen {
			continue
		}
		seen = l.codes[r]
		by += float64(max(0, int(st.counts[u.column][int(seen)*st.set.k+j])-l.hi[j]))
	}
	return by
}

// dearer returns by how much more the labels cost if the rows move.
func (st *state) dearer(i, a, b, back int) float64 {
	d := st.costs.Row(i)[b] - st.costs.Row(i)[a]
	if back >= 0 {
		d += st.costs.Row(back)[a] - st.costs.Row(back)[b]
	}
	return d
}

// move gives row i another label.
func (st *state) move(i, to int) {
	from := int(st.labels[i])
	st.labels[i] = int32(to)
	st.sizes[from]--
	st.sizes[to]++
	for _, l := range st.on[from].sums {
		st.totals[l] -= st.set.sums[l].amounts[i]
	}
	for _, l := range st.on[to].sums {
		st.totals[l] += st.set.sums[l].amounts[i]
	}
	for c, codes := range st.codes {
		if v := codes[i]; v >= 0 {
			st.counts[c][int(v)*st.set.k+from]--
			st.counts[c][int(v)*st.set.k+to]++
		}
	}
}

// broken returns the clusters whose limits are broken.
func (st *state) broken() []int {
	bad := make([]bool, st.set.k)
	for j := range bad {
		bad[j] = st.off(j, -1, -1) > 0
		for _, u := range st.on[j].uniques {
			for v := range len(st.set.uniques[u.limit].values) {
				bad[j] = bad[j] || int(st.counts[u.column][v*st.set.k+j]) > st.set.uniques[u.limit].hi[j]
			}
		}
	}
	var all []int
	for j, b := range bad {
		if b {
			all = append(all, j)
		}
	}
	return all
}
