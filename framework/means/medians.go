package means

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/median"
)

// Medians are what the absolute loss needs from a pass over the rows.
type Medians struct {
	Center    framework.Matrix // k×p: the weighted median of the observed cells; 0 where there is none
	Gain      framework.Matrix // k×p: Σ |x_il| − Σ |x_il − median_jl| over the cluster's rows
	Objective float64          // Σ |x_il − θ_jl| over all observed cells
}

// columnsAtOnce is how many features are gathered in one pass over the rows:
// one cache line of a row.
const columnsAtOnce = 8

// NewMedians makes a pass over the rows. The objective is that of the centers theta
// (k×p). A median is the midpoint of the two middle values when half of the weight
// lies on either side. Memory: 8 cells a row.
//
// Source: the l1 variant of Zhang, Lange and Xu (2020), section 3.
func NewMedians(ctx context.Context, theta framework.Matrix, rows framework.Rows, labels []int32) (*Medians, error) {
	k, p := theta.Rows, theta.Cols
	m := &Medians{Center: framework.NewMatrix(k, p), Gain: framework.NewMatrix(k, p)}
	gathered := make([][]median.Cell, k*columnsAtOnce)
	for first := 0; first < p; first += columnsAtOnce {
		width := min(columnsAtOnce, p-first)
		for i := range gathered {
			gathered[i] = gathered[i][:0]
		}
		for i := range rows.Blocks() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			gather(gathered, rows.Block(i), labels, first, width)
		}
		for t := range width {
			for j := range k {
				m.add(j, first+t, gathered[j*columnsAtOnce+t], theta.Row(j)[first+t])
			}
		}
	}
	return m, nil
}

// toMedians is the center of the absolute loss: see losses.
func toMedians(ctx context.Context, at *framework.Point, theta framework.Matrix, rows framework.Rows, labels []int32) (float64, error) {
	m, err := NewMedians(ctx, theta, rows, labels)
	if err != nil {
		return 0, err
	}
	at.X, at.Gain = m.Center, m.Gain.Data
	return m.Objective, nil
}

// gather appends the observed cells of width columns to one list a cluster and
// column.
func gather(lists [][]median.Cell, b framework.Block, labels []int32, first, width int) {
	for i := range b.X.Rows {
		j := int(labels[b.Row0+i])
		w := b.Weight(i)
		if j < 0 || w == 0 {
			continue
		}
		for t, v := range b.X.Row(i)[first : first+width] {
			if v == v {
				lists[j*columnsAtOnce+t] = append(lists[j*columnsAtOnce+t], median.Cell{Value: v, Weight: w})
			}
		}
	}
}

// add enters the cells of cluster j and feature l.
func (m *Medians) add(j, l int, cells []median.Cell, theta float64) {
	if len(cells) == 0 {
		return
	}
	for _, c := range cells {
		m.Objective += float64(c.Weight * math.Abs(c.Value-theta)) // not fused: the same bits on all processors
	}
	middle := median.Of(cells)
	var gain float64
	for _, c := range cells {
		gain += float64(c.Weight * (math.Abs(c.Value) - math.Abs(c.Value-middle)))
	}
	i := j*m.Center.Cols + l
	m.Center.Data[i], m.Gain.Data[i] = middle, gain
}
