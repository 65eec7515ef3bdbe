package means

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// A Loss is the distance that is summed over features.
type Loss = kernel.Loss

// The losses.
const (
	Squared  = kernel.Squared
	Absolute = kernel.Absolute
)

// A Panel is a packed copy of the columns of one block that tell the centers
// apart. It is rebuilt only when those columns change.
type Panel struct {
	columns []int
	x       []float64 // rows × len(columns)
	centers []float64 // k × len(columns)
	row     []float64 // one row with its missing cells filled
}

// Informative returns the columns in which some center is not 0: the part of a
// distance outside them is the same for all centers. dst is reused.
func Informative(dst []int, centers framework.Matrix) []int {
	dst = dst[:0]
	for l := range centers.Cols {
		for j := range centers.Rows {
			if centers.Data[j*centers.Cols+l] != 0 {
				dst = append(dst, l)
				break
			}
		}
	}
	return dst
}

// pack makes the panel one of the block's given columns, and packs the centers.
// It returns rows × s values.
func (p *Panel) pack(b framework.Block, columns []int, centers framework.Matrix) []float64 {
	s := len(columns)
	p.centers = p.centers[:0]
	for j := range centers.Rows {
		row := centers.Row(j)
		for _, l := range columns {
			p.centers = append(p.centers, row[l])
		}
	}
	if s == b.X.Cols {
		return b.X.Data
	}
	if p.x != nil && slices.Equal(p.columns, columns) {
		return p.x
	}
	p.columns = append(p.columns[:0], columns...)
	p.x = slices.Grow(p.x[:0], b.X.Rows*s)[:b.X.Rows*s]
	for i := range b.X.Rows {
		row, packed := b.X.Row(i), p.x[i*s:(i+1)*s]
		for t, l := range columns {
			packed[t] = row[l]
		}
	}
	return p.x
}

// Nearest labels each row of the block by its nearest center, reading only the
// informative columns. With observed set, missing cells are left out.
func (p *Panel) Nearest(labels []int32, loss Loss, observed bool, b framework.Block, columns []int, centers framework.Matrix) {
	x := p.pack(b, columns, centers)
	kernel.Nearest(labels, loss, observed, x, len(columns), p.centers, centers.Rows)
}

// NearestFilled labels each row by its nearest center, a missing cell taking
// the value that fill has for the row's present label, and 0 for a row without
// one.
func (p *Panel) NearestFilled(labels []int32, b framework.Block, columns []int, centers, fill framework.Matrix) {
	x := p.pack(b, columns, centers)
	s := len(columns)
	p.row = slices.Grow(p.row[:0], s)[:s]
	for i := range labels {
		copy(p.row, x[i*s:(i+1)*s])
		for t, v := range p.row {
			if v == v {
				continue
			}
			p.row[t] = 0
			if labels[i] >= 0 {
				p.row[t] = fill.Data[int(labels[i])*fill.Cols+columns[t]]
			}
		}
		kernel.Nearest(labels[i:i+1], Squared, false, p.row, s, p.centers, centers.Rows)
	}
}

// Distances writes the distance of each row of the block to each center, over
// all features and the observed cells, to dst (block rows × k).
func Distances(dst framework.Matrix, loss Loss, observed bool, b framework.Block, centers framework.Matrix) {
	kernel.Distances(dst.Data, loss, observed, b.X.Data, b.X.Cols, centers.Data, centers.Rows)
}
