package labelset

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A descent moves rows of a state as long as the penalized cost falls: what labels cost, with a penalty for each unit
// by which they break limits. Rows move, and two change places.
//
// With costs at good prices, a row has few clusters that are not far dearer than its own, and what a move can
// save is known: not more than the distances of its clusters to their limits are worth at the prices. So
// only the few moves that cost less than that are looked at, the cheapest first.
type descent struct {
	st      *state
	dual    *dual
	reduced framework.Matrix // costs at the prices of the dual
	penalty float64
	least   float64       // less is rounding
	worth   []float64     // of each cluster: what a move can save there at most
	lists   [][]candidate // clusters × clusters: the cheapest rows of one to move to another
	room    []ranked
	above   float64 // what labels cost above the cheapest, at the prices
	fallen  float64 // by how much the penalized cost has fallen in this pass
	unit    int     // work of looking at a move
	work    int     // what has been done: costs read and moves looked at
}

// A candidate is a row, and what it costs at the prices to move it.
type candidate struct {
	row   int32
	price float64
}

func cheaper(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.row, b.row))
}

// A ranked move is one of a single row.
type ranked struct {
	candidate
	from, to int32
}

const passes = 100 // of a descent, at most

func newDescent(st *state, d *dual) *descent {
	w := &descent{st: st, dual: d, reduced: d.reduced(), worth: make([]float64, st.set.k), lists: make([][]candidate, st.set.k*st.set.k)}
	w.unit = 1
	for _, on := range st.on {
		values := 0
		for _, b := range on.balances {
			values += len(st.set.balances[b.limit].values)
		}
		w.unit = max(w.unit, 1+values/2)
	}
	size := 0.0
	for i, j := range d.labels {
		size += math.Abs(st.costs.Row(i)[j])
	}
	w.least = 1e-13*size/float64(max(len(d.labels), 1)) + 1e-15*size
	return w
}

// most is how many candidates a list has.
func (w *descent) most() int { return max(16, min(128, 100_000/(w.st.set.k*w.st.set.k))) }

// run descends until nothing more falls, or only a little.
func (w *descent) run(ctx context.Context) {
	for range passes {
		w.collect()
		w.fallen = 0
		w.shifts()
		w.exchanges(ctx)
		if w.fallen <= 0.002*w.gap() || ctx.Err() != nil {
			return
		}
	}
}

// gap returns how far the penalized cost is above the bound, at most.
func (w *descent) gap() (gap float64) {
	w.value()
	for _, v := range w.worth {
		gap += v
	}
	return gap + w.above
}

// value sets what moves can save in cluster j. It is that of distances to limits, and what is broken.
func (w *descent) value() {
	w.dual.worth(w.st, w.worth)
	for j := range w.worth {
		w.worth[j] += w.penalty * w.st.at(j)
	}
}

// collect lists candidates that cost no more than two clusters can save.
func (w *descent) collect() {
	k, st := w.st.set.k, w.st
	w.value()
	w.work += len(st.labels) * k
	top := slices.Clone(w.worth)
	slices.Sort(top)
	limit := w.least
	for _, v := range top[max(0, k-2):] {
		limit += v
	}
	lowest := 0.0
	w.above = 0
	for i, a := range st.labels {
		row := w.reduced.Row(i)
		least := row[0]
		for _, v := range row {
			least = min(least, v)
		}
		w.above += row[a] - least
		lowest = min(lowest, least-row[a])
	}
	limit = (limit - lowest) * (1 + 1e-9)
	limits := slices.Repeat([]float64{limit}, k*k)
	for t := range w.lists {
		w.lists[t] = w.lists[t][:0]
	}
	most := w.most()
	for i, a := range st.labels {
		row := w.reduced.Row(i)
		own := row[a]
		of, to := limits[int(a)*k:int(a)*k+k], w.lists[int(a)*k:int(a)*k+k]
		for b, v := range row {
			if v-own > of[b] || b == int(a) || math.IsInf(v, 1) {
				continue
			}
			to[b] = append(to[b], candidate{int32(i), v - own})
			if len(to[b]) == 2*most {
				slices.SortFunc(to[b], cheaper)
				to[b] = to[b][:most]
				of[b] = to[b][most-1].price
			}
		}
	}
	for t, list := range w.lists {
		slices.SortFunc(list, cheaper)
		w.lists[t] = list[:min(len(list), most)]
	}
}

// dearer returns by how much more labels cost if row i goes from a to b.
func (w *descent) dearer(i, a, b int) float64 { return w.st.costs.Row(i)[b] - w.st.costs.Row(i)[a] }

// shift returns by how much the penalized cost rises if a row moves, and by how much the limits are broken more.
func (w *descent) shift(i, a, b int) (rise, by float64) {
	w.work += w.unit
	by = w.st.change(a, i, -1) + w.st.change(b, -1, i)
	return w.dearer(i, a, b) + w.penalty*by, by
}

// shifts moves single rows. Those that repair something come first, the cheapest for each unit, and then those that save most.
func (w *descent) shifts() {
	k := w.st.set.k
	for _, repairs := range [2]bool{true, false} {
		if repairs && w.st.broken() == 0 {
			continue
		}
		w.room = w.room[:0]
		for t, list := range w.lists {
			a, b := t/k, t%k
			for _, c := range list {
				if int(w.st.labels[c.row]) != a {
					continue
				}
				if rise, by := w.shift(int(c.row), a, b); rise < -w.least && (by < 0) == repairs {
					if repairs {
						rise = c.price / -by
					}
					w.room = append(w.room, ranked{candidate{c.row, rise}, int32(a), int32(b)})
				}
			}
		}
		slices.SortFunc(w.room, func(a, b ranked) int { return cmp.Or(cheaper(a.candidate, b.candidate), cmp.Compare(a.to, b.to)) })
		for _, m := range w.room {
			if w.st.labels[m.row] != m.from {
				continue
			}
			if rise, by := w.shift(int(m.row), int(m.from), int(m.to)); rise < -w.least && (by < 0) == repairs {
				w.st.move(int(m.row), int(m.to))
				w.fallen -= rise
			}
		}
	}
}

// exchanges lets rows of each two clusters change places: each with the one with which the penalized cost falls most.
func (w *descent) exchanges(ctx context.Context) {
	k, st := w.st.set.k, w.st
	w.value()
	for a := range k {
		for b := range a {
			if ctx.Err() != nil {
				return
			}
			there, back := w.lists[a*k+b], w.lists[b*k+a]
			bound := w.worth[a] + w.worth[b]
			looked := 0
			for _, p := range there {
				if len(back) == 0 || p.price+back[0].price > bound || looked > 1<<16 {
					break
				}
				if int(st.labels[p.row]) != a {
					continue
				}
				best, partner := -w.least, int32(-1)
				for _, q := range back {
					if p.price+q.price > bound {
						break
					}
					if int(st.labels[q.row]) != b {
						continue
					}
					looked++
					i, h := int(p.row), int(q.row)
					rise := w.dearer(i, a, b) + w.dearer(h, b, a)
					if rise += w.penalty * (st.change(a, i, h) + st.change(b, h, i)); rise < best {
						best, partner = rise, q.row
					}
				}
				if partner >= 0 {
					st.move(int(p.row), b)
					st.move(int(partner), a)
					w.fallen -= best
					w.value()
					bound = w.worth[a] + w.worth[b]
				}
			}
			w.work += looked * w.unit
		}
	}
}
