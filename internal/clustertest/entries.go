package clustertest

import (
	"math/rand/v2"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// SparseRows are Rows whose blocks are sparse.
type SparseRows struct {
	Rows   // with all cells
	sparse *framework.Sparse
}

// Sparse returns the rows with entries in place of cells: of each cell that is not the
// base of its column. A nil base is 0.
func (r Rows) Sparse(base []float64) SparseRows {
	if base == nil {
		base = make([]float64, r.X.Cols)
	}
	s := &framework.Sparse{Base: base, Start: []int64{0}}
	for i := range r.X.Rows {
		for l, v := range r.X.Row(i) {
			if v != base[l] {
				s.Column, s.Offset = append(s.Column, int32(l)), append(s.Offset, v-base[l])
			}
		}
		s.Start = append(s.Start, int64(len(s.Column)))
	}
	return SparseRows{r, s}
}

// Block implements framework.Rows.
func (r SparseRows) Block(i int) framework.Block {
	b := r.Rows.Block(i)
	b.X.Data, b.Sparse = nil, r.sparse.Slice(b.Row0, b.Row0+b.X.Rows)
	return b
}

// Problem describes the rows, without scaling.
func (r SparseRows) Problem(k int) framework.Problem {
	p := r.Rows.Problem(k)
	p.Sparse = true
	for l, v := range r.sparse.Base {
		p.Columns[l].Base = v
	}
	return p
}

// Fit is Rows.Fit of the sparse rows.
func (r SparseRows) Fit(t T, a framework.Algorithm, p framework.Problem, params map[string]string, start fit.Start,
	change func(*fit.Settings)) Fitted {
	t.Helper()
	return fitOf(t, a, r, p, params, start, change)
}

// Run is Rows.Run of the sparse rows.
func (r SparseRows) Run(t T, c framework.Clusterer, p framework.Problem, start fit.Start, change func(*fit.Settings)) Fitted {
	t.Helper()
	return run(t, c, r, p, start, change)
}

// DrawSparse draws n × p cells of which a share is not 0: whole numbers up to 3, or
// numbers with a standard normal distribution.
func DrawSparse(r *rand.Rand, n, p int, share float64, whole bool) framework.Matrix {
	x := framework.NewMatrix(n, p)
	for i := range x.Data {
		switch {
		case r.Float64() >= share:
		case whole:
			x.Data[i] = float64(1 + r.IntN(3))
		default:
			x.Data[i] = r.NormFloat64()
		}
	}
	return x
}
