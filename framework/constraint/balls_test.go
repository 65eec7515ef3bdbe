package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

// drawRadius draws the radius of a set, which may be 0.
func drawRadius(t *rapid.T) float64 {
	return rapid.SampledFrom([]float64{0, 0.25, 1, 1, 2.5, 7}).Draw(t, "radius")
}

func init() {
	families["simplex"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.Simplex{Where: drawWhere(t, k, p), Radius: drawRadius(t)}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.Simplex)
			b.Radius *= c
			return b
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.Simplex)
			b.Where = turn(b.Where, order)
			return b
		},
		farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.Simplex)
			return byRow(b.Where, d, func(d []float64) []float64 { // a corner
				y, at := make([]float64, len(d)), 0
				for i, v := range d {
					if v > d[at] {
						at = i
					}
				}
				y[at] = b.Radius
				return y
			})
		},
	}
	families["l1_ball"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.L1Ball{Where: drawWhere(t, k, p), Radius: drawRadius(t)}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.L1Ball)
			b.Radius *= c
			return b
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.L1Ball)
			b.Where = turn(b.Where, order)
			return b
		},
		farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.L1Ball)
			return byRow(b.Where, d, func(d []float64) []float64 { // a corner
				y, at := make([]float64, len(d)), 0
				for i, v := range d {
					if math.Abs(v) > math.Abs(d[at]) {
						at = i
					}
				}
				y[at] = math.Copysign(b.Radius, d[at])
				return y
			})
		},
	}
	families["l2_ball"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.L2Ball{Where: drawWhere(t, k, p), Radius: drawRadius(t)}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.L2Ball)
			b.Radius *= c
			return b
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.L2Ball)
			b.Where = turn(b.Where, order)
			return b
		},
		farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			b := s.(constraint.L2Ball)
			return byRow(b.Where, d, func(d []float64) []float64 {
				var squares float64
				for _, v := range d {
					squares += v * v
				}
				if squares == 0 {
					return d
				}
				return scaleAll(d, b.Radius/math.Sqrt(squares))
			})
		},
	}
	for name, c := range map[string]struct {
		set  framework.Set
		want string
	}{
		"negative simplex": {constraint.Simplex{Radius: -1}, "empty-set: the simplex is empty: its radius is -1, and must not be negative"},
		"infinite simplex": {constraint.Simplex{Radius: math.Inf(1)}, "bad-set: simplex: the radius is +Inf"},
		"negative L1 ball": {constraint.L1Ball{Radius: -1}, "empty-set: the l1_ball is empty: its radius is -1, and must not be negative"},
		"NaN L2 ball":      {constraint.L2Ball{Radius: math.NaN()}, "bad-set: l2_ball: the radius is NaN"},
	} {
		refusals[name] = c
	}
}

func TestBallsOfInfiniteRadiusAreTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawAt(t)
		for _, set := range []framework.Set{constraint.L1Ball{Radius: math.Inf(1)}, constraint.L2Ball{Radius: math.Inf(1)}} {
			if y := settest.Project(t, set, at); !settest.SameBits(y, at.X) {
				t.Errorf("%T moves %v to %v", set, at.X.Data, y.Data)
			}
		}
	})
}

func TestTheSimplexIsAsExactFarFromTheOriginAsNear(t *testing.T) {
	// 1e9 + (0.5, 0.25, 0): the largest two stay, τ = (0.75 − 0.5)/2 above 1e9.
	x := framework.Matrix{Rows: 1, Cols: 3, Data: []float64{1e9 + 0.5, 1e9 + 0.25, 1e9}}
	y := settest.Project(t, constraint.Simplex{Radius: 0.5}, framework.Point{X: x})
	if want := []float64{0.375, 0.125, 0}; y.Data[0] != want[0] || y.Data[1] != want[1] || y.Data[2] != want[2] {
		t.Errorf("got %v, want %v", y.Data, want)
	}
}
