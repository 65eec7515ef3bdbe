package fit

import (
	"bytes"
	"context"
	"math"
	"slices"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
)

// fillEmpty applies the policy to clusters without rows and returns how many
// rows it moved. See the package comment.
func (r *run) fillEmpty(ctx context.Context, objective float64) (int, error) {
	if r.settings.Empty != framework.Fail && !r.round.reseeds {
		return 0, nil
	}
	empty := r.empty()
	if len(empty) == 0 {
		return 0, nil
	}
	if r.settings.Empty == framework.Fail {
		f := framework.Faultf(framework.Data, "empty-cluster", "cluster %d has lost all its rows in iteration %d", empty[0], r.iteration).
			WithWhere("restart %d", r.restart)
		if r.limits != nil {
			return 0, f.WithHint("give each cluster at least one row with a limit of kind size, or use %s",
				framework.SettingTo("empty", framework.Reseed))
		}
		return 0, f.WithHint("use another %s or %s, fewer clusters, or %s",
			framework.Setting("seed"), framework.Setting("start"), framework.SettingTo("empty", framework.Reseed))
	}
	if r.iteration >= r.settings.MaxIter {
		return 0, nil
	}
	if at := r.round.reseededAt; !math.IsNaN(at) && !r.improves(objective, at) {
		r.round.reseeds = false
		return 0, nil
	}
	r.round.reseededAt = objective
	if r.plan.Monotone && r.restricted {
		r.remember(objective)
	}
	if r.away != nil {
		return r.fillAway(ctx, empty)
	}
	distance := make([]float64, len(r.labels))
	r.prepare()
	if err := r.ownDistances(ctx, distance); err != nil {
		return 0, err
	}
	moved := 0
	var taken []int
	for _, j := range empty {
		i := r.farthestThatMay(distance, taken, int32(j))
		if i < 0 {
			break
		}
		taken = append(taken, i)
		if err := r.move(i, int32(j)); err != nil {
			return moved, err
		}
		moved++
	}
	return moved, nil
}

// memory is a run before a reseeding.
type memory struct {
	model     *framework.Model
	labels    []int32
	part      *framework.Part
	by        *framework.Model // of rows that are somewhere else: what has labelled them
	objective float64
}

// remember keeps what a reseeding may have to be undone to.
func (r *run) remember(objective float64) {
	r.before = &memory{model: r.model.Clone(), labels: slices.Clone(r.labels), part: r.part, objective: objective}
	if r.away != nil {
		r.before.by = r.away.by
	}
}

// undo takes the last reseeding back if the iteration after it has a worse
// objective: a center that is held in a set may be far even from the one row that
// it got. Nothing is reseeded then until the round ends. It reports whether it
// did, and replaces the step.
func (r *run) undo(ctx context.Context, step *framework.Step) (bool, error) {
	before := r.before
	r.before = nil
	if before == nil || !r.improves(before.objective, step.Objective) {
		return false, nil
	}
	r.round.reseeds = false
	cache := r.model.Cache
	*r.model = *before.model
	r.model.Cache = cache
	copy(r.labels, before.labels)
	r.part = before.part
	if r.away != nil {
		r.away.by = before.by
	}
	r.trim.forget()
	var err error
	*step, err = r.anew(ctx)
	return true, err
}

// ownDistances writes to own the distance of each row to its own center by the
// prepared model, and −1 for rows without a cluster.
func (st *state) ownDistances(ctx context.Context, own []float64) error {
	k := st.model.Centers.Rows
	rooms := make([][]float64, st.pool.Workers())
	return st.eachBlock(ctx, func(worker int, b framework.Block) error {
		if rooms[worker] == nil {
			rooms[worker] = make([]float64, st.largest*k)
		}
		d := framework.Matrix{Rows: b.X.Rows, Cols: k, Data: rooms[worker][:b.X.Rows*k]}
		if err := st.c.Distances(st.model, b, d); err != nil {
			return err
		}
		for t, j := range st.labels[b.Row0 : b.Row0+b.X.Rows] {
			own[b.Row0+t] = -1
			if j >= 0 {
				own[b.Row0+t] = d.Row(t)[j]
			}
		}
		return nil
	})
}

// farthest returns the row of largest distance > 0 that has weight, may be taken from
// its cluster, that no hard link holds, and that is not among the refused, the lowest of
// several, or −1.
func (r *run) farthest(distance []float64, taken, refused []int) int {
	best, at := 0.0, -1
	for i, d := range distance {
		if !(d > best) || r.fixed != nil && r.fixed[i] || r.sizes[r.labels[i]] <= 1 ||
			slices.Contains(refused, i) || r.equalToAny(i, taken) {
			continue
		}
		if b, t := framework.Locate(r.rows, i); b.Weight(t) > 0 {
			best, at = d, i
		}
	}
	return at
}

// mostTries is how many rows are tried for a cluster without rows, where labels are
// restricted.
const mostTries = 32

// farthestThatMay is farthest, of rows that labels may restrict from going to cluster j.
func (r *run) farthestThatMay(distance []float64, taken []int, j int32) int {
	var refused []int // for this cluster only
	for range mostTries {
		i := r.farthest(distance, taken, refused)
		if i < 0 || r.limits.mayMove(r.labels, i, j) {
			return i
		}
		refused = append(refused, i)
	}
	return -1
}

// equalToAny reports whether row i has the same cells as one of the others.
func (r *run) equalToAny(i int, others []int) bool {
	if len(others) == 0 {
		return false
	}
	b, at := framework.Locate(r.rows, i)
	for _, o := range others {
		other, place := framework.Locate(r.rows, o)
		switch {
		case o == i,
			b.Sparse != nil && b.Sparse.Same(at, other.Sparse, place),
			b.Sparse == nil && bytes.Equal(bits(b.X.Row(at)), bits(other.X.Row(place))):
			return true
		}
	}
	return false
}

// bits returns the bytes of the cells, so that missing cells are equal.
func bits(row []float64) []byte {
	if len(row) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&row[0])), 8*len(row))
}

// move gives row i another label.
func (r *run) move(i int, to int32) error {
	b, at := framework.Locate(framework.Partly(r.rows, r.part), i)
	labels := r.labels[b.Row0 : b.Row0+b.X.Rows]
	before := append([]int32(nil), labels...)
	r.sizes[r.labels[i]]--
	r.sizes[to]++
	labels[at] = to
	r.fresh = false
	r.trim.forget()
	return r.c.Collect(b, before, labels, r.stats)
}
