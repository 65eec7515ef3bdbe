package sets

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// lengthError is the allowed error of a length, relative to the norms of the point
// and its projection. Right operators stay below 3e-15; the least wrong one that
// the suite was tried on is off by 3e-3.
const lengthError = 1e-9

// A projected point.
type projected struct {
	*judge.Trial
	set   framework.Set
	at    framework.Point
	y     framework.Matrix // P(at.X)
	scale float64          // the larger norm of at.X and y
}

// draw makes a set and a point for it, and projects the point.
func (target Target) draw(c *judge.Trial) *projected {
	set, rows, cols := target.drawn(c)
	p := &projected{Trial: c, set: set}
	p.at = cases.Point(c, rows, cols)
	if p.set.Properties().Maximize {
		p.at.RowMass, p.at.ColMass = nil, nil // gains have none
	}
	c.Given("set %s %+v", target.Name, p.set)
	c.Given("X = %v", p.at.X)
	if p.at.RowMass != nil {
		c.Given("RowMass = %v", p.at.RowMass)
	}
	if p.at.ColMass != nil {
		c.Given("ColMass = %v", p.at.ColMass)
	}
	p.y = p.project(framework.Point{X: p.at.X.Clone(), RowMass: slices.Clone(p.at.RowMass), ColMass: slices.Clone(p.at.ColMass)})
	p.scale = math.Max(math.Max(norm(p.at.X), norm(p.y)), smallest)
	return p
}

// smallest is a scale below which relative errors mean nothing.
const smallest = 1e-290

// project projects into a matrix full of junk.
func (p *projected) project(at framework.Point) framework.Matrix {
	dst := cases.Junk(at.X.Rows, at.X.Cols)
	if err := p.set.Project(dst, at); err != nil {
		p.Failf("Project of %v is refused: %v", judge.RowsOf(at.X), err)
	}
	if slices.ContainsFunc(dst.Data, judge.NotFinite) {
		p.Failf("Project of %v writes %v, which is not finite", judge.RowsOf(at.X), judge.RowsOf(dst))
	}
	return dst
}

// with returns the point with other entries and the same masses.
func (p *projected) with(x framework.Matrix) framework.Point {
	at := p.at
	at.X = x
	return at
}

// contains reports whether Violation accepts y.
func (p *projected) contains(y framework.Matrix) bool { return p.violation(y) <= lengthError*p.scale }

func (p *projected) violation(y framework.Matrix) float64 {
	v := p.set.Violation(y.Clone())
	if math.IsNaN(v) || v < 0 {
		p.Failf("Violation of %v is %g; it must be 0 or more", judge.RowsOf(y), v)
	}
	return v
}

// inner is the inner product with the masses of the point.
func (p *projected) inner(a, b framework.Matrix) float64 {
	var sum float64
	for j := range a.Rows {
		for l := range a.Cols {
			w := a.Row(j)[l] * b.Row(j)[l]
			if p.at.RowMass != nil {
				w *= p.at.RowMass[j]
			}
			if p.at.ColMass != nil {
				w *= p.at.ColMass[l]
			}
			sum += w
		}
	}
	return sum
}

// heaviest is the largest product of a row mass and a column mass.
func (p *projected) heaviest() float64 {
	heaviest := 1.0
	for _, masses := range [][]float64{p.at.RowMass, p.at.ColMass} {
		if masses != nil {
			heaviest *= slices.Max(masses)
		}
	}
	return heaviest
}

// slack is the allowed error of an inner product.
func (p *projected) slack() float64 { return lengthError * p.scale * p.scale * p.heaviest() }

// cost is what a projection minimises.
func (p *projected) cost(y framework.Matrix) float64 {
	d := minus(p.at.X, y)
	return p.inner(d, d) / 2
}

func norm(x framework.Matrix) float64 {
	var sum float64
	for _, v := range x.Data {
		sum = math.Hypot(sum, v)
	}
	return sum
}

func minus(a, b framework.Matrix) framework.Matrix {
	d := a.Clone()
	for i, v := range b.Data {
		d.Data[i] -= v
	}
	return d
}

func scaled(x framework.Matrix, c float64) framework.Matrix {
	y := x.Clone()
	for i := range y.Data {
		y.Data[i] *= c
	}
	return y
}
