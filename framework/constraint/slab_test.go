package constraint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// drawSlab draws two half-spaces that face each other, of each center or of all,
// and bounds or none.
func drawSlab(t *rapid.T, k, p int) framework.Set {
	width := rapid.SampledFrom([]float64{0, 0.1, 2}).Draw(t, "width")
	bound, size := number(t, "bound"), p
	joint := rapid.Bool().Draw(t, "joint")
	if joint {
		size = k * p
	}
	coef, against := make([]float64, size), make([]float64, size)
	for i := range coef {
		coef[i] = float64(rapid.IntRange(-4, 4).Draw(t, "coef")) / 2
	}
	coef[0] = 1 // so that not all are 0
	for i, a := range coef {
		against[i] = -a
	}
	one, other := framework.Set(constraint.HalfSpace{Coef: coef, Bound: bound}), framework.Set(constraint.HalfSpace{Coef: against, Bound: width - bound})
	if joint {
		one = constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: coef}, Bound: bound}
		other = constraint.JointHalfSpace{Coef: framework.Matrix{Rows: k, Cols: p, Data: against}, Bound: width - bound}
	}
	sets := []framework.Set{one, other}
	if rapid.Bool().Draw(t, "bounded") {
		b := constraint.Box{Lo: drawNumbers(t, p, "lo"), Hi: make([]float64, p)}
		for l := range b.Hi {
			b.Hi[l] = b.Lo[l] + rapid.Float64Range(0, 4).Draw(t, "to hi")
		}
		sets = append(sets, b)
	}
	return intersect(t, k, p, sets...)
}

// TestASlabIsProjectedExactly: a point is the nearest of a convex set if no way
// from it to another point of the set makes an acute angle with the way back. For
// masses of 0 too, for which it is necessary only.
func TestASlabIsProjectedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawAt(t)
		k, p := at.X.Rows, at.X.Cols
		set := drawSlab(t, k, p)
		if !constraint.HasRule(set) {
			t.Fatal("it has no rule")
		}
		y := project(t, set, at)
		scale := max(1, biggest(at.X, y))
		if v := set.Violation(y); v > 1e-12*scale {
			t.Fatalf("%v goes to %v, which is %g outside", at.X.Data, y.Data, v)
		}
		again := project(t, set, framework.Point{X: y, RowMass: at.RowMass, ColMass: at.ColMass})
		if off := biggest(minus(again, y)); off > 1e-12*scale {
			t.Errorf("%v goes to %v, and that to %v", at.X.Data, y.Data, again.Data)
		}
		for range 5 {
			z := project(t, set, framework.Point{X: framework.Matrix{Rows: k, Cols: p, Data: drawNumbers(t, k*p, "z")}})
			allowed := 1e-10 * 1600 * scale * scale // masses are up to 40 in rows and columns
			if angle := inner(at, minus(at.X, y), minus(z, y)); angle > allowed {
				t.Errorf("%v goes to %v, but going to %v is nearer (masses %v, %v): %g", at.X.Data, y.Data, z.Data, at.RowMass, at.ColMass, angle)
			}
		}
	})
}

func TestWhichIntersectionsHaveARuleOfTheirOwn(t *testing.T) {
	half := constraint.HalfSpace{Coef: []float64{1, 2}, Bound: 1}
	facing := constraint.HalfSpace{Coef: []float64{-1, -2}, Bound: 3}
	apart := constraint.HalfSpace{Coef: []float64{-1, -1}, Bound: 3}
	positive, ball := constraint.NonNegative{}, constraint.L2Ball{Radius: 2}
	for name, c := range map[string]struct {
		sets []framework.Set
		want bool
	}{
		"bounds":                           {[]framework.Set{positive, constraint.Box{Lo: []float64{-1, -1}, Hi: []float64{1, 1}}}, true},
		"a half-space and bounds":          {[]framework.Set{half, positive}, true},
		"a slab":                           {[]framework.Set{half, facing}, true},
		"a slab and bounds":                {[]framework.Set{half, facing, positive}, true},
		"half-spaces at an angle":          {[]framework.Set{half, apart}, false},
		"a ball and bounds":                {[]framework.Set{ball, positive}, false},
		"a ball and a half-space":          {[]framework.Set{ball, half}, false},
		"a ball and an order, of clusters": {[]framework.Set{constraint.L2Ball{Where: constraint.Where{Clusters: []int{0}}, Radius: 1}, constraint.Monotone{Where: constraint.Where{Clusters: []int{1}}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				set, err := constraint.Intersect(2, 2, c.sets, constraint.Names{})
				if err != nil {
					t.Fatal(err)
				}
				if got := constraint.HasRule(set); got != c.want {
					t.Errorf("HasRule is %v", got)
				}
				slices.Reverse(c.sets)
			}
		})
	}
}
