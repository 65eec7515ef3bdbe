package fit

import (
	"context"
	"math"

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
	st.part = nil
	left := t.mass
	for _, f := range Farthest(st.rows, t.own, t.mass) {
		if f.Weight > left {
			if rest := f.Weight - left; rest < f.Weight {
				st.part = &framework.Part{Row: f.Row, Weight: rest}
			}
			break
		}
		st.labels[f.Row] = -1
		left -= f.Weight
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
