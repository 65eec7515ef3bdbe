package constraint_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// nearestBySearch returns the smallest distance of the point to a matrix that keeps
// only s columns (or s entries in each row), by trying all choices.
func nearestBySearch(at framework.Point, s int, rowWise bool) float64 {
	dropped := func(j int, keep uint) (sum float64) {
		for l, v := range at.X.Row(j) {
			if keep>>l&1 == 0 {
				sum += at.RowMass[j] * v * v
			}
		}
		return sum
	}
	choices := func(cost func(keep uint) float64) float64 {
		best := math.Inf(1)
		for keep := uint(0); keep < 1<<at.X.Cols; keep++ {
			if settest.Count(keep) <= s {
				best = min(best, cost(keep))
			}
		}
		return best
	}
	if !rowWise {
		return choices(func(keep uint) (sum float64) {
			for j := range at.X.Rows {
				sum += dropped(j, keep)
			}
			return sum
		})
	}
	var sum float64
	for j := range at.X.Rows {
		sum += choices(func(keep uint) float64 { return dropped(j, keep) })
	}
	return sum
}

func TestProjectionIsTheClosestPointOfAllChoicesOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t)
		s := rapid.IntRange(0, at.X.Cols+1).Draw(t, "s")
		for _, set := range []framework.Set{constraint.Sparsity{S: s}, constraint.Sparsity{S: s, PerCenter: true}} {
			dst := framework.NewMatrix(at.X.Rows, at.X.Cols)
			must.Do(t, set.Project(dst, at))
			// Integers: all sums are exact.
			got, want := settest.SquaredDistance(at, dst), nearestBySearch(at, s, set.Properties().RowWise)
			if got != want {
				t.Errorf("%T keeps %v of %v: squared distance %g, but %g is possible", set, dst.Data, at.X.Data, got, want)
			}
			if v := set.Violation(dst); v != 0 {
				t.Errorf("%T: the projection %v violates the set by %g", set, dst.Data, v)
			}
			again := dst.Clone()
			must.Do(t, set.Project(again, framework.Point{X: again, RowMass: at.RowMass}))
			if settest.SquaredDistance(framework.Point{X: dst, RowMass: at.RowMass}, again) != 0 {
				t.Errorf("%T: projecting %v once more gives %v", set, dst.Data, again.Data)
			}
		}
	})
}

func TestOfEqualGainsTheLowerFeatureIsKept(t *testing.T) {
	keep := make([]bool, 4)
	constraint.Sparsity{S: 2}.Select(keep, []float64{1, 2, 2, 2}, 4) // three equal gains for two places
	must.Equal(t, []bool{false, true, true, false}, keep)
}

func TestKeepingAllFeaturesIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t)
		for _, set := range []framework.Set{constraint.Sparsity{S: at.X.Cols}, constraint.Sparsity{S: at.X.Cols, PerCenter: true}} {
			dst := framework.NewMatrix(at.X.Rows, at.X.Cols)
			must.Do(t, set.Project(dst, at))
			if diff := cmp.Diff(at.X, dst); diff != "" {
				t.Errorf("%T: %s", set, diff)
			}
		}
	})
}

func TestViolationIsTheNormOfWhatIsTooMuch(t *testing.T) {
	y := framework.Matrix{Rows: 2, Cols: 2, Data: []float64{3, 0, 0, 4}}
	if got := (constraint.Sparsity{S: 1}).Violation(y); got != 3 { // the smaller column has norm 3
		t.Errorf("one column too many: violation %g, want 3", got)
	}
	if got := (constraint.Sparsity{S: 1, PerCenter: true}).Violation(y); got != 0 {
		t.Errorf("one entry a row is allowed: violation %g, want 0", got)
	}
}

func TestBadPointsAreRefusedWithTheirPlace(t *testing.T) {
	cases := map[string]struct {
		at   framework.Point
		want string
	}{
		"NaN": {framework.Point{X: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{0, math.NaN()}}},
			"bad-point: entry (0, 1) of the point to project is NaN; it must be finite"},
		"negative mass": {framework.Point{X: framework.NewMatrix(1, 1), RowMass: []float64{-1}},
			"bad-point: row mass 0 is -1; it must be finite and not negative"},
		"NaN mass": {framework.Point{X: framework.NewMatrix(1, 1), ColMass: []float64{math.NaN()}},
			"bad-point: column mass 0 is NaN; it must be finite and not negative"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, set := range []framework.Set{constraint.Sparsity{S: 1}, constraint.Sparsity{S: 1, PerCenter: true}} {
				err := set.Project(c.at.X.Clone(), c.at)
				if err == nil || err.Error() != c.want {
					t.Errorf("%T: got %v, want %s", set, err, c.want)
				}
			}
		})
	}
}
