package labelset

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A state is labels of all rows, with all that is counted of them.
type state struct {
	set     *set
	costs   framework.Matrix
	labels  []int32
	sizes   []int
	totals  []int64   // of each sum
	amounts [][]int64 // of each column that is added up
	ofSum   []int     // of each sum: its column of amounts
	codes   [][]int32 // of each column that is counted
	counts  [][]int32 // of each column: values × clusters
	on      []limitsOn
	lo, hi  []int
	now     []float64 // of each cluster: how far it is from its limits but those of values
	over    []int     // of each cluster: rows above limits of values
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
		totals: make([]int64, len(s.sums)), on: make([]limitsOn, s.k), now: make([]float64, s.k), over: make([]int, s.k)}
	st.lo, st.hi = s.tightest()
	for i, l := range s.sums {
		st.on[l.cluster].sums = append(st.on[l.cluster].sums, i)
		c := slices.IndexFunc(st.amounts, func(have []int64) bool { return len(have) == 0 || &have[0] == &l.amounts[0] })
		if c < 0 {
			c, st.amounts = len(st.amounts), append(st.amounts, l.amounts)
		}
		st.ofSum = append(st.ofSum, c)
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
	for j := range st.now {
		st.now[j], st.over[j] = st.off(j, -1, -1), 0
		for _, u := range st.on[j].uniques {
			l := &st.set.uniques[u.limit]
			for v := range len(l.values) {
				st.over[j] += max(0, int(st.counts[u.column][v*st.set.k+j])-l.hi[j])
			}
		}
	}
}

// may reports whether a row may have a label, whatever the others have.
func (st *state) may(i, j int) bool { return !math.IsInf(st.costs.Row(i)[j], 1) }

// broken returns how far all clusters are from their limits.
func (st *state) broken() (by float64) {
	for j := range st.now {
		by += st.at(j)
	}
	return by
}

// at returns how far cluster j is from its limits.
func (st *state) at(j int) float64 { return st.now[j] + float64(st.over[j]) }

// change returns by how much more the limits of cluster j would be broken with row in more and row out fewer, −1: none.
func (st *state) change(j, out, in int) float64 {
	return st.off(j, out, in) - st.now[j] + st.values(j, out, in)
}

// values is change of limits of values alone.
func (st *state) values(j, out, in int) (by float64) {
	for _, u := range st.on[j].uniques { // the values of the two rows only: those of others do not change
		l := &st.set.uniques[u.limit]
		for t, i := range [2]int{out, in} {
			if i < 0 || l.codes[i] < 0 || t == 1 && out >= 0 && l.codes[i] == l.codes[out] {
				continue
			}
			v := int(l.codes[i])
			by += float64(max(0, st.count(u.column, l.codes, v, j, out, in)-l.hi[j]) - max(0, int(st.counts[u.column][v*st.set.k+j])-l.hi[j]))
		}
	}
	return by
}

// off returns how far cluster j would be from its limits but those of values, with row in more and row out fewer, −1:
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

// move gives row i another label.
func (st *state) move(i, to int) {
	from := int(st.labels[i])
	st.labels[i] = int32(to)
	st.over[from] += int(st.values(from, i, -1))
	st.over[to] += int(st.values(to, -1, i))
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
	st.now[from], st.now[to] = st.off(from, -1, -1), st.off(to, -1, -1)
}
