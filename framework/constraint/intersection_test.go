package constraint_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// intersect returns nil if the sets have no point in common.
func intersect(t *rapid.T, k, p int, sets ...framework.Set) framework.Set {
	set, err := constraint.Intersect(k, p, sets, constraint.Names{})
	if f := framework.AsFault(err); f != nil && f.Code == "empty-set" {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// convexKinds are the families that are drawn for intersections.
var convexKinds = []string{"box", "nonnegative", "fixed", "halfspace", "halfspace of several centers", "simplex", "l1_ball", "l2_ball", "monotone"}

func drawConvex(t *rapid.T, k, p int) []framework.Set {
	var sets []framework.Set
	for range rapid.IntRange(2, 3).Draw(t, "sets") {
		sets = append(sets, families[rapid.SampledFrom(convexKinds).Draw(t, "kind")].draw(t, k, p))
	}
	return sets
}

// off is the largest distance from one of the sets.
func off(sets []framework.Set, y framework.Matrix) (most float64) {
	for _, s := range sets {
		most = max(most, s.Violation(y))
	}
	return most
}

// coarse rounds the numbers of a set to multiples of 1/1024, so that sets are
// either apart or not, and not by rounding.
func coarse(set framework.Set) framework.Set {
	round := func(v []float64) []float64 {
		v = slices.Clone(v)
		for i := range v {
			v[i] = math.Round(v[i]*1024) / 1024
		}
		return v
	}
	switch s := set.(type) {
	case constraint.Box:
		return constraint.Box{Where: s.Where, Lo: round(s.Lo), Hi: round(s.Hi)}
	case constraint.Fixed:
		return constraint.Fixed{Where: s.Where, Values: round(s.Values)}
	case constraint.HalfSpace:
		return constraint.HalfSpace{Where: s.Where, Coef: round(s.Coef), Bound: round([]float64{s.Bound})[0]}
	case constraint.JointHalfSpace:
		s.Coef.Data = round(s.Coef.Data)
		s.Bound = round([]float64{s.Bound})[0]
		return s
	case constraint.Monotone:
		s.Location = round(s.Location)
		return s
	}
	return set
}

func TestAnIntersectionIsRefusedOnlyIfItIsEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, p := rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 5).Draw(t, "p")
		sets := drawConvex(t, k, p)
		for i, s := range sets {
			sets[i] = coarse(s)
		}
		if intersect(t, k, p, sets...) != nil {
			return
		}
		// Points that go from one set to the next come to a common one if there is one.
		y := framework.NewMatrix(k, p)
		for range 1000 {
			for _, s := range sets {
				y = project(t, s, framework.Point{X: y})
			}
			if v := off(sets, y); v <= 1e-12*biggest(y) {
				t.Fatalf("%+v are refused, but %v is in all of them, to %g", sets, y.Data, v)
			}
		}
	})
}

func TestAnIntersectionOfConvexSetsIsMetAtItsNearestPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawAt(t)
		k, p := at.X.Rows, at.X.Cols
		sets := drawConvex(t, k, p)
		set := intersect(t, k, p, sets...)
		if set == nil {
			return
		}
		y := project(t, set, at)
		scale := max(1, biggest(at.X, y))
		if v := off(sets, y); !(v <= slack*scale) {
			t.Errorf("%+v: %v goes to %v, which violates them by %g", sets, at.X.Data, y.Data, v)
		}
		allowed := 40 * slack * scale * scale // masses to 40
		if slices.ContainsFunc(sets, func(s framework.Set) bool { _, ball := s.(constraint.L2Ball); return ball }) {
			// Where a ball touches the others in a point alone, rounding of its radius
			// makes a disk of that, of the root of 1e-16 in size.
			allowed = 40 * 3e-8 * scale * scale
		}
		// Points of the set near y, on the side of x, and anywhere.
		toX := minus(at.X, y)
		for _, step := range []float64{0.01, 0.3, 1, 3, 3} {
			z := y.Clone()
			for i := range z.Data {
				z.Data[i] += min(1, step)*toX.Data[i] + step*number(t, "z")
			}
			other := project(t, set, framework.Point{X: z})
			if angle := inner(at, toX, minus(other, y)); angle > allowed {
				t.Errorf("%+v: %v goes to %v, but going to %v is nearer (masses %v, %v): %g", sets, at.X.Data, y.Data, other.Data, at.RowMass, at.ColMass, angle)
			}
		}
	})
}

// linearInBox draws bounds with a half-space or a simplex on all features.
func linearInBox(t *rapid.T, k, p int) (constraint.Box, framework.Set) {
	b := constraint.Box{Lo: drawNumbers(t, p, "lo"), Hi: make([]float64, p)}
	for l := range b.Hi {
		b.Hi[l] = b.Lo[l] + rapid.SampledFrom([]float64{0, 0.5, 2, math.Inf(1)}).Draw(t, "width")
		if rapid.IntRange(0, 3).Draw(t, "no lower bound") == 0 {
			b.Lo[l] = math.Inf(-1)
		}
	}
	if rapid.Bool().Draw(t, "simplex") {
		return b, constraint.Simplex{Radius: drawRadius(t)}
	}
	coef, bound := drawHalfSpace(t, p)
	return b, constraint.HalfSpace{Coef: coef, Bound: bound}
}

func TestALinearSetWithBoundsIsMetExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawAt(t)
		box, linear := linearInBox(t, at.X.Rows, at.X.Cols)
		set := intersect(t, at.X.Rows, at.X.Cols, box, linear)
		if set == nil {
			return
		}
		y := project(t, set, at)
		scale := max(1, biggest(at.X, y))
		if v := set.Violation(y); v > slack*scale {
			t.Errorf("%+v with %+v: %v goes to %v, which violates them by %g", box, linear, at.X.Data, y.Data, v)
		}
		// Going along any two coordinates, or one, and staying inside is no nearer.
		toX := minus(at.X, y)
		for j := range at.X.Rows {
			for a := range at.X.Cols {
				for b := range at.X.Cols {
					noNearer(t, at, set, y, toX, box, linear, j, a, b)
				}
			}
		}
	})
}

// noNearer moves features a and b of center j along the edge of the linear set,
// or a alone, and expects that x does not come nearer.
func noNearer(t *rapid.T, at framework.Point, set framework.Set, y, toX framework.Matrix, box constraint.Box, linear framework.Set, j, a, b int) {
	rate := func(l int) float64 {
		if h, ok := linear.(constraint.HalfSpace); ok {
			return h.Coef[l]
		}
		return 1
	}
	for _, step := range []float64{-1e-3, 1e-3} {
		to := y.Clone()
		to.Row(j)[a] += step
		if a != b {
			if rate(b) == 0 {
				continue
			}
			to.Row(j)[b] -= step * rate(a) / rate(b)
		}
		if set.Violation(to) > 0 && (a == b || set.Violation(to) > slack*10) {
			continue
		}
		if angle := inner(at, toX, minus(to, y)); angle > 1e-9 {
			t.Errorf("%+v with %+v: %v goes to %v, but %v is nearer (column masses %v)", box, linear, at.X.Data, y.Data, to.Data, at.ColMass)
		}
	}
}

// bestChoice returns the smallest squared distance over all choices of what is
// kept, given what a choice costs.
func bestChoice(choices int, allowed func(choice int) bool, cost func(choice int) float64) float64 {
	best := math.Inf(1)
	for c := range choices {
		if allowed(c) {
			best = min(best, cost(c))
		}
	}
	return best
}

func TestSparsityWithBoundsIsTheBestOfAllChoicesOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawPoint(t) // whole numbers: sums are exact
		k, p := at.X.Rows, at.X.Cols
		box := constraint.Box{Where: constraint.Where{Clusters: []int{rapid.IntRange(0, k-1).Draw(t, "cluster")}}}
		for range p {
			lo := float64(rapid.IntRange(-3, 2).Draw(t, "lo"))
			box.Lo = append(box.Lo, lo)
			box.Hi = append(box.Hi, lo+float64(rapid.IntRange(0, 4).Draw(t, "width")))
		}
		s := rapid.IntRange(0, p).Draw(t, "s")
		group := make([]int, p)
		for l := range group {
			group[l] = l / 2
		}
		for _, top := range []framework.Set{constraint.TopColumns{S: s}, constraint.TopEntries{S: s}, constraint.TopGroups{S: s, Group: group}, constraint.TopGroupEntries{S: s, Group: group}} {
			set, err := constraint.Intersect(k, p, []framework.Set{top, box}, constraint.Names{})
			clipped := project(t, box, at)
			cost := func(keep int) float64 { // bit j·p + l: entry (j, l)
				y := clipped.Clone()
				for i := range y.Data {
					if keep>>i&1 == 0 {
						y.Data[i] = 0
					}
				}
				if box.Violation(y) > 0 {
					return math.Inf(1)
				}
				return squaredDistance(at, y)
			}
			allowed := func(keep int) bool {
				y := framework.NewMatrix(k, p)
				for i := range y.Data {
					y.Data[i] = float64(keep >> i & 1)
				}
				return top.Violation(y) == 0
			}
			if k*p > 10 {
				return
			}
			want := bestChoice(1<<(k*p), allowed, cost)
			if f := framework.AsFault(err); f != nil {
				if f.Code != "empty-set" || !math.IsInf(want, 1) {
					t.Errorf("%+v with %+v is refused, but a squared distance of %g is possible: %v", top, box, want, err)
				}
				continue
			}
			y := project(t, set, at)
			if got := squaredDistance(at, y); math.Abs(got-want) > 1e-12*(1+want) {
				t.Errorf("%+v with %+v: %v goes to %v at squared distance %g, but %g is possible", top, box, at.X.Data, y.Data, got, want)
			}
			if v := set.Violation(y); v != 0 {
				t.Errorf("%+v with %+v: %v is outside by %g", top, box, y.Data, v)
			}
		}
	})
}

func TestSparsityOfEachCenterWithOneSetIsTheBestOfAllChoicesOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := drawAt(t)
		at.ColMass, at.RowMass = nil, nil
		k, p := at.X.Rows, at.X.Cols
		s, r := rapid.IntRange(1, p).Draw(t, "s"), drawRadius(t)
		for name, on := range map[string]func(features []int) framework.Set{
			"simplex": func(f []int) framework.Set {
				return constraint.Simplex{Where: constraint.Where{Features: f}, Radius: r}
			},
			"l1_ball": func(f []int) framework.Set { return constraint.L1Ball{Where: constraint.Where{Features: f}, Radius: r} },
			"l2_ball": func(f []int) framework.Set { return constraint.L2Ball{Where: constraint.Where{Features: f}, Radius: r} },
		} {
			set := intersect(t, k, p, constraint.TopEntries{S: s}, on(nil)) // never empty: s ≥ 1
			y := project(t, set, at)
			if v := set.Violation(y); v > slack*10 {
				t.Errorf("%s: %v is outside by %g", name, y.Data, v)
			}
			for j := range k {
				row := framework.Point{X: at.X.Slice(j, j+1)}
				distance := func(z framework.Matrix) float64 { d := minus(row.X, z); return inner(row, d, d) }
				want := bestChoice(1<<p, func(keep int) bool { return keep > 0 && count(uint(keep)) <= s }, func(keep int) float64 {
					var features []int
					for l := range p {
						if keep>>l&1 == 1 {
							features = append(features, l)
						}
					}
					z := project(t, on(features), row)
					for l := range p {
						if keep>>l&1 == 0 {
							z.Data[l] = 0
						}
					}
					return distance(z)
				})
				if got := distance(y.Slice(j, j+1)); got > want+slack*100 {
					t.Errorf("%s of %g with s = %d: %v goes to %v, %g away, but %g is possible", name, r, s, row.X.Data, y.Row(j), got, want)
				}
			}
		}
	})
}

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
		"a half-space between centers beyond bounds": {[]framework.Set{box(1, 2), constraint.JointHalfSpace{Coef: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 0, 1, 0}}, Bound: 1}},
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
		"joint sparsity with a ball": {[]framework.Set{constraint.TopColumns{S: 1}, constraint.L2Ball{Radius: 1}},
			"cannot-intersect: l2_ball ties features together, and the same features for all centers are to be selected: the nearest centers for both have no formula"},
		"joint sparsity of groups with a ball": {[]framework.Set{constraint.TopGroups{S: 1, Group: []int{0, 0}}, constraint.L2Ball{Radius: 1}},
			"cannot-intersect: l2_ball ties features together, and the same features for all centers are to be selected: the nearest centers for both have no formula"},
		"sparsity of each center's groups with a ball": {[]framework.Set{constraint.TopGroupEntries{S: 1, Group: []int{0, 0}}, constraint.L2Ball{Radius: 1}},
			"cannot-intersect: l2_ball ties features together, and groups of features are to be selected: which to keep has no formula"},
		"two scopes of groups": {[]framework.Set{constraint.TopGroupEntries{S: 1, Group: []int{0, 1}}, constraint.TopGroups{S: 1, Group: []int{0, 1}}},
			"cannot-intersect: sparsity is a second sparsity of another scope: the nearest center for both has no formula"},
		"too many groups that must be kept": {[]framework.Set{constraint.TopGroups{S: 1, Group: []int{1, 0}}, box(1, 2)},
			"empty-set: more groups have features with bounds that exclude 0 than may be kept"},
		"sparsity with a half-space": {[]framework.Set{constraint.TopEntries{S: 1}, half(1, 1, 1)},
			"cannot-intersect: sparsity and halfspace: which features to keep has no formula"},
		"sparsity with bounds and a ball": {[]framework.Set{constraint.TopEntries{S: 1}, constraint.L2Ball{Radius: 1}, constraint.NonNegative{}},
			"cannot-intersect: sparsity can be combined with l2_ball or with bounds on features, not with both"},
		"two scopes": {[]framework.Set{constraint.TopEntries{S: 1}, constraint.TopColumns{S: 1}},
			"cannot-intersect: sparsity is a second sparsity of another scope: the nearest center for both has no formula"},
		"sparsity with a ball of some features": {[]framework.Set{constraint.TopEntries{S: 1}, constraint.L2Ball{Where: on(1), Radius: 1}},
			"cannot-intersect: sparsity and l2_ball, which speaks of some features or clusters only: which features to keep has no formula"},
		"too many features that must be kept": {[]framework.Set{constraint.TopColumns{S: 1}, box(1, 2)},
			"empty-set: more features have bounds that exclude 0 than may be kept"},
		// From (−1/2, −1/2) a center needs to go 1/2 in either direction.
		"three half-spaces around nothing": {[]framework.Set{half(-1, 1, 0), half(-1, 0, 1), half(1, -1, -1)},
			"empty-set: no center was found that is in all of the sets that share features; the best one is still 0.5 (fitted units) away from halfspace"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := constraint.Intersect(2, 2, c.sets, constraint.Names{})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
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
		"between centers": {[]framework.Set{constraint.NonNegative{}, constraint.JointHalfSpace{Coef: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{1, 0}}, Bound: 1}},
			framework.Properties{Kind: "intersection", Convex: true}},
		"sparsity of each center": {[]framework.Set{constraint.NonNegative{}, constraint.TopEntries{S: 1}},
			framework.Properties{Kind: "intersection", Cone: true, RowWise: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			set, err := constraint.Intersect(1, 2, c.sets, constraint.Names{})
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Properties(); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
