package sets

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// declared ends the case if the set does not declare a property.
func (p *projected) declared(yes bool, what string) {
	if !yes {
		p.Skipf("the set does not say that it is %s", what)
	}
}

func obtuseAngle(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().Convex, "convex")
	d := minus(p.at.X, p.y)
	for _, y := range append(p.made(), p.accepted()...) {
		if angle := p.inner(d, minus(y, p.y)); p.contains(y) && angle > p.slack() {
			c.Failf("Px = %v, and y = %v of the set: ⟨x − Px, y − Px⟩ is %.6g; at most %.3g is rounding",
				judge.RowsOf(p.y), judge.RowsOf(y), angle, p.slack())
		}
	}
}

func nonexpansive(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().Convex, "convex")
	for _, noise := range []float64{1e-3, 0.1, 1, 3} {
		z := p.at.X.Clone()
		for i := range z.Data {
			z.Data[i] += noise * p.scale * c.Rand.NormFloat64()
		}
		pz := p.project(p.with(z))
		before, after := minus(p.at.X, z), minus(p.y, pz)
		apart, now := math.Sqrt(p.inner(before, before)), math.Sqrt(p.inner(after, after))
		if now > apart+lengthError*(p.scale+norm(z))*math.Sqrt(p.heaviest()) {
			c.Failf("x and z = %v are %.6g apart, but their projections %v and %v are %.6g apart",
				judge.RowsOf(z), apart, judge.RowsOf(p.y), judge.RowsOf(pz), now)
		}
	}
}

func coneScaling(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().Cone, "a cone")
	for _, factor := range []float64{0.25, 2, 64} { // powers of 2, so that ties stay ties
		got := p.project(p.with(scaled(p.at.X, factor)))
		p.near(scaled(got, 1/factor), p.y, "the projection of %g·x, divided by %[1]g, is", factor)
	}
}

func coneOrthogonal(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().Cone, "a cone")
	if v := p.inner(minus(p.at.X, p.y), p.y); math.Abs(v) > p.slack() {
		c.Failf("Px = %v: ⟨x − Px, Px⟩ is %.6g; at most %.3g is rounding", judge.RowsOf(p.y), v, p.slack())
	}
}

func rowWise(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().RowWise, "row-wise")
	for j := range p.y.Rows {
		x := p.at.X.Clone()
		cases.Fill(c, x)
		copy(x.Row(j), p.at.X.Row(j))
		y := p.project(p.with(x))
		copyBut(y, p.y, func(i, _ int) bool { return i == j })
		p.near(y, p.y, "with other rows around row %d, the projection is", j)
	}
}

func separable(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.declared(p.set.Properties().Separable, "separable")
	for i := range min(len(p.y.Data), 10) {
		x := p.at.X.Clone()
		cases.Fill(c, x)
		x.Data[i] = p.at.X.Data[i]
		y := p.project(p.with(x))
		copyBut(y, p.y, func(j, l int) bool { return j*y.Cols+l == i })
		p.near(y, p.y, "with other entries around entry %d, the projection is", i)
	}
}

// copyBut copies src to dst, except for some entries.
func copyBut(dst, src framework.Matrix, but func(j, l int) bool) {
	for j := range dst.Rows {
		for l := range dst.Cols {
			if !but(j, l) {
				dst.Row(j)[l] = src.Row(j)[l]
			}
		}
	}
}
