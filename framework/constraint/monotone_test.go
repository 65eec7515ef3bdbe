package constraint_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

func init() {
	refusals["monotone of scale 0"] = struct {
		set  framework.Set
		want string
	}{constraint.Monotone{Scale: []float64{1, 0, 1}}, "bad-set: monotone: number 1 (scales) is 0, and must be above 0"}
}

func TestIsotoneRegressionIsTheOneByHand(t *testing.T) {
	// 1, 3, 2, 2, 4 with masses 1, 1, 2, 1, 1: 3, 2, 2 violate the order, and
	// are pooled to (3 + 4 + 2)/4 = 2.25.
	x := framework.Matrix{Rows: 1, Cols: 5, Data: []float64{1, 3, 2, 2, 4}}
	y := settest.Project(t, constraint.Monotone{}, framework.Point{X: x, ColMass: []float64{1, 1, 2, 1, 1}})
	want := framework.Matrix{Rows: 1, Cols: 5, Data: []float64{1, 2.25, 2.25, 2.25, 4}}
	if d := settest.Biggest(settest.Minus(y, want)); d > 1e-15 {
		t.Errorf("got %v, want %v", y.Data, want.Data)
	}
}
