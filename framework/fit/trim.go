package fit

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// trimming is what a run with Settings.Trim knows. See the package comment.
type trimming struct {
	mass      float64   // that is left out
	own       []float64 // by row: the distance to the center of its label
	objective float64   // of the present model and labels,
	known     bool      // if it is known
}

// newTrimming returns nil if nothing is to be left out.
func newTrimming(rows framework.Rows, share float64) *trimming {
	if share == 0 {
		return nil
	}
	mass, whole := 0.0, true
	for n := range rows.Blocks() {
		b := rows.Block(n)
		for i := range b.X.Rows {
			w := b.Weight(i)
			mass += w
			whole = whole && w == math.Trunc(w)
		}
	}
	mass *= share
	if whole {
		mass = math.Floor(mass * (1 + 1e-12)) // 0.29 of 100 rows are 29
	}
	return &trimming{mass: mass, own: make([]float64, rows.Len())}
}

// forget says that the model or the labels have changed.
func (t *trimming) forget() {
	if t != nil {
		t.known = false
	}
}

// leaveOut takes the labels of the farthest rows away. Every row has one before.
func (st *state) leaveOut(ctx context.Context) error {
	t := st.trim
	if err := st.ownDistances(ctx, t.own); err != nil {
		return err
	}
	far := &farthestRows{}
	for n := range st.rows.Blocks() {
		b := st.rows.Block(n)
		for i := range b.X.Rows {
			far.offer(farRow{t.own[b.Row0+i], b.Row0 + i, b.Weight(i)}, t.mass)
		}
	}
	slices.SortFunc(far.rows, func(a, b farRow) int { return b.compare(a) })
	st.part = nil
	left := t.mass
	for _, f := range far.rows {
		if f.weight > left {
			if rest := f.weight - left; rest < f.weight {
				st.part = &framework.Part{Row: f.row, Weight: rest}
			}
			break
		}
		st.labels[f.row] = -1
		left -= f.weight
	}
	t.sum(st.rows, st.labels, st.part)
	return nil
}

// sum adds up the objective, in the order of the rows.
func (t *trimming) sum(rows framework.Rows, labels []int32, part *framework.Part) {
	t.objective, t.known = 0, true
	for n := range rows.Blocks() {
		b := rows.Block(n).Partly(part)
		ofBlock := 0.0
		for i := range b.X.Rows {
			if labels[b.Row0+i] >= 0 {
				ofBlock += float64(b.Weight(i) * t.own[b.Row0+i])
			}
		}
		t.objective += ofBlock
	}
}

// trimmedObjective returns the sum of the distances of the rows that are left. The
// clusterer's own objective counts the others too.
func (st *state) trimmedObjective(ctx context.Context) (float64, error) {
	if t := st.trim; !t.known {
		st.prepare()
		if err := st.ownDistances(ctx, t.own); err != nil {
			return 0, err
		}
		t.sum(st.rows, st.labels, st.part)
	}
	return st.trim.objective, nil
}

// trimStart leaves rows out of a start that is not iterated, and updates.
func (r *run) trimStart(ctx context.Context) (framework.Step, error) {
	r.prepare()
	if err := r.leaveOut(ctx); err != nil {
		return framework.Step{}, err
	}
	return r.anew(ctx)
}

// A farRow is a row that may be left out.
type farRow struct {
	distance float64
	row      int
	weight   float64
}

// compare orders rows by distance. Of equals the lower one stays in its cluster.
func (f farRow) compare(other farRow) int {
	return cmp.Or(cmp.Compare(f.distance, other.distance), cmp.Compare(f.row, other.row))
}

// farthestRows is a heap of the farthest rows offered so far, the nearest of them
// first: no more than are needed for some mass.
type farthestRows struct {
	rows []farRow
	mass float64
}

// offer takes a row if it is among the farthest of that mass.
func (h *farthestRows) offer(f farRow, mass float64) {
	if h.mass >= mass && (len(h.rows) == 0 || f.compare(h.rows[0]) < 0) {
		return
	}
	heap.Push(h, f)
	h.mass += f.weight
	for len(h.rows) > 0 && h.mass-h.rows[0].weight >= mass {
		h.mass -= heap.Pop(h).(farRow).weight
	}
}

func (h *farthestRows) Len() int           { return len(h.rows) }
func (h *farthestRows) Less(i, j int) bool { return h.rows[i].compare(h.rows[j]) < 0 }
func (h *farthestRows) Swap(i, j int)      { h.rows[i], h.rows[j] = h.rows[j], h.rows[i] }
func (h *farthestRows) Push(f any)         { h.rows = append(h.rows, f.(farRow)) }

func (h *farthestRows) Pop() any {
	last := len(h.rows) - 1
	f := h.rows[last]
	h.rows = h.rows[:last]
	return f
}
