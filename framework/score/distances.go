package score

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// Sizes of what is measured together. They change no result: the sum of a row's
// distances to a cluster is taken in the order of the rows.
const (
	batchRows = 64 // of the sample
	tileRows  = 64 // of the reference: distances of a batch stay in the nearest cache
)

// measure scores the chosen rows.
func (s *silhouette) measure(ctx context.Context, chosen []int, o SilhouetteOptions) ([]scored, error) {
	threads := max(1, o.Threads)
	batch := max(1, min(batchRows, (len(chosen)+threads-1)/threads))
	scores := make([]scored, len(chosen))
	room := make([]*distances, threads)
	var done atomic.Int64
	err := parallel.For(ctx, threads, (len(chosen)+batch-1)/batch, func(worker, i int) error {
		if room[worker] == nil {
			room[worker] = s.newDistances(batch)
		}
		d, from := room[worker], i*batch
		of := chosen[from:min(from+batch, len(chosen))]
		if err := d.sum(ctx, of); err != nil {
			return err
		}
		for t, i := range of {
			scores[from+t] = s.of(i, d.of(t))
		}
		if n := done.Add(int64(len(of))); o.Progress != nil {
			o.Progress(int(n), len(chosen))
		}
		return nil
	})
	return scores, err
}

// distances are the sums of the distances of a batch of rows to each cluster.
type distances struct {
	*silhouette
	columns []int // features that count
	measure kernel.Measure
	batch   kernel.Centers // the rows, a center each
	gaps    []int          // those of them that have missing cells
	cells   []float64      // of the batch as they are
	tile    []float64      // cells of reference rows
	squares []float64      // their squared distances to the batch
	to      []int32        // clusters of the reference rows
	heavy   []float64      // their weights
	sums    []float64      // by cluster, and in it by row of the batch
	row     []float64      // by cluster, of one row

	ruler     *kernel.Ruler // of sparse rows, which have in place of cells and tile:
	own, near []sparseRow   // the batch, and reference rows
}

func (s *silhouette) newDistances(batch int) *distances {
	d := &distances{silhouette: s, measure: kernel.Measure{Loss: kernel.Squared, Observed: true},
		row: make([]float64, len(s.mass)), sums: make([]float64, len(s.mass)*batch), squares: make([]float64, tileRows*batch)}
	if b := s.rows.Block(0); b.Sparse != nil {
		d.ruler = kernel.NewRuler(b.X.Cols, s.weights)
		return d
	}
	for l := range s.rows.Block(0).X.Cols {
		if s.weights == nil {
			d.columns = append(d.columns, l)
		} else if s.weights[l] > 0 {
			d.columns, d.measure.Weights = append(d.columns, l), append(d.measure.Weights, s.weights[l])
		}
	}
	d.tile = make([]float64, tileRows*len(d.columns))
	return d
}

// of returns the sums of row t of the batch, which are valid until the next call.
func (d *distances) of(t int) []float64 {
	for j := range d.row {
		d.row[j] = d.sums[j*d.batch.K+t]
	}
	return d.row
}

// sum measures a batch of rows against the reference.
func (d *distances) sum(ctx context.Context, batch []int) error {
	d.take(batch)
	clear(d.sums)
	for from := 0; from < len(d.reference); from += tileRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		of := d.reference[from:min(from+tileRows, len(d.reference))]
		squares := d.squares[:len(of)*d.batch.K]
		if d.ruler != nil {
			d.sparseSquares(squares, of)
		} else {
			d.denseSquares(squares, of)
		}
		d.to, d.heavy = d.to[:0], d.heavy[:0]
		for _, i := range of {
			d.to, d.heavy = append(d.to, d.labels[i]), append(d.heavy, d.weight[i])
		}
		kernel.AddRoots(d.sums, squares, d.to, d.heavy, d.batch.K)
	}
	return nil
}

// denseSquares measures some reference rows from the batch.
func (d *distances) denseSquares(squares []float64, of []int) {
	d.gather(d.tile, of)
	if len(d.columns) > 0 {
		kernel.Distances(squares, d.measure, d.tile[:len(of)*len(d.columns)], &d.batch)
	}
	d.fillGaps(squares, len(of))
}

// take makes centers of the rows of a batch. A center has no missing cells, so
// those of the rows are noted.
func (d *distances) take(batch []int) {
	if d.ruler != nil {
		d.own, d.batch.K = d.sparseRows(d.own, batch), len(batch)
		return
	}
	s := len(d.columns)
	d.cells = make([]float64, len(batch)*s)
	d.gather(d.cells, batch)
	d.batch = kernel.Centers{K: len(batch), S: s, Rows: make([]float64, len(d.cells))}
	d.gaps = d.gaps[:0]
	for t := range batch {
		missing := false
		for l, v := range d.cells[t*s : (t+1)*s] {
			if v != v {
				missing, v = true, 0
			}
			d.batch.Rows[t*s+l] = v
		}
		if missing {
			d.gaps = append(d.gaps, t)
		}
	}
	d.batch.Pack()
}

// fillGaps measures the rows of a batch with missing cells again.
func (d *distances) fillGaps(squares []float64, rows int) {
	s := len(d.columns)
	for _, t := range d.gaps {
		own := d.cells[t*s : (t+1)*s]
		for r := range rows {
			squares[r*d.batch.K+t] = d.square(own, d.tile[r*s:(r+1)*s])
		}
	}
}

// square is the distance of the kernel where both rows may have missing cells.
func (d *distances) square(x, y []float64) (sum float64) {
	for l, v := range x {
		e := v - y[l]
		if e != e {
			continue
		}
		if w := d.measure.Weights; w != nil {
			sum = math.FMA(w[l]*e, e, sum)
		} else {
			sum = math.FMA(e, e, sum)
		}
	}
	return sum
}

// gather copies the features that count of some rows, which ascend.
func (d *distances) gather(to []float64, rows []int) {
	s := len(d.columns)
	d.each(rows, func(t int, block framework.Block, i int) {
		row := block.X.Row(i)
		if cells := to[t*s : (t+1)*s]; s == len(row) {
			copy(cells, row)
		} else {
			for at, l := range d.columns {
				cells[at] = row[l]
			}
		}
	})
}

// each calls do for some rows, which ascend: row i of a block is number t of them.
func (d *distances) each(rows []int, do func(t int, block framework.Block, i int)) {
	block, _ := framework.Locate(d.rows, rows[0])
	for t, i := range rows {
		for i >= block.Row0+block.X.Rows {
			block = d.rows.Block(block.Index + 1)
		}
		do(t, block, i-block.Row0)
	}
}
