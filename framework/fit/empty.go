package fit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
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
	return st.each(ctx, func(_, i int) error {
		s := st.shards[i]
		room := make([]float64, st.largest*k)
		for n := s.first; n < s.end; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := st.rows.Block(n)
			d := framework.Matrix{Rows: b.X.Rows, Cols: k, Data: room[:b.X.Rows*k]}
			if err := st.c.Distances(st.model, b, d); err != nil {
				return err
			}
			for t, j := range st.labels[b.Row0 : b.Row0+b.X.Rows] {
				own[b.Row0+t] = -1
				if j >= 0 {
					own[b.Row0+t] = d.Row(t)[j]
				}
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

// check refuses settings and starts that cannot be run. With Plan.Noise, rows need no
// cluster.
func check(p framework.Problem, plan framework.Plan, rows framework.Rows, start Start, s Settings) error {
	n := rows.Len()
	switch {
	case p.K < 1:
		return framework.Faultf(framework.Usage, "bad-setting", "k is %d; it must be at least 1", p.K).At("k")
	case p.K > n:
		return framework.Faultf(framework.Data, "too-few-rows", "k is %d, but there %s only %s",
			p.K, words.Agreed(n, "is", "are"), words.Plural(n, "row")).At("k")
	case s.Trim > 0 && len(p.Links) > 0:
		return framework.Faultf(framework.Usage, "trim-with-links", "rows cannot be trimmed where rows are linked").At("trim")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if err := refuseLabels(p, plan, s); err != nil {
		return err
	}
	if s.Trim == 0 && !plan.Noise && slices.Contains(start.Labels, -1) {
		return framework.Faultf(framework.Data, "start-outliers", "the start has outliers, which have no cluster").At("start").
			WithHint("leave outliers out of this fit, too, with %s", framework.SettingTo("trim", "SHARE"))
	}
	return checkStart(p, n, start)
}

// mostRestarts is more than anybody waits for. Each has a place in memory.
const mostRestarts = 1_000_000

// Check refuses values that no data allow. It does not look at Init, which a
// given start makes meaningless.
func (s Settings) Check() error {
	bad := func(setting, format string, args ...any) error {
		return framework.Faultf(framework.Usage, "bad-setting", format, args...).At(setting)
	}
	switch {
	case s.Restarts < 1:
		return bad("restarts", "restarts is %d; it must be at least 1", s.Restarts)
	case s.Restarts > mostRestarts:
		return bad("restarts", "restarts is %d; it must be at most %d", s.Restarts, mostRestarts)
	case s.MaxIter < 0:
		return bad("max_iter", "max_iter is %d; it must not be negative", s.MaxIter)
	case !(s.Tol >= 0) || math.IsInf(s.Tol, 1):
		return bad("tol", "tol is %g; it must be a number that is not negative", s.Tol)
	case s.Empty != framework.Reseed && s.Empty != framework.Origin && s.Empty != framework.Fail:
		return bad("empty", "empty is %q; it must be reseed, origin or fail", s.Empty)
	case s.InitSpace != Both && s.InitSpace != Fitted && s.InitSpace != Raw:
		return bad("init_space", "init_space is %q; it must be both, fitted or raw", s.InitSpace)
	case !(s.Trim >= 0 && s.Trim <= 0.5):
		return bad("trim", "trim is %g; it must be a share from 0 to 0.5", s.Trim)
	}
	return nil
}

func checkStart(p framework.Problem, n int, start Start) error {
	bad := func(format string, args ...any) error {
		return framework.Faultf(framework.Data, "bad-start", "%s", fmt.Sprintf(format, args...)).At("start")
	}
	if start.Labels != nil && len(start.Labels) != n {
		return bad("the start has %s for %s", words.Plural(len(start.Labels), "label"), words.Plural(n, "row"))
	}
	for i, l := range start.Labels {
		if l < -1 || int(l) >= p.K {
			return bad("row %d of the start has label %d; labels are 0 to %d", i, l, p.K-1)
		}
	}
	if start.Settled && (start.Labels == nil || start.Centers == nil) {
		return bad("a settled start has labels and centers")
	}
	if c := start.Centers; c != nil && (c.Rows != p.K || c.Cols != p.P) {
		return bad("the start has %d centers of %d features; %d centers of %d are needed", c.Rows, c.Cols, p.K, p.P)
	}
	if start.Rows != nil && len(start.Rows) != p.K {
		return bad("the start has %s for %s", words.Plural(len(start.Rows), "row"), words.Plural(p.K, "cluster"))
	}
	for _, i := range start.Rows {
		if i < 0 || i >= n {
			return bad("the start names row %d of %d", i, n)
		}
	}
	return nil
}
