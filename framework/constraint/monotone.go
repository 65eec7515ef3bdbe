package constraint

import (
	"github.com/sqlcluster/sqlcluster/framework"
)

// Monotone is the set of centers whose features rise, or stay, in the order in
// which Where names them. In original units, that is, of value
// Location_i + Scale_i y: both have one number for each feature, nil is 0 and 1.
// For a set of centers that fall, name the features in the other order.
//
// The nearest point is isotone regression with weights c_l / Scale_l², in
// original units, found by pooling adjacent violators: O(p).
//
// Source: Barlow, Bartholomew, Bremner and Brunk (1972), Statistical inference
// under order restrictions, section 1.2.
type Monotone struct {
	Where
	Location, Scale []float64
}

var _ vector = Monotone{}

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

func (m Monotone) original(i int, v float64) float64 {
	if m.Scale != nil {
		v *= m.Scale[i]
	}
	if m.Location != nil {
		v += m.Location[i]
	}
	return v
}

// A pool is a run of features that have one value.
type pool struct {
	end        int // the feature after its last
	value      float64
	mass, size float64 // size is what counts where there is no mass
}

func (m Monotone) nearest(y, mass []float64) {
	pools := make([]pool, 0, len(y))
	for i, v := range y {
		next := pool{end: i + 1, value: m.original(i, v), mass: 1, size: 1}
		if m.Scale != nil {
			next.size = 1 / float64(m.Scale[i]*m.Scale[i])
		}
		if next.mass = next.size; mass != nil {
			next.mass *= mass[i]
		}
		for len(pools) > 0 && pools[len(pools)-1].value > next.value {
			next = pools[len(pools)-1].with(next)
			pools = pools[:len(pools)-1]
		}
		pools = append(pools, next)
	}
	i := 0
	for _, p := range pools {
		if i+1 == p.end { // alone: not even rounded
			i++
			continue
		}
		for ; i < p.end; i++ {
			y[i] = p.value
			if m.Location != nil {
				y[i] -= m.Location[i]
			}
			if m.Scale != nil {
				y[i] /= m.Scale[i]
			}
		}
	}
}

// with returns the two pools as one, of which next is the later.
func (p pool) with(next pool) pool {
	a, b := p.mass, next.mass
	if a == 0 && b == 0 {
		a, b = p.size, next.size
	}
	// The mean as a step from the value of the greater part: no overflow, and
	// exact where both are equal.
	if a >= b {
		next.value = p.value + (next.value-p.value)*(b/(a+b))
	} else {
		next.value += (p.value - next.value) * (a / (a + b))
	}
	next.mass += p.mass
	next.size += p.size
	return next
}

func (m Monotone) distance(y, room []float64) float64 { return fromNearest(m, y, room) }
