package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

func init() {
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
		at := settest.At(t)
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
