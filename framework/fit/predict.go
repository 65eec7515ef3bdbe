package fit

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// A Prediction says for each row which center is nearest and how near.
type Prediction struct {
	Labels   []int32
	Distance []float64 // to that center
	Second   []int32   // the next nearest; −1 when k = 1
	Margin   []float64 // distance to the next nearest minus Distance; +Inf when k = 1
}

// Predict labels rows by their nearest center over all features and their
// observed cells, or by Assign where the plan has Noise. A row without any, or without any in the features that tell
// clusters apart, gets the label −1. The result does not depend on threads.
func Predict(ctx context.Context, c framework.Clusterer, m *framework.Model, rows framework.Rows, threads int) (*Prediction, error) {
	st := newState(c, m.Centers.Rows, rows, threads)
	defer st.close()
	st.model = m
	var all *Prediction
	if _, err := st.measure(ctx, found, len(st.shards), func(p *Prediction, _ int) error { all = p; return nil }); err != nil {
		return nil, err
	}
	all.LeaveUntold(m, rows)
	return all, nil
}

// leastPiece is about how many rows are handed on at once, if there are as many: to wake
// whoever takes them takes longer than to measure a few thousand rows.
const leastPiece = 1 << 15

// finish measures every row against the model of the result. With pieces, what the
// result has of each row is handed to them, some rows at a time, and not kept.
func finish(ctx context.Context, st *state, res *Result, pieces func(*Prediction, int) error) (err error) {
	st.model, st.labels, st.part = res.Model, res.Labels, res.Part
	st.release() // the bounds and panels are as large as what follows
	labels := asGiven
	if res.Stop == framework.AllZero {
		labels = none
	}
	atOnce := max(st.pool.Workers(), len(st.shards)*leastPiece/max(1, st.rows.Len()))
	if pieces == nil {
		atOnce = len(st.shards)
		pieces = func(p *Prediction, _ int) error {
			res.Distance, res.Second, res.Margin = p.Distance, p.Second, p.Margin
			return nil
		}
	}
	res.Inertia, err = st.measure(ctx, labels, atOnce, pieces)
	res.Model.Cache = nil
	return err
}

// Where the labels of measure come from.
type labelling int

const (
	asGiven labelling = iota
	none              // given, and there are none
	found             // by Assign where a plan has Noise, or else of the nearest centers
)

// measure computes the distances of rows to their own center and to the nearest
// other one, of the rows of so many shards at once, and hands those, and the number of the
// first of them, to take, which has returned before it is called again, and which keeps none
// of it if there is a next time. It returns the weighted sum of the former before any root is
// taken. A row without a cluster has the distance to the nearest center, which is not in the
// sum, and NaN if there are no clusters, or if it has no cell.
func (st *state) measure(ctx context.Context, labels labelling, atOnce int, take func(p *Prediction, first int) error) (float64, error) {
	inertia := make([]float64, len(st.shards))
	st.prepare()
	rulers := make([]*ruler, st.pool.Workers())
	taken := make(chan error, 1)
	taken <- nil
	var room, taking *Prediction // one to be filled, and one that take has
	for from := 0; from < len(st.shards); from += atOnce {
		some := st.shards[from:min(from+atOnce, len(st.shards))]
		first, end := st.rowsOf(some)
		p := room.resized(st.labels[first:end])
		err := st.pool.For(ctx, len(some), func(worker, i int) (err error) {
			if rulers[worker] == nil {
				rulers[worker] = newRuler(st, st.model.Centers.Rows)
			}
			inertia[from+i], err = st.measureShard(ctx, some[i], rulers[worker], labels, p, first)
			return err
		})
		if before := <-taken; before != nil && err == nil {
			err = before
		}
		room, taking = taking, p
		if err != nil {
			return 0, err
		}
		hand := func() { taken <- parallel.Guard(func() error { return take(p, first) }) }
		if from+atOnce < len(st.shards) {
			go hand()
		} else {
			hand() // nothing is measured meanwhile: to wake a thread takes as long as a small fit's iteration
		}
	}
	var total float64
	for _, v := range inertia {
		total += v
	}
	return total, <-taken
}

// rowsOf returns the first row of shards that follow each other, and the one after the last.
func (st *state) rowsOf(shards []*shard) (first, end int) {
	if st.rows.Blocks() == 0 {
		return 0, 0
	}
	last := st.rows.Block(shards[len(shards)-1].end - 1)
	return st.rows.Block(shards[0].first).Row0, last.Row0 + last.X.Rows
}

func newPrediction(labels []int32) *Prediction {
	n := len(labels)
	return &Prediction{Labels: labels, Distance: make([]float64, n), Second: make([]int32, n), Margin: make([]float64, n)}
}

// resized returns a prediction of rows with these labels, in the memory of p if that is large
// enough: to touch new memory takes longer than to measure a row. p may be nil.
func (p *Prediction) resized(labels []int32) *Prediction {
	n := len(labels)
	if p == nil || cap(p.Distance) < n {
		return newPrediction(labels)
	}
	return &Prediction{Labels: labels, Distance: p.Distance[:n], Second: p.Second[:n], Margin: p.Margin[:n]}
}

// measureShard measures the rows of a shard. Row first of the data is row 0 of the
// prediction.
func (st *state) measureShard(ctx context.Context, s *shard, room *ruler, labels labelling, p *Prediction, first int) (inertia float64,
	err error) {
	for t := s.first; t < s.end; t++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b := st.rows.Block(t).Partly(st.part)
		at := b.Row0 - first
		own := p.Labels[at : at+b.X.Rows]
		if labels == found {
			if err := st.begin(b, own); err != nil {
				return 0, err
			}
		}
		measured, err := room.measure(b, own)
		if err != nil {
			return 0, err
		}
		for r, v := range measured {
			if labels == found && !st.plan.Noise && !b.IsBlank(r, nil) {
				own[r] = v.Own
			}
			inertia += float64(b.Weight(r) * p.set(at+r, v, st.plan.Squared))
			if own[r] < 0 && labels != none && !b.IsBlank(r, nil) {
				p.Distance[at+r] = rooted(v.Distance, st.plan.Squared)
			}
		}
	}
	return inertia, nil
}

// begin writes the labels that rows of a block have before they are measured: −1, or
// those of Assign where a plan has Noise.
func (st *state) begin(b framework.Block, labels []int32) error {
	for r := range labels {
		labels[r] = -1
	}
	if !st.plan.Noise {
		return nil
	}
	if err := st.c.Assign(st.model, b, labels, st.c.Scratch(b.X.Rows)); err != nil {
		return err
	}
	for r := range labels {
		if b.IsBlank(r, nil) {
			labels[r] = -1
		}
	}
	return nil
}

// A ruler measures rows of blocks.
type ruler struct {
	st        *state
	k         int
	measured  []framework.Measured
	distances []float64 // if they are needed
}

func newRuler(st *state, k int) *ruler {
	return &ruler{st: st, k: k, measured: make([]framework.Measured, st.largest)}
}

// measure returns where the rows of a block lie between centers. It is valid until the
// next call.
func (r *ruler) measure(b framework.Block, labels []int32) ([]framework.Measured, error) {
	measured := r.measured[:b.X.Rows]
	if m, ok := framework.As[framework.Measurer](r.st.c); ok {
		if ok, err := m.Measure(r.st.model, b, labels, measured); ok || err != nil {
			return measured, err
		}
	}
	if r.distances == nil {
		r.distances = make([]float64, r.st.largest*r.k)
	}
	d := framework.Matrix{Rows: b.X.Rows, Cols: r.k, Data: r.distances[:b.X.Rows*r.k]}
	if err := r.st.c.Distances(r.st.model, b, d); err != nil {
		return nil, err
	}
	for i := range measured {
		measured[i] = framework.Between(d.Row(i), int(labels[i]))
	}
	return measured, nil
}

// set fills in row i, and returns the distance to its own center before any root.
func (p *Prediction) set(i int, v framework.Measured, squared bool) float64 {
	if p.Labels[i] < 0 {
		p.Distance[i], p.Second[i], p.Margin[i] = math.NaN(), -1, math.NaN()
		return 0
	}
	p.Distance[i], p.Second[i], p.Margin[i] = rooted(v.Distance, squared), v.Second, math.Inf(1)
	if v.Second >= 0 {
		p.Margin[i] = rooted(v.Other, squared) - p.Distance[i]
	}
	return v.Distance
}

// rooted returns a distance, of which the clusterer may have given the square.
func rooted(d float64, squared bool) float64 {
	if squared {
		return math.Sqrt(d)
	}
	return d
}
