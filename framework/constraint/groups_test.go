package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

func TestKeptGroupsAreTheBestOfAllChoicesOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawPoint(t) // whole numbers: sums are exact
		group := make([]int, at.X.Cols)
		for l := range group {
			group[l] = rapid.IntRange(0, at.X.Cols-1).Draw(t, "group")
		}
		set := constraint.TopGroups{S: rapid.IntRange(0, at.X.Cols).Draw(t, "s"), Group: group}
		y := project(t, set, at)
		want := bestChoice(1<<at.X.Cols, func(keep int) bool { return count(uint(keep)) <= set.S }, func(keep int) float64 {
			z := at.X.Clone()
			for i := range z.Data {
				if keep>>group[i%z.Cols]&1 == 0 {
					z.Data[i] = 0
				}
			}
			return squaredDistance(at, z)
		})
		if got := squaredDistance(at, y); got != want {
			t.Errorf("%+v keeps %v of %v: squared distance %g, but %g is possible", set, y.Data, at.X.Data, got, want)
		}
		if v := set.Violation(y); v != 0 {
			t.Errorf("%+v: %v is outside by %g", set, y.Data, v)
		}
	})
}

func TestGroupsOfOneColumnAreColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawPoint(t)
		var group []int
		for l := range at.X.Cols {
			group = append(group, l)
		}
		s := rapid.IntRange(0, at.X.Cols).Draw(t, "s")
		if a, b := project(t, constraint.TopGroups{S: s, Group: group}, at), project(t, constraint.TopColumns{S: s}, at); !sameBits(a, b) {
			t.Errorf("%v: groups of one keep %v, columns %v", at.X.Data, a.Data, b.Data)
		}
	})
}

func TestGroupsThatDoNotFitAreRefused(t *testing.T) {
	x := framework.NewMatrix(1, 2)
	for want, set := range map[string]framework.Set{
		"bad-set: sparsity has groups of 1 columns for 2 features":                constraint.TopGroups{S: 1, Group: []int{0}},
		"bad-set: sparsity: the group of feature 1 is 2, and must be from 0 to 1": constraint.TopGroups{S: 1, Group: []int{0, 2}},
		"bad-set: sparsity is -1; it must not be negative":                        constraint.TopGroups{S: -1, Group: []int{0, 1}},
	} {
		if err := set.Project(x, framework.Point{X: x}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSetsThatTieFeaturesTogetherNeedMeans(t *testing.T) {
	// Gains in the place of masses say that these are no means of complete cells.
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		at.Gain = make([]float64, len(at.X.Data))
		err := set.Project(framework.NewMatrix(at.X.Rows, at.X.Cols), at)
		f := framework.AsFault(err)
		if takes := constraint.TakesGains(set, true); takes != (err == nil) || takes != set.Properties().Separable || !takes && f.Code != "set-needs-means" {
			t.Errorf("%+v: says that it takes gains: %v, but answers %v", set, takes, err)
		}
	})
}

func TestOneSetIsItsOwnIntersectionAndNoneIsNothing(t *testing.T) {
	if set, err := constraint.Intersect(2, 2, []framework.Set{nil, nil}, constraint.Names{}); set != nil || err != nil {
		t.Errorf("no sets intersect in %v, %v", set, err)
	}
	one := constraint.L2Ball{Radius: math.Pi}
	if set, err := constraint.Intersect(2, 2, []framework.Set{nil, one}, constraint.Names{}); err != nil || set.(constraint.L2Ball).Radius != math.Pi {
		t.Errorf("one set intersects in %v, %v", set, err)
	}
}
