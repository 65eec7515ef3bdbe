package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func eachFamily(t *testing.T, law func(t *rapid.T, f settest.Family, set framework.Set, at framework.Point)) {
	for name, f := range settest.Families {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				at := settest.At(t)
				law(t, f, f.Draw(t, at.X.Rows, at.X.Cols), at)
			})
		})
	}
}

func TestProjectionIsInTheSetAndStaysThere(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		y := settest.Project(t, set, at)
		scale := max(1, settest.Biggest(at.X, y))
		if v := set.Violation(y); !(v <= settest.Slack*scale) {
			t.Errorf("%+v: the projection %v of %v violates the set by %g", set, y.Data, at.X.Data, v)
		}
		if v := set.Violation(at.X); v == 0 && !settest.SameBits(y, at.X) {
			t.Errorf("%+v: %v is in the set, but is moved to %v", set, at.X.Data, y.Data)
		}
		again := settest.Project(t, set, framework.Point{X: y, RowMass: at.RowMass, ColMass: at.ColMass})
		if d := settest.Biggest(settest.Minus(again, y)); d > settest.Slack*scale {
			t.Errorf("%+v: projecting %v once more moves it by %g", set, y.Data, d)
		}
		switch set.(type) {
		case constraint.L1Ball, constraint.L2Ball, constraint.Box, constraint.NonNegative, constraint.Fixed:
			if !settest.SameBits(again, y) {
				t.Errorf("%+v: projecting %v once more moves it", set, y.Data)
			}
		}
	})
}

func TestNoPointOfTheSetIsNearer(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f settest.Family, set framework.Set, at framework.Point) {
		y := settest.Project(t, set, at)
		toX := settest.Minus(at.X, y)
		d := toX.Clone()
		for i := range d.Data {
			d.Data[i] *= settest.MassOf(at, i)
		}
		far := f.Farthest(set, d, 10)
		if v := set.Violation(far); v > 1e-9 {
			t.Fatalf("the test is wrong: %v violates %+v by %g", far.Data, set, v)
		}
		if angle := settest.Inner(at, toX, settest.Minus(far, y)); angle > settest.Slack*40*100 { // masses to 40, numbers to 10
			t.Errorf("%+v: %v is projected to %v, but going to %v is nearer (masses %v, %v): %g",
				set, at.X.Data, y.Data, far.Data, at.RowMass, at.ColMass, angle)
		}
	})
}

func TestEntriesWithoutMassAreMovedNoFartherThanNeeded(t *testing.T) {
	// With small masses in place of 0, the nearest point is near that for masses of 0.
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		if at.ColMass == nil {
			at.ColMass = settest.Masses(t, at.X.Cols, "column mass")
		}
		if at.ColMass == nil {
			return
		}
		y := settest.Project(t, set, at)
		small := at
		small.ColMass = append([]float64(nil), at.ColMass...)
		for l, m := range small.ColMass {
			if m == 0 {
				small.ColMass[l] = 1e-13
			}
		}
		if joint(set) && at.RowMass != nil {
			return // in sets of single centers, a row mass is a common factor
		}
		// On the surface of a ball of radius r, a mass ε beside a mass m leaves
		// (2εr²x/m)^(1/3) of an entry x: 0.0018 where m is 0.01, x is 3 and r is 10.
		if d := settest.Biggest(settest.Minus(settest.Project(t, set, small), y)); d > 2e-3 {
			t.Errorf("%+v: %v with masses %v goes to %v, %g away from where it goes with small masses", set, at.X.Data, at.ColMass, y.Data, d)
		}
	})
}

func joint(set framework.Set) bool { return !set.Properties().RowWise }

func TestProjectionsComeNoCloserThanTheirPoints(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		other := at
		other.X = framework.Matrix{Rows: at.X.Rows, Cols: at.X.Cols, Data: settest.Numbers(t, len(at.X.Data), "x2")}
		before := settest.Minus(at.X, other.X)
		after := settest.Minus(settest.Project(t, set, at), settest.Project(t, set, other))
		if a, b := settest.Inner(at, after, after), settest.Inner(at, before, before); a > b+settest.Slack*(1+b) {
			t.Errorf("%+v: the squared distance grows from %g to %g", set, b, a)
		}
	})
}

func TestSetsReadTheirPointAndMayWriteOverIt(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		before := at.X.Clone()
		y := settest.Project(t, set, at)
		if !settest.SameBits(at.X, before) {
			t.Fatalf("%+v: the point was written to", set)
		}
		if !settest.SameBits(y, settest.Project(t, set, at)) {
			t.Fatalf("%+v: two projections of one point differ", set)
		}
		must.Do(t, set.Project(at.X, at))
		if !settest.SameBits(at.X, y) {
			t.Errorf("%+v: in place, %v goes to %v, and else to %v", set, before.Data, at.X.Data, y.Data)
		}
	})
}

func TestConvexSetsRefuseBadPoints(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		where := rapid.IntRange(0, len(at.X.Data)-1).Draw(t, "where")
		at.X.Data[where] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "what")
		err := set.Project(at.X.Clone(), at)
		if f := framework.AsFault(err); f == nil || f.Code != "bad-point" {
			t.Errorf("%+v: %v gives %v", set, at.X.Data, err)
		}
	})
}
