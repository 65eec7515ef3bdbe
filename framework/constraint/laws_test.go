package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// A family is a kind of convex set whose parameters are numbers, so that the
// laws can scale and permute them.
type family struct {
	// draw draws a set for k×p centers; scaled and permuted return the set of
	// all c·y, and of all y with columns in another order (column l of the new
	// one is order[l] of the old).
	draw     func(t *rapid.T, k, p int) framework.Set
	scaled   func(set framework.Set, c float64) framework.Set
	permuted func(set framework.Set, order []int) framework.Set

	// farthest returns the point y of the set with the largest ⟨d, y⟩ that is
	// not beyond reach, where the set has no end. y − Px makes no acute angle
	// with x − Px for that y with d = mass·(x − Px), and so for no y at all:
	// which is what says that Px is the nearest point of a convex set.
	farthest func(set framework.Set, d framework.Matrix, reach float64) framework.Matrix
}

var families = map[string]family{}

func number(t *rapid.T, name string) float64 { return rapid.Float64Range(-3, 3).Draw(t, name) }

func drawNumbers(t *rapid.T, n int, name string) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = number(t, name)
		if rapid.IntRange(0, 4).Draw(t, "round") == 0 {
			v[i] = math.Round(v[i]) // ties
		}
	}
	return v
}

// drawMasses draws masses, of which some are 0, or nil.
func drawMasses(t *rapid.T, n int, name string) []float64 {
	if rapid.Bool().Draw(t, name+" absent") {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = rapid.SampledFrom([]float64{0, 0.01, 0.5, 1, 1, 3, 40}).Draw(t, name)
	}
	return v
}

func drawAt(t *rapid.T) framework.Point {
	k, p := rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 7).Draw(t, "p")
	x := framework.Matrix{Rows: k, Cols: p, Data: drawNumbers(t, k*p, "x")}
	return framework.Point{X: x, RowMass: drawMasses(t, k, "row mass"), ColMass: drawMasses(t, p, "column mass")}
}

func massOf(at framework.Point, i int) float64 {
	m := 1.0
	if at.RowMass != nil {
		m = at.RowMass[i/at.X.Cols]
	}
	if at.ColMass != nil {
		m *= at.ColMass[i%at.X.Cols]
	}
	return m
}

func inner(at framework.Point, a, b framework.Matrix) (sum float64) {
	for i, v := range a.Data {
		sum += massOf(at, i) * v * b.Data[i]
	}
	return sum
}

func minus(a, b framework.Matrix) framework.Matrix {
	c := a.Clone()
	for i, v := range b.Data {
		c.Data[i] -= v
	}
	return c
}

func times(c float64, a framework.Matrix) framework.Matrix {
	b := a.Clone()
	for i := range b.Data {
		b.Data[i] *= c
	}
	return b
}

func biggest(all ...framework.Matrix) (most float64) {
	for _, m := range all {
		for _, v := range m.Data {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

func project(t interface{ Fatal(...any) }, set framework.Set, at framework.Point) framework.Matrix {
	dst := framework.NewMatrix(at.X.Rows, at.X.Cols)
	if err := set.Project(dst, at); err != nil {
		t.Fatal(err)
	}
	return dst
}

func sameBits(a, b framework.Matrix) bool {
	for i, v := range a.Data {
		if v != b.Data[i] {
			return false
		}
	}
	return true
}

// slack is the rounding that is allowed, relative to the numbers in play.
const slack = 1e-11

func eachFamily(t *testing.T, law func(t *rapid.T, f family, set framework.Set, at framework.Point)) {
	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				at := drawAt(t)
				law(t, f, f.draw(t, at.X.Rows, at.X.Cols), at)
			})
		})
	}
}

func TestProjectionIsInTheSetAndStaysThere(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		y := project(t, set, at)
		scale := max(1, biggest(at.X, y))
		if v := set.Violation(y); !(v <= slack*scale) {
			t.Errorf("%+v: the projection %v of %v violates the set by %g", set, y.Data, at.X.Data, v)
		}
		if v := set.Violation(at.X); v == 0 && !sameBits(y, at.X) {
			t.Errorf("%+v: %v is in the set, but is moved to %v", set, at.X.Data, y.Data)
		}
		again := project(t, set, framework.Point{X: y, RowMass: at.RowMass, ColMass: at.ColMass})
		if d := biggest(minus(again, y)); d > slack*scale {
			t.Errorf("%+v: projecting %v once more moves it by %g", set, y.Data, d)
		}
		switch set.(type) {
		case constraint.L1Ball, constraint.L2Ball, constraint.Box, constraint.NonNegative, constraint.Fixed:
			if !sameBits(again, y) {
				t.Errorf("%+v: projecting %v once more moves it", set, y.Data)
			}
		}
	})
}

func TestNoPointOfTheSetIsNearer(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f family, set framework.Set, at framework.Point) {
		y := project(t, set, at)
		toX := minus(at.X, y)
		d := toX.Clone()
		for i := range d.Data {
			d.Data[i] *= massOf(at, i)
		}
		far := f.farthest(set, d, 10)
		if v := set.Violation(far); v > 1e-9 {
			t.Fatalf("the test is wrong: %v violates %+v by %g", far.Data, set, v)
		}
		if angle := inner(at, toX, minus(far, y)); angle > slack*40*100 { // masses to 40, numbers to 10
			t.Errorf("%+v: %v is projected to %v, but going to %v is nearer (masses %v, %v): %g", set, at.X.Data, y.Data, far.Data, at.RowMass, at.ColMass, angle)
		}
	})
}

func TestEntriesWithoutMassAreMovedNoFartherThanNeeded(t *testing.T) {
	// With small masses in the place of 0 the nearest point is near the same one.
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		if at.ColMass == nil {
			at.ColMass = drawMasses(t, at.X.Cols, "column mass")
		}
		if at.ColMass == nil {
			return
		}
		y := project(t, set, at)
		small := at
		small.ColMass = append([]float64(nil), at.ColMass...)
		for l, m := range small.ColMass {
			if m == 0 {
				small.ColMass[l] = 1e-13
			}
		}
		if joint(set) && at.RowMass != nil {
			return // row masses are factors of one row alone in the other sets
		}
		// On the surface of a ball of radius r, a mass ε beside a mass m leaves
		// (2εr²x/m)^(1/3) of an entry x: 0.0018 where m is 0.01, x is 3 and r is 10.
		if d := biggest(minus(project(t, set, small), y)); d > 2e-3 {
			t.Errorf("%+v: %v with masses %v goes to %v, %g away from where it goes with small masses", set, at.X.Data, at.ColMass, y.Data, d)
		}
	})
}

func joint(set framework.Set) bool { return !set.Properties().RowWise }

func TestProjectionsComeNoCloserThanTheirPoints(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		other := at
		other.X = framework.Matrix{Rows: at.X.Rows, Cols: at.X.Cols, Data: drawNumbers(t, len(at.X.Data), "x2")}
		before := minus(at.X, other.X)
		after := minus(project(t, set, at), project(t, set, other))
		if a, b := inner(at, after, after), inner(at, before, before); a > b+slack*(1+b) {
			t.Errorf("%+v: the squared distance grows from %g to %g", set, b, a)
		}
	})
}

// withoutTiny writes 0 for numbers that are nearly that.
func withoutTiny(x framework.Matrix) {
	for i, v := range x.Data {
		if math.Abs(v) < 1e-30 {
			x.Data[i] = 0
		}
	}
}

func TestHugeAndTinyPointsAreProjectedLikeOthers(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f family, set framework.Set, at framework.Point) {
		c := math.Ldexp(1, rapid.SampledFrom([]int{-400, -40, 1, 33, 500}).Draw(t, "exponent"))
		withoutTiny(at.X) // 2^-400 of them are denormal numbers
		big := at
		big.X = times(c, at.X)
		want, got := times(c, project(t, set, at)), project(t, f.scaled(set, c), big)
		if d := biggest(minus(got, want)); d > 1e-14*max(c, biggest(want)) { // denormal differences may be lost
			t.Errorf("%+v: %v times %g goes to %v, not %v", set, at.X.Data, c, got.Data, want.Data)
		}
	})
}

func TestAConeIsScaledFreely(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		if !set.Properties().Cone {
			return
		}
		withoutTiny(at.X) // a mean of denormal numbers loses bits that 8 times it has
		y := project(t, set, at)
		big := at
		big.X = times(8, at.X)
		if got := project(t, set, big); !sameBits(got, times(8, y)) {
			t.Errorf("%+v: 8 times %v goes to %v, not 8 times %v", set, at.X.Data, got.Data, y.Data)
		}
		if d := inner(at, minus(at.X, y), y); math.Abs(d) > slack*40*100 {
			t.Errorf("%+v: what is taken from %v is not at right angles to %v: %g", set, at.X.Data, y.Data, d)
		}
	})
}

func TestTheOrderOfColumnsDoesNotMatter(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f family, set framework.Set, at framework.Point) {
		p := at.X.Cols
		order := make([]int, p)
		for l := range order {
			order[l] = l
		}
		order = rapid.Permutation(order).Draw(t, "order")
		turned := framework.Point{X: framework.NewMatrix(at.X.Rows, p), RowMass: at.RowMass}
		y := project(t, set, at)
		want := framework.NewMatrix(at.X.Rows, p)
		for i := range y.Data {
			from := i/p*p + order[i%p]
			turned.X.Data[i], want.Data[i] = at.X.Data[from], y.Data[from]
		}
		if at.ColMass != nil {
			for _, l := range order {
				turned.ColMass = append(turned.ColMass, at.ColMass[l])
			}
		}
		if d := biggest(minus(project(t, f.permuted(set, order), turned), want)); d > slack*10 {
			t.Errorf("%+v: columns in the order %v change the projection of %v by %g", set, order, at.X.Data, d)
		}
	})
}

func TestSetsReadTheirPointAndMayWriteOverIt(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		before := at.X.Clone()
		y := project(t, set, at)
		if !sameBits(at.X, before) {
			t.Fatalf("%+v: the point was written to", set)
		}
		if !sameBits(y, project(t, set, at)) {
			t.Fatalf("%+v: two projections of one point differ", set)
		}
		if err := set.Project(at.X, at); err != nil {
			t.Fatal(err)
		}
		if !sameBits(at.X, y) {
			t.Errorf("%+v: in place, %v goes to %v, and else to %v", set, before.Data, at.X.Data, y.Data)
		}
	})
}

func TestMassesOfOtherSizeChangeNothing(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		y := project(t, set, at)
		at.RowMass = append([]float64(nil), at.RowMass...)
		for j := range at.RowMass {
			at.RowMass[j] *= 1024
		}
		if !sameBits(project(t, set, at), y) {
			t.Errorf("%+v: row masses times 1024 change the projection", set)
		}
	})
}

func TestConvexSetsRefuseBadPoints(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ family, set framework.Set, at framework.Point) {
		at.X.Data[rapid.IntRange(0, len(at.X.Data)-1).Draw(t, "where")] = rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}).Draw(t, "what")
		err := set.Project(at.X.Clone(), at)
		if f := framework.AsFault(err); f == nil || f.Code != "bad-point" {
			t.Errorf("%+v: %v gives %v", set, at.X.Data, err)
		}
	})
}

// drawWhere draws some of p features in any order, or all, and some clusters.
func drawWhere(t *rapid.T, k, p int) constraint.Where {
	var w constraint.Where
	pick := func(n int, name string) []int {
		if rapid.Bool().Draw(t, "every "+name) {
			return nil
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return rapid.Permutation(all).Draw(t, name)[:rapid.IntRange(1, n).Draw(t, name+"s")]
	}
	w.Clusters, w.Features = pick(k, "cluster"), pick(p, "feature")
	return w
}

func widthOf(w constraint.Where, p int) int {
	if w.Features == nil {
		return p
	}
	return len(w.Features)
}

// turn returns where what w speaks of is when columns are in another order. A
// list of all features is made where there was none.
func turn(w constraint.Where, order []int) constraint.Where {
	at := make([]int, len(order))
	for to, from := range order {
		at[from] = to
	}
	features := w.Features
	if features == nil {
		features = make([]int, len(order))
		for l := range features {
			features[l] = l
		}
	}
	turned := constraint.Where{Clusters: w.Clusters}
	for _, l := range features {
		turned.Features = append(turned.Features, at[l])
	}
	return turned
}

// byRow builds a farthest point row by row: free entries go to the reach, the
// others where best puts them.
func byRow(w constraint.Where, d framework.Matrix, best func(d []float64) []float64) framework.Matrix {
	y := framework.NewMatrix(d.Rows, d.Cols)
	clusters := w.Clusters
	if clusters == nil {
		for j := range d.Rows {
			clusters = append(clusters, j)
		}
	}
	features := w.Features
	if features == nil {
		for l := range d.Cols {
			features = append(features, l)
		}
	}
	for _, j := range clusters {
		var direction []float64
		for _, l := range features {
			direction = append(direction, d.Row(j)[l])
		}
		for i, v := range best(direction) {
			y.Row(j)[features[i]] = v
		}
	}
	return y
}

func scaleAll(v []float64, c float64) []float64 {
	if v == nil {
		return nil
	}
	w := make([]float64, len(v))
	for i := range v {
		w[i] = c * v[i]
	}
	return w
}
