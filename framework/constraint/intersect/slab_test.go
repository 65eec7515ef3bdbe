package intersect_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

// drawSlab draws two half-spaces that face each other, for each center or between
// centers, with or without bounds.
func drawSlab(t *rapid.T, k, p int) framework.Set {
	width := rapid.SampledFrom([]float64{0, 0.1, 2}).Draw(t, "width")
	within, size := settest.Numbers(t, p, "a point of it"), p
	joint := rapid.Bool().Draw(t, "joint")
	if joint {
		size = k * p
	}
	coef, against := make([]float64, size), make([]float64, size)
	for i := range coef {
		coef[i] = float64(rapid.IntRange(-4, 4).Draw(t, "coef")) / 2
	}
	coef[0] = 1 // so that not all are 0
	bound := width / 2
	for i, a := range coef {
		against[i] = -a
		bound += a * within[i%p]
	}
	one := framework.Set(constraint.HalfSpace{Coef: coef, Bound: bound})
	other := framework.Set(constraint.HalfSpace{Coef: against, Bound: width - bound})
	if joint {
		one = constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: coef}, Bound: bound}
		other = constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: against}, Bound: width - bound}
	}
	sets := []framework.Set{one, other}
	if rapid.Bool().Draw(t, "bounded") {
		b := constraint.Box{Lo: make([]float64, p), Hi: make([]float64, p)}
		for l, v := range within {
			b.Lo[l], b.Hi[l] = v-rapid.Float64Range(0, 4).Draw(t, "to lo"), v+rapid.Float64Range(0, 4).Draw(t, "to hi")
		}
		sets = append(sets, b)
	}
	return together(t, k, p, sets...)
}

// TestASlabIsProjectedExactly checks that y is the point of a convex set nearest to
// x: the direction from y to x makes no acute angle with that to any point of the
// set. With masses of 0 this is necessary, but not sufficient.
func TestASlabIsProjectedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.At(t)
		k, p := at.X.Rows, at.X.Cols
		set := drawSlab(t, k, p)
		y := settest.Project(t, set, at)
		scale := max(1, settest.Biggest(at.X, y))
		if v := set.Violation(y); v > 1e-12*scale {
			t.Fatalf("%v goes to %v, which is %g outside", at.X.Data, y.Data, v)
		}
		again := settest.Project(t, set, framework.Point{X: y, RowMass: at.RowMass, ColMass: at.ColMass})
		if off := settest.Biggest(settest.Minus(again, y)); off > 1e-12*scale {
			t.Errorf("%v goes to %v, and that to %v", at.X.Data, y.Data, again.Data)
		}
		for range 5 {
			z := settest.Project(t, set, framework.Point{X: framework.Matrix{Rows: k, Cols: p, Data: settest.Numbers(t, k*p, "z")}})
			allowed := 1e-10 * 1600 * scale * scale // masses are up to 40 in rows and columns
			if angle := settest.Inner(at, settest.Minus(at.X, y), settest.Minus(z, y)); angle > allowed {
				t.Errorf("%v goes to %v, but going to %v is nearer (masses %v, %v): %g", at.X.Data, y.Data, z.Data, at.RowMass, at.ColMass, angle)
			}
		}
	})
}
