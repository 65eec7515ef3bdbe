package intersect

import (
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/internal/partition"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// A task is a group of entries that sets tie together, directly or through other
// entries, with all sets that restrict them.
type task struct {
	at      []int // the entries of a k×p matrix, ascending
	rows    []int // which centers; one, or several that are tied together
	cols    int
	pieces  []piece
	lo, hi  []float64   // the bounds of the entries; nil: no bounds
	program *qp.Program // nil if a single rule is enough
}

// A piece is how one set restricts one center, or several together.
type piece struct {
	set  constraint.RowSet
	name string
	of   []int // the entries of the task, in the set's order
	all  bool  // of is all entries in their order
}

// A shard is a piece with the entries of the whole matrix.
type shard struct {
	set  constraint.RowSet
	name string
	at   []int
}

// shards returns how each part restricts each center.
func (b *builder) shards() []shard {
	var all []shard
	for _, p := range b.parts {
		if h, ok := p.Set.(constraint.JointHalfSpace); ok {
			s := shard{set: constraint.HalfSpace{Coef: qp.Pick(h.Coef.Data, p.entries), Bound: h.Bound}, name: p.name, at: p.entries}
			if len(s.at) > 0 {
				all = append(all, s)
			}
			continue
		}
		v := p.Set.(constraint.RowSet)
		n := v.Scope().Width(b.p)
		for from := 0; n > 0 && from < len(p.entries); from += n {
			all = append(all, shard{set: v, name: p.name, at: p.entries[from : from+n]})
		}
	}
	return all
}

// tasks joins shards that share entries.
func (b *builder) tasks() []*task {
	shards := b.shards()
	owner := make([]int, b.k*b.p) // 1 + a shard that restricts the entry
	joined := partition.New[int](len(shards))
	for i, s := range shards {
		for _, e := range s.at {
			if owner[e] > 0 {
				joined.Join(i, owner[e]-1)
			}
			owner[e] = i + 1
		}
	}
	number := make([]int, len(shards)) // by root: its task
	var all []*task
	for i := range shards {
		if joined.Root(i) == i {
			number[i] = len(all)
			all = append(all, &task{cols: b.p})
		}
	}
	for e, o := range owner {
		if o > 0 {
			t := all[number[joined.Root(o-1)]]
			t.at = append(t.at, e)
		}
	}
	place := make([]int, b.k*b.p)
	for _, t := range all {
		for i, e := range t.at {
			place[e] = i
		}
	}
	for i, s := range shards {
		t := all[number[joined.Root(i)]]
		p := piece{set: s.set, name: s.name, of: make([]int, len(s.at)), all: len(s.at) == len(t.at)}
		for n, e := range s.at {
			p.of[n] = place[e]
			p.all = p.all && place[e] == n
		}
		t.pieces = append(t.pieces, p)
	}
	for _, t := range all {
		t.complete(b.box)
	}
	return all
}

// complete adds the bounds and, if needed, writes the program.
func (t *task) complete(box bounds) {
	for _, e := range t.at {
		if j := e / t.cols; len(t.rows) == 0 || t.rows[len(t.rows)-1] != j {
			t.rows = append(t.rows, j)
		}
	}
	if box.bounded(t.at) {
		t.lo, t.hi = qp.Pick(box.lo.Data, t.at), qp.Pick(box.hi.Data, t.at)
	}
	if len(t.pieces) == 1 && t.lo == nil {
		return
	}
	t.program = &qp.Program{Lo: qp.Pick(box.lo.Data, t.at), Hi: qp.Pick(box.hi.Data, t.at)}
	for _, p := range t.pieces {
		constraint.Write(p.set, t.program, p.of)
	}
}

// project replaces the task's entries of dst, which are those of the point.
func (t *task) project(dst framework.Matrix, at framework.Point) error {
	y := dst.Data[t.at[0]:][:len(t.at)]
	if together := t.at[len(t.at)-1]-t.at[0] == len(t.at)-1; !together {
		y = qp.Pick(dst.Data, t.at)
		defer func() { qp.Put(dst.Data, t.at, y) }()
	}
	return t.nearest(y, t.masses(at))
}

// masses returns the masses of the entries, divided by the largest, or nil if all
// are equal.
func (t *task) masses(at framework.Point) []float64 {
	if len(t.rows) == 1 {
		at.RowMass = nil // a common factor
	}
	if at.RowMass == nil && at.ColMass == nil {
		return nil
	}
	rows, cols := qp.Normal(slices.Clone(at.RowMass)), qp.Normal(slices.Clone(at.ColMass))
	mass := slices.Repeat([]float64{1}, len(t.at))
	for i, e := range t.at {
		if rows != nil {
			mass[i] = rows[e/t.cols]
		}
		if cols != nil {
			mass[i] *= cols[e%t.cols]
		}
	}
	return qp.Normal(mass)
}

// nearest replaces y by the nearest point of the task's sets.
func (t *task) nearest(y, mass []float64) error {
	if t.program == nil {
		if p := t.pieces[0]; p.all {
			constraint.Nearest(p.set, y, mass)
		} else {
			part := qp.Pick(y, p.of)
			var sub []float64
			if mass != nil {
				sub = qp.Pick(mass, p.of)
			}
			constraint.Nearest(p.set, part, sub)
			qp.Put(y, p.of, part)
		}
		return nil
	}
	if t.program.Exact(y, mass) {
		return nil
	}
	scale := qp.MaxAbs(y)
	var err error
	if slices.Contains(mass, 0) {
		err = t.inTurn(y, mass)
	} else {
		err = t.withMass(y, mass)
	}
	if err != nil && !errors.Is(err, qp.ErrEmpty) {
		return err
	}
	return t.inAll(y, qp.Feasible*max(scale, qp.MaxAbs(y)))
}

// sweeps bounds the rounds of Dykstra's algorithm.
const sweeps = 9_999

// steps returns the projections onto the sets, and then onto the bounds.
func (t *task) steps(mass []float64) []qp.Step {
	steps := make([]qp.Step, 0, len(t.pieces)+1)
	for _, p := range t.pieces {
		sub := mass
		if mass != nil && !p.all {
			sub = qp.Normal(qp.Pick(mass, p.of))
		}
		steps = append(steps, qp.Step{Of: p.of, Onto: func(y []float64) error {
			constraint.Nearest(p.set, y, sub)
			return nil
		}})
	}
	if t.lo != nil {
		steps = append(steps, qp.Step{Onto: func(y []float64) error {
			for i, v := range y {
				y[i] = qp.Clip(v, t.lo[i], t.hi[i])
			}
			return nil
		}})
	}
	return steps
}

// withMass is nearest for masses above 0.
func (t *task) withMass(y, mass []float64) error {
	x := slices.Clone(y)
	err := t.program.Nearest(y, mass)
	if errors.Is(err, qp.ErrWork) || err != nil && len(y) > qp.Few {
		copy(y, x)
		_, err = qp.Dykstra(y, t.steps(mass), sweeps)
	}
	return err
}

// inAll returns a Fault if y is farther from a set than allowed.
func (t *task) inAll(y []float64, allowed float64) error {
	if name, off := t.farthest(y); !(off <= allowed) {
		return framework.Faultf(framework.Data, "no-common-point",
			"no point was found that is in all sets: the nearest one is still %.3g (fitted units) away from %s", off, name).
			WithHint("the sets have no point in common, or only just: relax one of them")
	}
	return nil
}

// farthest returns the set that y is farthest from, and how far. Of sets equally
// far it is the first; the bounds come last.
func (t *task) farthest(y []float64) (name string, off float64) {
	for _, p := range t.pieces {
		part := qp.Pick(y, p.of)
		if v := constraint.Distance(p.set, part, make([]float64, len(part))); v > off || math.IsNaN(v) {
			name, off = p.name, v
		}
	}
	if t.lo == nil {
		return name, off
	}
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = v - qp.Clip(v, t.lo[i], t.hi[i])
	}
	if v := qp.Norm(out); v > off {
		name, off = "the bounds", v
	}
	return name, off
}
