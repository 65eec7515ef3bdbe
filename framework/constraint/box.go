package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// Box is the set of centers with lo ≤ y ≤ hi, feature by feature. Lo and Hi have
// one number for each feature of Where, in its order; nil and infinite numbers
// mean no bound. For the nearest point, entries outside move to the bound that
// they violate, whatever the masses.
//
// Source: Parikh and Boyd (2014), Proximal algorithms, section 6.2.4.
type Box struct {
	Where
	Lo, Hi []float64
}

// NonNegative is the set of centers with y ≥ 0. Its nearest point is max(x, 0).
type NonNegative struct{ Where }

// Fixed is the set of centers that have the given values, one for each feature
// of Where. The nearest point has these values.
type Fixed struct {
	Where
	Values []float64
}

var (
	_ RowSet = Box{}
	_ RowSet = NonNegative{}
	_ RowSet = Fixed{}
)

// Properties implements framework.Set.
func (Box) Properties() framework.Properties {
	return framework.Properties{Kind: "box", Convex: true, RowWise: true, Separable: true}
}

// Properties implements framework.Set.
func (NonNegative) Properties() framework.Properties {
	return framework.Properties{Kind: "nonnegative", Convex: true, Cone: true, RowWise: true, Separable: true}
}

// Properties implements framework.Set.
func (Fixed) Properties() framework.Properties {
	return framework.Properties{Kind: "fixed", Convex: true, RowWise: true, Separable: true}
}

// Project implements framework.Set. It returns a Fault if a lower bound is above
// its upper bound.
func (b Box) Project(dst framework.Matrix, at framework.Point) error { return projectRows(b, dst, at) }

// Project implements framework.Set.
func (n NonNegative) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(n, dst, at)
}

// Project implements framework.Set. It returns a Fault if a value is not finite.
func (f Fixed) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(f, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (b Box) Violation(y framework.Matrix) float64 { return violationRows(b, y) }

// Violation returns the Euclidean distance from the set.
func (n NonNegative) Violation(y framework.Matrix) float64 { return violationRows(n, y) }

// Violation returns the Euclidean distance from the set.
func (f Fixed) Violation(y framework.Matrix) float64 { return violationRows(f, y) }

func (b Box) check(width int) error {
	for _, side := range [...]struct {
		what   string
		values []float64
	}{{"lower bounds", b.Lo}, {"upper bounds", b.Hi}} {
		if side.values == nil {
			continue
		}
		if err := numbers("box", side.what, side.values, width, true); err != nil {
			return err
		}
	}
	for i := range width {
		if lo, hi := b.bounds(i); lo > hi || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
			return framework.Faultf(framework.Data, "empty-set", "the box is empty: feature %d must be at least %g and at most %g",
				b.Column(i), lo, hi)
		}
	}
	return nil
}

func (NonNegative) check(int) error { return nil }

func (f Fixed) check(width int) error { return numbers("fixed", "values", f.Values, width, false) }

func (b Box) bounds(i int) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if b.Lo != nil {
		lo = b.Lo[i]
	}
	if b.Hi != nil {
		hi = b.Hi[i]
	}
	return lo, hi
}

func (b Box) nearest(y, _ []float64) {
	if b.Lo != nil {
		for i, lo := range b.Lo {
			if y[i] < lo {
				y[i] = lo
			}
		}
	}
	if b.Hi != nil {
		for i, hi := range b.Hi {
			if y[i] > hi {
				y[i] = hi
			}
		}
	}
}

func (NonNegative) nearest(y, _ []float64) {
	for i, v := range y {
		if v < 0 {
			y[i] = 0
		}
	}
}

func (f Fixed) nearest(y, _ []float64) { copy(y, f.Values) }

func (b Box) write(p *qp.Program, of []int) {
	for i, l := range of {
		lo, hi := b.bounds(i)
		p.Bound(l, lo, hi)
	}
}

func (NonNegative) write(p *qp.Program, of []int) {
	for _, l := range of {
		p.Bound(l, 0, math.Inf(1))
	}
}

func (f Fixed) write(p *qp.Program, of []int) {
	for i, l := range of {
		p.Bound(l, f.Values[i], f.Values[i])
	}
}
