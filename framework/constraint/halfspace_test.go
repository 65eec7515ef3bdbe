package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

// alongEdge returns a point of {⟨a, y⟩ ≤ b} that is far in direction d: at the
// edge, from its point nearest to 0, along what of d is along the edge.
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

func drawHalfSpace(t *rapid.T, n int) ([]float64, float64) {
	coef := settest.Numbers(t, n, "coefficient")
	for i, a := range coef {
		if math.Abs(a) < 0.1 {
			coef[i] = 0 // very flat ones have their edge very far away
		}
	}
	bound := settest.Number(t, "bound")
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
	families["halfspace"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			w := drawWhere(t, k, p)
			coef, bound := drawHalfSpace(t, widthOf(w, p))
			return constraint.HalfSpace{Where: w, Coef: coef, Bound: bound}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			h := s.(constraint.HalfSpace)
			h.Bound *= c
			return h
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			h := s.(constraint.HalfSpace)
			h.Where = turn(h.Where, order)
			return h
		},
		farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			h := s.(constraint.HalfSpace)
			return byRow(h.Where, d, func(d []float64) []float64 { return alongEdge(d, h.Coef, h.Bound, reach) })
		},
	}
	families["halfspace of several centers"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			coef, bound := drawHalfSpace(t, k*p)
			return constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: coef}, Bound: bound}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			h := s.(constraint.JointHalfSpace)
			h.Bound *= c
			return h
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			h := s.(constraint.JointHalfSpace)
			turned := h.Coef.Clone()
			for i := range turned.Data {
				turned.Data[i] = h.Coef.Data[i/len(order)*len(order)+order[i%len(order)]]
			}
			h.Coef = turned
			return h
		},
		farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			h := s.(constraint.JointHalfSpace)
			return framework.Matrix{Rows: d.Rows, Cols: d.Cols, Data: alongEdge(d.Data, h.Coef.Data, h.Bound, reach)}
		},
	}
	refusals["half-space without coefficients"] = struct {
		set  framework.Set
		want string
	}{constraint.HalfSpace{Coef: make([]float64, 3), Bound: -1}, "empty-set: the half-space is empty: no center has a sum of at most -1 with these coefficients"}
	refusals["joint half-space of another shape"] = struct {
		set  framework.Set
		want string
	}{constraint.JointHalfSpace{Coef: framework.NewMatrix(3, 2)}, "bad-set: halfspace has 3×2 coefficients for 2×3 centers"}
}

func TestTheProjectionOntoAHalfSpaceIsTheOneByHand(t *testing.T) {
	// 2a + b ≤ 3 at (2, 3), masses 1 and 4: τ = (7 − 3)/(4/1 + 1/4) = 16/17.
	h := constraint.HalfSpace{Coef: []float64{2, 1}, Bound: 3}
	y := settest.Project(t, h, framework.Point{X: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{2, 3}}, ColMass: []float64{1, 4}})
	want := []float64{2 - 32.0/17, 3 - 4.0/17}
	for l := range want {
		if math.Abs(y.Data[l]-want[l]) > 1e-15 {
			t.Errorf("got %v, want %v", y.Data, want)
		}
	}
}
