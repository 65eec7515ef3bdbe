package constraint

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// Monotone is the set of centers whose features do not fall, in the order in which
// Where names them. Values are compared in original units, Location_i + Scale_i y.
// Location and Scale have one number for each feature; nil means 0 and 1. For
// features that do not rise, name them in reverse order.
//
// The nearest point is isotone regression, see qp.Order.
type Monotone struct {
	Where
	Location, Scale []float64
}

var _ RowSet = Monotone{}

// Properties implements framework.Set.
func (m Monotone) Properties() framework.Properties {
	return framework.Properties{Kind: "monotone", Convex: true, Cone: m.Location == nil, RowWise: true}
}

// Project implements framework.Set. It returns a Fault if a location is not
// finite, or a scale is not above 0.
func (m Monotone) Project(dst framework.Matrix, at framework.Point) error {
	return projectRows(m, dst, at)
}

// Violation returns the Euclidean distance from the set.
func (m Monotone) Violation(y framework.Matrix) float64 { return violationRows(m, y) }

func (m Monotone) check(width int) error {
	if m.Location != nil {
		if err := numbers("monotone", "locations", m.Location, width, false); err != nil {
			return err
		}
	}
	if m.Scale == nil {
		return nil
	}
	if err := numbers("monotone", "scales", m.Scale, width, false); err != nil {
		return err
	}
	for i, s := range m.Scale {
		if s <= 0 {
			return framework.Faultf(framework.Data, "bad-set", "monotone: number %d (scales) is %g, and must be above 0", i, s)
		}
	}
	return nil
}

func (m Monotone) order() qp.Order { return qp.Order{Location: m.Location, Scale: m.Scale} }

func (m Monotone) nearest(y, mass []float64) { m.order().Onto(y, mass) }

func (m Monotone) write(p *qp.Program, of []int) { p.Rise(of, m.order()) }
