package constraint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

func times(c float64, a framework.Matrix) framework.Matrix {
	b := a.Clone()
	for i := range b.Data {
		b.Data[i] *= c
	}
	return b
}

// withoutTiny replaces numbers that are nearly 0 by 0.
func withoutTiny(x framework.Matrix) {
	for i, v := range x.Data {
		if math.Abs(v) < 1e-30 {
			x.Data[i] = 0
		}
	}
}

func TestHugeAndTinyPointsAreProjectedLikeOthers(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f settest.Family, set framework.Set, at framework.Point) {
		c := math.Ldexp(1, rapid.SampledFrom([]int{-400, -40, 1, 33, 500}).Draw(t, "exponent"))
		withoutTiny(at.X) // times 2^-400 they would be denormal
		big := at
		big.X = times(c, at.X)
		want, got := times(c, settest.Project(t, set, at)), settest.Project(t, f.Scaled(set, c), big)
		if d := settest.Biggest(settest.Minus(got, want)); d > 1e-14*max(c, settest.Biggest(want)) { // denormal differences may be lost
			t.Errorf("%+v: %v times %g goes to %v, not %v", set, at.X.Data, c, got.Data, want.Data)
		}
	})
}

func TestAConeIsScaledFreely(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		if !set.Properties().Cone {
			return
		}
		withoutTiny(at.X) // a mean of denormal numbers loses bits that 8 times the mean has
		y := settest.Project(t, set, at)
		big := at
		big.X = times(8, at.X)
		if got := settest.Project(t, set, big); !settest.SameBits(got, times(8, y)) {
			t.Errorf("%+v: 8 times %v goes to %v, not 8 times %v", set, at.X.Data, got.Data, y.Data)
		}
		if d := settest.Inner(at, settest.Minus(at.X, y), y); math.Abs(d) > settest.Slack*40*100 {
			t.Errorf("%+v: what is taken from %v is not at right angles to %v: %g", set, at.X.Data, y.Data, d)
		}
	})
}

func TestTheOrderOfColumnsDoesNotMatter(t *testing.T) {
	eachFamily(t, func(t *rapid.T, f settest.Family, set framework.Set, at framework.Point) {
		p := at.X.Cols
		order := rapid.Permutation(settest.Indices(p)).Draw(t, "order")
		turned := framework.Point{X: framework.NewMatrix(at.X.Rows, p), RowMass: at.RowMass}
		y := settest.Project(t, set, at)
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
		if d := settest.Biggest(settest.Minus(settest.Project(t, f.Permuted(set, order), turned), want)); d > settest.Slack*10 {
			t.Errorf("%+v: columns in the order %v change the projection of %v by %g", set, order, at.X.Data, d)
		}
	})
}

func TestMassesOfOtherSizeChangeNothing(t *testing.T) {
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		y := settest.Project(t, set, at)
		at.RowMass = append([]float64(nil), at.RowMass...)
		for j := range at.RowMass {
			at.RowMass[j] *= 1024
		}
		if !settest.SameBits(settest.Project(t, set, at), y) {
			t.Errorf("%+v: row masses times 1024 change the projection", set)
		}
	})
}
