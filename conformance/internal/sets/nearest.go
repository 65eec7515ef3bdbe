package sets

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

func feasible(c *judge.Trial, target Target) {
	p := target.draw(c)
	if v := p.violation(p.y); v > lengthError*p.scale {
		c.Failf("Px = %v violates the set by %g; at most %.3g is rounding", judge.RowsOf(p.y), v, lengthError*p.scale)
	}
}

func violationAgrees(c *judge.Trial, target Target) {
	p := target.draw(c)
	free := framework.Point{X: p.at.X}
	y, v := p.project(free), p.violation(p.at.X)
	moved := norm(minus(p.at.X, y))
	if moved > 1e-6*p.scale && v == 0 {
		c.Failf("Violation accepts x, but projection moves it by %g, to %v", moved, judge.RowsOf(y))
	}
	if moved == 0 && v > lengthError*p.scale {
		c.Failf("Violation of x is %g, but projection leaves it where it is", v)
	}
}

func idempotent(c *judge.Trial, target Target) {
	p := target.draw(c)
	again := p.project(p.with(p.y.Clone()))
	p.near(again, p.y, "the projection of Px = %v is", judge.Shown{Matrix: p.y})
}

// near fails unless a and b are equal up to rounding. Entries of mass 0 are not
// compared: for them, all points of the set are equally near.
func (p *projected) near(a, b framework.Matrix, format string, args ...any) {
	for j := range a.Rows {
		if p.at.RowMass != nil && p.at.RowMass[j] == 0 {
			continue
		}
		for l, v := range a.Row(j) {
			if p.at.ColMass != nil && p.at.ColMass[l] == 0 {
				continue
			}
			if d := math.Abs(v - b.Row(j)[l]); !(d <= lengthError*p.scale) {
				p.Failf(format+" %v, and should be %v: entry (%d, %d) is off by %g; at most %.3g is rounding",
					append(args, judge.RowsOf(a), judge.RowsOf(b), j, l, d, lengthError*p.scale)...)
			}
		}
	}
}

func fixedPoint(c *judge.Trial, target Target) {
	p := target.draw(c)
	for _, y := range append(p.accepted(), framework.NewMatrix(p.y.Rows, p.y.Cols), p.y, p.at.X.Clone()) {
		if p.violation(y) == 0 {
			p.near(p.project(p.with(y.Clone())), y, "Violation accepts y = %v, but its projection is", judge.Shown{Matrix: y})
		}
	}
}

func closestMade(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.closest(p.made(), "which is the projection of another point")
}

func closestAccepted(c *judge.Trial, target Target) {
	p := target.draw(c)
	p.closest(p.accepted(), "which Violation accepts")
}

// closest fails if one of the points is nearer than the projection.
func (p *projected) closest(points []framework.Matrix, what string) {
	cost := p.cost(p.y)
	for _, y := range points {
		if other := p.cost(y); other < cost-p.slack() {
			p.Failf("Px = %v is not the nearest point: ½Σm(x−y)² is %.6g, but %.6g for y = %v, %s",
				judge.RowsOf(p.y), cost, other, judge.RowsOf(y), what)
		}
	}
}

func nested(c *judge.Trial, target Target) {
	if target.Nested == nil {
		c.Skipf("the set is not said to be one of a family")
	}
	rows, cols := target.shape(c)
	p := &projected{Trial: c, at: cases.Point(c, rows, cols)}
	c.Given("X = %v, RowMass = %v, ColMass = %v", p.at.X, p.at.RowMass, p.at.ColMass)
	last := math.Inf(1)
	var before framework.Set
	for _, set := range target.Nested(rows, cols) {
		p.set = set
		y := p.project(p.at)
		p.scale = math.Max(norm(p.at.X), norm(y))
		if cost := p.cost(y); cost > last+p.slack() {
			c.Failf("½Σm(x−Px)² is %.6g for %+v, but %.6g for %+v, which contains it", last, before, cost, set)
		} else {
			last, before = cost, set
		}
	}
}
