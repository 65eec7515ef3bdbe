package means

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// Costs implements framework.Coster: distances over the features that tell centers apart.
func (c *Lloyd) Costs(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch, dst framework.Matrix) error {
	m.Cache.(*Cache).Centers.Costs(dst, b, nil, labels, s.(*Panel))
	return nil
}

// Costs writes the distance of each row of the block to each center over Columns to dst
// (block rows × k). It is less than that of Distances by what is the same for all centers. With
// fill (k×p), cells that are missing are filled from the center of the row's label, as AssignFilled does.
// Of sparse rows, distances are those of Distances.
func (c *Centers) Costs(dst framework.Matrix, b framework.Block, fill *framework.Matrix, labels []int32, p *Panel) {
	if b.Sparse != nil {
		c.distancesSparse(dst, b)
		return
	}
	s := len(c.columns)
	x := p.pack(b, c.columns)
	if x != nil && fill == nil {
		kernel.Distances(dst.Data, c.measure, x, &c.near)
		return
	}
	h, room := p.room.take(s)
	defer p.room.give(h)
	for first := 0; first < dst.Rows; first += room {
		some := dst.Slice(first, min(first+room, dst.Rows))
		for t := range some.Rows {
			row := h.x[t*s : (t+1)*s]
			if x != nil {
				copy(row, x[(first+t)*s:])
			} else {
				pick(row, b.X.Row(first+t), c.columns)
			}
			if fill != nil {
				c.fill(row, *fill, labels[first+t])
			}
		}
		kernel.Distances(some.Data, c.measure, h.x, &c.near)
	}
}
