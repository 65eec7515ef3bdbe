package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// alongEdge returns a point of {⟨a, y⟩ ≤ b} that is far in direction d. It starts
// at the point of the edge that is nearest to 0, and follows the component of d
// along the edge.
func alongEdge(d, a []float64, b, reach float64) []float64 {
	var aa, ad float64
	for i, v := range a {
		aa, ad = aa+v*v, ad+v*d[i]
	}
	y := make([]float64, len(d))
	for i, v := range a {
		if aa > 0 {
			y[i] = b/aa*v + (d[i] - ad/aa*v)
		} else {
			y[i] = d[i]
		}
	}
	if ad < 0 && aa > 0 {
		for i, v := range a { // and into the half-space
			y[i] += ad / aa * v
		}
	}
	return y
}

// HalfSpace draws n coefficients and a bound.
func HalfSpace(t *rapid.T, n int) ([]float64, float64) {
	coef := Numbers(t, n, "coefficient")
	for i, a := range coef {
		if math.Abs(a) < 0.1 {
			coef[i] = 0 // tiny coefficients would put the edge very far away
		}
	}
	bound := Number(t, "bound")
	switch rapid.IntRange(0, 3).Draw(t, "bound") {
	case 0:
		bound = 0
	case 1:
		bound = math.Abs(bound)
	}
	for _, a := range coef {
		if a != 0 {
			return coef, bound
		}
	}
	return coef, math.Abs(bound)
}

func init() {
	Families["halfspace"] = rowFamily(
		func(t *rapid.T, k, p int) constraint.HalfSpace {
			w := drawWhere(t, k, p)
			coef, bound := HalfSpace(t, widthOf(w, p))
			return constraint.HalfSpace{Where: w, Coef: coef, Bound: bound}
		},
		func(h *constraint.HalfSpace) *constraint.Where { return &h.Where },
		func(h *constraint.HalfSpace, c float64) { h.Bound *= c },
		func(h constraint.HalfSpace, d []float64, reach float64) []float64 {
			return alongEdge(d, h.Coef, h.Bound, reach)
		})
	Families["halfspace of several centers"] = Family{
		Draw: func(t *rapid.T, k, p int) framework.Set {
			coef, bound := HalfSpace(t, k*p)
			return constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: coef}, Bound: bound}
		},
		Scaled: func(s framework.Set, c float64) framework.Set {
			h := s.(constraint.JointHalfSpace)
			h.Bound *= c
			return h
		},
		Permuted: func(s framework.Set, order []int) framework.Set {
			h := s.(constraint.JointHalfSpace)
			turned := h.Coef.Clone()
			for i := range turned.Data {
				turned.Data[i] = h.Coef.Data[i/len(order)*len(order)+order[i%len(order)]]
			}
			h.Coef = turned
			return h
		},
		Farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			h := s.(constraint.JointHalfSpace)
			return framework.Matrix{Rows: d.Rows, Cols: d.Cols, Data: alongEdge(d.Data, h.Coef.Data, h.Bound, reach)}
		},
	}
}
