package labelset

import (
	"cmp"
	"slices"
)

// A proposal is a row that may go from a cluster to another, and a row that may come back, or −1.
type proposal struct {
	row, from, to, back int
	price               float64 // what it costs; when limits are repaired: for each unit
}

func inOrder(a, b proposal) int {
	return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.row, b.row), cmp.Compare(a.to, b.to), cmp.Compare(a.back, b.back))
}

const (
	passes = 60    // limit of passes of a repair and of a descent
	sample = 256   // rows of a cluster that are looked at for exchanges, and exchanges of two clusters that are kept
	tiny   = 1e-12 // less than what any limit can be broken by
)

// stands reports whether nothing has moved that a proposal is about.
func (st *state) stands(p proposal) bool {
	return int(st.labels[p.row]) == p.from && (p.back < 0 || int(st.labels[p.back]) == p.to)
}

func (st *state) do(p proposal) {
	st.move(p.row, p.to)
	if p.back >= 0 {
		st.move(p.back, p.from)
	}
}

// repair moves rows, and then exchanges them, as long as limits are broken less by it: those
// first that cost least for what they repair. It reports whether all limits are obeyed.
func (st *state) repair() bool {
	for range passes {
		bad := st.broken()
		if len(bad) == 0 {
			return true
		}
		if !st.mend(st.repairs(bad)) && !st.mend(st.exchanges(bad)) {
			return false
		}
	}
	return len(st.broken()) == 0
}

// mend does the proposals that still repair something, and reports whether there was one.
func (st *state) mend(all []proposal) (some bool) {
	slices.SortFunc(all, inOrder)
	for _, p := range all {
		if st.stands(p) && st.better(p.row, p.from, p.to, p.back) > tiny {
			st.do(p)
			some = true
		}
	}
	return some
}

// repairs returns moves of single rows from or to clusters whose limits are broken.
func (st *state) repairs(bad []int) (all []proposal) {
	isBad := make([]bool, st.set.k)
	for _, j := range bad {
		isBad[j] = true
	}
	for i, j := range st.labels {
		if st.ended(i) {
			return nil
		}
		a := int(j)
		for b := range st.set.k {
			if b == a || !isBad[a] && !isBad[b] || !st.may(i, b) {
				continue
			}
			if by := st.better(i, a, b, -1); by > tiny {
				all = append(all, proposal{i, a, b, -1, st.dearer(i, a, b, -1) / by})
			}
		}
	}
	return all
}

// exchanges returns exchanges of two rows, one of them of a cluster whose limits are
// broken. Of each cluster, at most sample rows are looked at, and of each two clusters the best sample exchanges
// are kept.
func (st *state) exchanges(bad []int) (all []proposal) {
	members := st.members()
	var pair []proposal // of a and b
	for _, a := range bad {
		for b := range st.set.k {
			if b == a {
				continue
			}
			pair = pair[:0]
			for _, i := range spaced(members[a]) {
				if st.ended(0) {
					return nil
				}
				if !st.may(i, b) {
					continue
				}
				for _, back := range spaced(members[b]) {
					if !st.may(back, a) {
						continue
					}
					if by := st.better(i, a, b, back); by > tiny {
						pair = append(pair, proposal{i, a, b, back, st.dearer(i, a, b, back) / by})
					}
				}
			}
			slices.SortFunc(pair, inOrder)
			all = append(all, pair[:min(len(pair), sample)]...)
		}
	}
	return all
}

func (st *state) members() [][]int {
	members := make([][]int, st.set.k)
	for i, j := range st.labels {
		members[j] = append(members[j], i)
	}
	return members
}

// spaced returns at most sample rows, from the whole length of a list.
func spaced(rows []int) []int {
	if len(rows) <= sample {
		return rows
	}
	some := make([]int, sample)
	for t := range some {
		some[t] = rows[t*len(rows)/sample]
	}
	return some
}

// descend moves and exchanges rows as long as labels that obey cost less by it and
// obey after it.
func (st *state) descend() {
	for range passes {
		if !st.relocate() && !st.exchange() {
			return
		}
	}
}

// obeys reports whether a proposal breaks no limit, if none is broken now.
func (st *state) obeys(p proposal) bool { return st.better(p.row, p.from, p.to, p.back) > -tiny }

func (st *state) relocate() (some bool) {
	for i := range st.labels {
		if st.ended(i) {
			return false
		}
		a := int(st.labels[i])
		best := proposal{price: 0}
		for b := range st.set.k {
			if b == a || !st.may(i, b) {
				continue
			}
			p := proposal{i, a, b, -1, st.dearer(i, a, b, -1)}
			if p.price < best.price && st.obeys(p) {
				best = p
			}
		}
		if best.price < 0 {
			st.do(best)
			some = true
		}
	}
	return some
}

// exchange looks, for each two clusters, at the rows that would gain most by changing places: the
// fewer the more clusters there are, so that all lists together have some four of each row.
func (st *state) exchange() (some bool) {
	members := st.members()
	lists := make([][]proposal, st.set.k*st.set.k)
	most := min(sample, 4*len(st.labels)/(st.set.k*st.set.k)+8)
	var list []proposal
	for a, rows := range members {
		for b := range st.set.k {
			if a == b {
				continue
			}
			list = list[:0]
			for _, i := range rows {
				if st.may(i, b) {
					list = append(list, proposal{i, a, b, -1, st.dearer(i, a, b, -1)})
				}
			}
			slices.SortFunc(list, inOrder)
			lists[a*st.set.k+b] = slices.Clone(list[:min(len(list), most)])
		}
	}
	for a := range st.set.k {
		for b := range st.set.k {
			if st.ended(0) {
				return false
			}
			back := lists[b*st.set.k+a]
			for _, p := range lists[a*st.set.k+b] {
				if p.price >= 0 && a > b || len(back) == 0 || p.price+back[0].price >= 0 {
					break // with the lists the other way round, if at all
				}
				for _, q := range back {
					one := proposal{p.row, a, b, q.row, p.price + q.price}
					if one.price >= 0 {
						break
					}
					if st.stands(one) && st.obeys(one) {
						st.do(one)
						some = true
						break
					}
				}
			}
		}
	}
	return some
}
