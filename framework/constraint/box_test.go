package constraint_test

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// refusals are empty sets and sets with bad parameters, with their errors for a
// 2×3 point.
var refusals = map[string]struct {
	set  framework.Set
	want string
}{
	"box upside down": {constraint.Box{Where: constraint.Where{Features: []int{2}}, Lo: []float64{2}, Hi: []float64{1}},
		"empty-set: the box is empty: feature 2 must be at least 2 and at most 1"},
	"box of another width": {constraint.Box{Lo: []float64{1}}, "bad-set: box has a list of 1 lower bounds for 3 features"},
	"NaN bound":            {constraint.Box{Hi: []float64{1, math.NaN(), 1}}, "bad-set: box: number 1 (upper bounds) is NaN"},
	"infinite value":       {constraint.Fixed{Values: []float64{1, 2, math.Inf(1)}}, "bad-set: fixed: number 2 (values) is +Inf"},
	"cluster out of range": {constraint.NonNegative{Where: constraint.Where{Clusters: []int{2}}},
		"bad-set: nonnegative names cluster 2 of 2"},
	"feature twice": {constraint.NonNegative{Where: constraint.Where{Features: []int{1, 1}}},
		"bad-set: nonnegative names feature 1 twice"},
}

func TestSetsWithoutAPointAreRefusedWithTheReason(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			x := framework.NewMatrix(2, 3)
			must.Fail(t, c.set.Project(x, framework.Point{X: x}), c.want)
			if v := c.set.Violation(x); !math.IsInf(v, 1) {
				t.Errorf("its violation is %g: nothing is in the set", v)
			}
		})
	}
}
