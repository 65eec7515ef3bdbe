package intersect_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestIntersectionsWithoutARuleOrAPointAreRefusedWithTheReason(t *testing.T) {
	on := func(features ...int) constraint.Where { return constraint.Where{Features: features} }
	half := func(bound float64, coef ...float64) constraint.HalfSpace {
		return constraint.HalfSpace{Coef: coef, Bound: bound}
	}
	box := func(lo, hi float64) constraint.Box {
		return constraint.Box{Lo: []float64{lo, lo}, Hi: []float64{hi, hi}}
	}
	cases := map[string]struct {
		sets []framework.Set
		want string
	}{
		"bounds that exclude each other": {[]framework.Set{constraint.NonNegative{}, constraint.Box{Where: on(1), Hi: []float64{-1}}},
			"empty-set: box asks for feature 1 from -Inf to -1 in cluster 0, but nonnegative asks for 0 to +Inf"},
		"a half-space beyond bounds": {[]framework.Set{box(1, 2), half(1, 1, 1)},
			"empty-set: no center is in both the bounds and halfspace: the smallest sum that they allow is 1 above its limit"},
		"a half-space between centers beyond bounds": {[]framework.Set{box(1, 2),
			constraint.JointHalfSpace{Coef: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 0, 1, 0}}, Bound: 1}},
			"empty-set: no center is in both the bounds and halfspace: the smallest sum that they allow is 1 above its limit"},
		"a simplex beyond bounds": {[]framework.Set{box(1, 2), constraint.Simplex{Radius: 5}},
			"empty-set: no center is in both the bounds and simplex: they allow sums from 2 to 4, but not 5"},
		"an L1 ball beyond bounds": {[]framework.Set{box(1, 2), constraint.L1Ball{Radius: 1}},
			"empty-set: no center is in both the bounds and l1_ball: the absolute values that they allow sum to at least 2, above 1"},
		"an L2 ball beyond bounds": {[]framework.Set{box(3, 4), constraint.L2Ball{Radius: 1}},
			"empty-set: no center is in both the bounds and l2_ball: the norm that they allow is at least 4.24264, above 1"},
		"an order against bounds": {[]framework.Set{constraint.Box{Lo: []float64{3, 0}, Hi: []float64{4, 1}}, constraint.Monotone{}},
			"empty-set: no center is in both the bounds and monotone: feature 0 must be at least 3, and feature 1, which comes later, at most 1"},
		"half-spaces back to back": {[]framework.Set{half(1, 1, 1), half(-2, -1, -1)},
			"empty-set: no center is in both halfspace and halfspace: one sum would have to be at most 1 and at least 2"},
		"a half-space beside a simplex": {[]framework.Set{half(1, 2, 3), constraint.Simplex{Radius: 1}},
			"empty-set: no center is in both simplex and halfspace: the smallest sum that it allows is 1 above the limit"},
		"two sums": {[]framework.Set{constraint.Simplex{Radius: 1}, constraint.Simplex{Radius: 2}},
			"empty-set: no center is in both simplex and simplex: one sum cannot be 2 and 1"},
		"joint sparsity with a ball": {[]framework.Set{constraint.Sparsity{S: 1}, constraint.L2Ball{Radius: 1}},
			"cannot-intersect: l2_ball ties features together, and the same features for all centers are to be selected: " +
				"the nearest centers for both have no formula"},
		"sparsity with a half-space": {[]framework.Set{constraint.Sparsity{S: 1, PerCenter: true}, half(1, 1, 1)},
			"cannot-intersect: sparsity and halfspace: which features to keep has no formula"},
		"sparsity with bounds and a ball": {[]framework.Set{constraint.Sparsity{S: 1, PerCenter: true}, constraint.L2Ball{Radius: 1},
			constraint.NonNegative{}},
			"cannot-intersect: sparsity can be combined with l2_ball or with bounds on features, not with both"},
		"two scopes": {[]framework.Set{constraint.Sparsity{S: 1, PerCenter: true}, constraint.Sparsity{S: 1}},
			"cannot-intersect: sparsity is a second sparsity of another scope: the nearest center for both has no formula"},
		"sparsity with a ball of some features": {[]framework.Set{constraint.Sparsity{S: 1, PerCenter: true},
			constraint.L2Ball{Where: on(1), Radius: 1}},
			"cannot-intersect: sparsity and l2_ball, which applies to some features or clusters only: which features to keep has no formula"},
		"too many features that must be kept": {[]framework.Set{constraint.Sparsity{S: 1}, box(1, 2)},
			"empty-set: more features have bounds that exclude 0 than may be kept"},
		// From (−1/2, −1/2) a center needs to go 1/2 in either direction.
		"three half-spaces around nothing": {[]framework.Set{half(-1, 1, 0), half(-1, 0, 1), half(1, -1, -1)},
			"empty-set: no center was found that is in all of the sets that share features; " +
				"the best one is still 0.5 (fitted units) away from halfspace"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := intersect.Sets(2, 2, c.sets, intersect.Names{})
			must.Fail(t, err, c.want)
		})
	}
}

func TestPropertiesOfIntersectionsFollowFromTheirSets(t *testing.T) {
	on := func(features ...int) constraint.Where { return constraint.Where{Features: features} }
	cases := map[string]struct {
		sets []framework.Set
		want framework.Properties
	}{
		"bounds": {[]framework.Set{constraint.NonNegative{}, constraint.Box{Hi: []float64{1, 1}}},
			framework.Properties{Kind: "intersection", Convex: true, RowWise: true, Separable: true}},
		"cones": {[]framework.Set{constraint.NonNegative{}, constraint.Monotone{Where: on(0)}},
			framework.Properties{Kind: "intersection", Convex: true, Cone: true, RowWise: true}},
		"between centers": {[]framework.Set{constraint.NonNegative{},
			constraint.JointHalfSpace{Coef: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{1, 0}}, Bound: 1}},
			framework.Properties{Kind: "intersection", Convex: true}},
		"sparsity of each center": {[]framework.Set{constraint.NonNegative{}, constraint.Sparsity{S: 1, PerCenter: true}},
			framework.Properties{Kind: "intersection", Cone: true, RowWise: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set := must.Get(intersect.Sets(1, 2, c.sets, intersect.Names{}))(t)
			if got := set.Properties(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
