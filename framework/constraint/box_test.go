package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

// corner is the corner of a box farthest in direction d.
func corner(d, lo, hi []float64, reach float64) []float64 {
	y := make([]float64, len(d))
	for i, v := range d {
		from, to := -reach, reach
		if lo != nil {
			from = max(from, lo[i])
		}
		if hi != nil {
			to = min(to, hi[i])
		}
		if y[i] = from; v > 0 {
			y[i] = to
		}
	}
	return y
}

func init() {
	families["box"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			b := constraint.Box{Where: drawWhere(t, k, p)}
			lo, hi := settest.Numbers(t, widthOf(b.Where, p), "lo"), settest.Numbers(t, widthOf(b.Where, p), "hi")
			for i := range lo {
				lo[i], hi[i] = min(lo[i], hi[i]), max(lo[i], hi[i])
				if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
					lo[i] = math.Inf(-1)
				}
			}
			switch rapid.IntRange(0, 3).Draw(t, "sides") {
			case 0:
				b.Lo = lo
			case 1:
				b.Hi = hi
			default:
				b.Lo, b.Hi = lo, hi
			}
			return b
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			b := s.(constraint.Box)
			return constraint.Box{Where: b.Where, Lo: scaleAll(b.Lo, c), Hi: scaleAll(b.Hi, c)}
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			b := s.(constraint.Box)
			b.Where = turn(b.Where, order)
			return b
		},
		farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			b := s.(constraint.Box)
			return byRow(b.Where, d, func(d []float64) []float64 { return corner(d, b.Lo, b.Hi, reach) })
		},
	}
	families["nonnegative"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			return constraint.NonNegative{Where: drawWhere(t, k, p)}
		},
		scaled: func(s framework.Set, _ float64) framework.Set { return s },
		permuted: func(s framework.Set, order []int) framework.Set {
			return constraint.NonNegative{Where: turn(s.(constraint.NonNegative).Where, order)}
		},
		farthest: func(s framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			return byRow(s.(constraint.NonNegative).Where, d, func(d []float64) []float64 { return corner(d, make([]float64, len(d)), nil, reach) })
		},
	}
	families["fixed"] = family{
		draw: func(t *rapid.T, k, p int) framework.Set {
			w := drawWhere(t, k, p)
			return constraint.Fixed{Where: w, Values: settest.Numbers(t, widthOf(w, p), "value")}
		},
		scaled: func(s framework.Set, c float64) framework.Set {
			f := s.(constraint.Fixed)
			return constraint.Fixed{Where: f.Where, Values: scaleAll(f.Values, c)}
		},
		permuted: func(s framework.Set, order []int) framework.Set {
			f := s.(constraint.Fixed)
			f.Where = turn(f.Where, order)
			return f
		},
		farthest: func(s framework.Set, d framework.Matrix, _ float64) framework.Matrix {
			f := s.(constraint.Fixed)
			return byRow(f.Where, d, func([]float64) []float64 { return f.Values })
		},
	}
}

// refusals are sets without a point, or with bad parameters, and what they say
// of a 2×3 point.
var refusals = map[string]struct {
	set  framework.Set
	want string
}{
	"box upside down": {constraint.Box{Where: constraint.Where{Features: []int{2}}, Lo: []float64{2}, Hi: []float64{1}},
		"empty-set: the box is empty: feature 2 must be at least 2 and at most 1"},
	"box of another width": {constraint.Box{Lo: []float64{1}}, "bad-set: box has a list of 1 lower bounds for 3 features"},
	"NaN bound":            {constraint.Box{Hi: []float64{1, math.NaN(), 1}}, "bad-set: box: number 1 (upper bounds) is NaN"},
	"infinite value":       {constraint.Fixed{Values: []float64{1, 2, math.Inf(1)}}, "bad-set: fixed: number 2 (values) is +Inf"},
	"cluster out of range": {constraint.NonNegative{Where: constraint.Where{Clusters: []int{2}}}, "bad-set: nonnegative speaks of cluster 2 of 2"},
	"feature twice":        {constraint.NonNegative{Where: constraint.Where{Features: []int{1, 1}}}, "bad-set: nonnegative names feature 1 twice"},
}

func TestSetsWithoutAPointAreRefusedWithTheReason(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			x := framework.NewMatrix(2, 3)
			if err := c.set.Project(x, framework.Point{X: x}); err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if v := c.set.Violation(x); !math.IsInf(v, 1) {
				t.Errorf("its violation is %g: nothing is in the set", v)
			}
		})
	}
}
