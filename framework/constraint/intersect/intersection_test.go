package intersect_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// together returns nil if the sets have no point in common.
func together(t *rapid.T, k, p int, sets ...framework.Set) framework.Set {
	set, err := intersect.Sets(k, p, sets, intersect.Names{})
	if f := framework.AsFault(err); f != nil && f.Code == "empty-set" {
		return nil
	}
	must.Do(t, err)
	return set
}

// convexKinds are the settest.Families from which intersections are drawn.
var convexKinds = []string{"box", "nonnegative", "fixed", "halfspace", "halfspace of several centers", "simplex", "l1_ball", "l2_ball",
	"monotone"}

func drawConvex(t *rapid.T, k, p int) []framework.Set {
	var sets []framework.Set
	for range rapid.IntRange(2, 3).Draw(t, "sets") {
		sets = append(sets, settest.Families[rapid.SampledFrom(convexKinds).Draw(t, "kind")].Draw(t, k, p))
	}
	return sets
}

// off is the largest of the distances from the sets.
func off(sets []framework.Set, y framework.Matrix) (most float64) {
	for _, s := range sets {
		most = max(most, s.Violation(y))
	}
	return most
}

// coarse rounds the numbers of a set to multiples of 1/1024, so that rounding does
// not decide whether sets meet.
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
		if together(t, k, p, sets...) != nil {
			return
		}
		// A point that moves from set to set converges to a common point, if there is one.
		y := framework.NewMatrix(k, p)
		for range 1000 {
			for _, s := range sets {
				y = settest.Project(t, s, framework.Point{X: y})
			}
			if v := off(sets, y); v <= 1e-12*settest.Biggest(y) {
				t.Fatalf("%+v are refused, but %v is in all of them, to %g", sets, y.Data, v)
			}
		}
	})
}

func TestAnIntersectionOfConvexSetsIsMetAtItsNearestPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.At(t)
		k, p := at.X.Rows, at.X.Cols
		sets := drawConvex(t, k, p)
		set := together(t, k, p, sets...)
		if set == nil {
			return
		}
		y := settest.Project(t, set, at)
		scale := max(1, settest.Biggest(at.X, y))
		if v := off(sets, y); !(v <= settest.Slack*scale) {
			t.Errorf("%+v: %v goes to %v, which violates them by %g", sets, at.X.Data, y.Data, v)
		}
		allowed := 40 * settest.Slack * scale * scale // masses to 40
		if slices.ContainsFunc(sets, func(s framework.Set) bool { _, ball := s.(constraint.L2Ball); return ball }) {
			// If a ball touches the others in a single point, rounding of its radius
			// turns that point into a disk whose size is the root of 1e-16.
			allowed = 40 * 3e-8 * scale * scale
		}
		// Points of the set near y, on the side of x, and anywhere.
		toX := settest.Minus(at.X, y)
		for _, step := range []float64{0.01, 0.3, 1, 3, 3} {
			z := y.Clone()
			for i := range z.Data {
				z.Data[i] += min(1, step)*toX.Data[i] + step*settest.Number(t, "z")
			}
			other := settest.Project(t, set, framework.Point{X: z})
			if angle := settest.Inner(at, toX, settest.Minus(other, y)); angle > allowed {
				t.Errorf("%+v: %v goes to %v, but going to %v is nearer (masses %v, %v): %g",
					sets, at.X.Data, y.Data, other.Data, at.RowMass, at.ColMass, angle)
			}
		}
	})
}

// linearInBox draws bounds with a half-space or a simplex on all features.
func linearInBox(t *rapid.T, k, p int) (constraint.Box, framework.Set) {
	b := constraint.Box{Lo: settest.Numbers(t, p, "lo"), Hi: make([]float64, p)}
	for l := range b.Hi {
		b.Hi[l] = b.Lo[l] + rapid.SampledFrom([]float64{0, 0.5, 2, math.Inf(1)}).Draw(t, "width")
		if rapid.IntRange(0, 3).Draw(t, "no lower bound") == 0 {
			b.Lo[l] = math.Inf(-1)
		}
	}
	if rapid.Bool().Draw(t, "simplex") {
		return b, constraint.Simplex{Radius: settest.Radius(t)}
	}
	coef, bound := settest.HalfSpace(t, p)
	return b, constraint.HalfSpace{Coef: coef, Bound: bound}
}

func TestALinearSetWithBoundsIsMetExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.At(t)
		box, linear := linearInBox(t, at.X.Rows, at.X.Cols)
		set := together(t, at.X.Rows, at.X.Cols, box, linear)
		if set == nil {
			return
		}
		y := settest.Project(t, set, at)
		scale := max(1, settest.Biggest(at.X, y))
		if v := set.Violation(y); v > settest.Slack*scale {
			t.Errorf("%+v with %+v: %v goes to %v, which violates them by %g", box, linear, at.X.Data, y.Data, v)
		}
		// No step along one or two coordinates that stays inside comes nearer.
		toX := settest.Minus(at.X, y)
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
// or a alone, and fails if that comes nearer to x.
func noNearer(t *rapid.T, at framework.Point, set framework.Set, y, toX framework.Matrix,
	box constraint.Box, linear framework.Set, j, a, b int) {
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
		if set.Violation(to) > 0 && (a == b || set.Violation(to) > settest.Slack*10) {
			continue
		}
		if angle := settest.Inner(at, toX, settest.Minus(to, y)); angle > 1e-9 {
			t.Errorf("%+v with %+v: %v goes to %v, but %v is nearer (column masses %v)", box, linear, at.X.Data, y.Data, to.Data, at.ColMass)
		}
	}
}

func TestAnOrderOfManyFeaturesWithBoundsIsNotTakenForEmpty(t *testing.T) {
	const p = 3000
	r := framework.Rand(7, "bounds", 0)
	x, lo := framework.NewMatrix(1, p), make([]float64, p)
	for l := range p {
		x.Data[l], lo[l] = r.NormFloat64(), r.NormFloat64()
	}
	set := must.Get(intersect.Sets(1, p, []framework.Set{constraint.Monotone{}, constraint.Box{Lo: lo}}, intersect.Names{}))(t)
	y := framework.NewMatrix(1, p)
	must.Do(t, set.Project(y, framework.Point{X: x}))
	if v := set.Violation(y); v != 0 {
		t.Errorf("the nearest point is outside by %g", v)
	}
}

func TestOneSetIsItsOwnIntersectionAndNoneIsNothing(t *testing.T) {
	if set, err := intersect.Sets(2, 2, []framework.Set{nil, nil}, intersect.Names{}); set != nil || err != nil {
		t.Errorf("no sets intersect in %v, %v", set, err)
	}
	one := constraint.L2Ball{Radius: math.Pi}
	set, err := intersect.Sets(2, 2, []framework.Set{nil, one}, intersect.Names{})
	if err != nil || set.(constraint.L2Ball).Radius != math.Pi {
		t.Errorf("one set intersects in %v, %v", set, err)
	}
}
