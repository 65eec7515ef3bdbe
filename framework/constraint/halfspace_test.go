package constraint_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

func init() {
	refusals["half-space without coefficients"] = struct {
		set  framework.Set
		want string
	}{constraint.HalfSpace{Coef: make([]float64, 3), Bound: -1},
		"empty-set: the half-space is empty: no center has a sum of at most -1 with these coefficients"}
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
