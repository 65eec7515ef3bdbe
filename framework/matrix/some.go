package matrix

import "github.com/sqlcluster/sqlcluster/framework"

// Some returns the rows of these numbers, in that order, with their weights: a copy in
// plain memory, sparse if d is.
func (d *Data) Some(rows []int) *Data {
	var weights []float64
	for _, i := range rows {
		if d.weighted {
			weights = append(weights, d.weights[i])
		}
	}
	if !d.isSparse {
		x := framework.NewMatrix(len(rows), d.cols)
		for t, i := range rows {
			copy(x.Row(t), d.Matrix().Row(i))
		}
		return FromMatrix(x, weights, 0)
	}
	s := &framework.Sparse{Base: d.sparse.Base, Start: make([]int64, 1, len(rows)+1)}
	for _, i := range rows {
		columns, offsets := d.sparse.Row(i)
		s.Column, s.Offset = append(s.Column, columns...), append(s.Offset, offsets...)
		s.Start = append(s.Start, int64(len(s.Column)))
	}
	some := FromSparse(s, weights, 0)
	some.dir = d.dir
	return some
}
