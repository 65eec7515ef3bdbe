package sets

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// value is what a Maximize set maximises.
func (p *projected) value(y framework.Matrix) float64 {
	var sum float64
	for i, v := range y.Data {
		sum += v * p.at.X.Data[i]
	}
	return sum - p.penalty(y)
}

func (p *projected) penalty(y framework.Matrix) float64 {
	cost := p.set.Penalty(y.Clone())
	if !(cost >= 0) || math.IsInf(cost, 0) {
		p.Failf("Penalty of %v is %g; it must be finite, and 0 or more", judge.RowsOf(y), cost)
	}
	return cost
}

// members returns points of the set: the best points of other gains, points
// between those and this best one, and random points, shrunk until Violation
// accepts them.
func (p *projected) members() []framework.Matrix {
	from := p.made()
	for _, y := range p.made() {
		for i, v := range y.Data {
			y.Data[i] = (v + p.y.Data[i]) / 2
		}
		from = append(from, y)
	}
	for range 20 {
		y := p.y.Clone()
		near := p.Rand.Float64()
		for i := range y.Data {
			y.Data[i] = near*y.Data[i] + (1-near)*math.Abs(p.Rand.NormFloat64())
			if p.Rand.IntN(3) == 0 {
				y.Data[i] = 0
			}
		}
		from = append(from, y)
	}
	var members []framework.Matrix
	for _, y := range from {
		for range 60 {
			if p.violation(y) <= 1e-14*norm(y) {
				members = append(members, y)
				break
			}
			y = scaled(y, 0.9)
		}
	}
	return append(members, p.accepted()...)
}

func bestPoint(c *judge.Trial, target Target) {
	p := target.draw(c)
	best := p.value(p.y)
	slack := lengthError * (norm(p.at.X)*math.Max(norm(p.y), 1) + p.penalty(p.y))
	for _, y := range p.members() {
		if got := p.value(y); got > best+slack {
			c.Failf("Project writes %v, of which Σ y x − Penalty(y) is %.9g, but that of %v, which is in the set, is %.9g; "+
				"at most %.3g is rounding", judge.RowsOf(p.y), best, judge.RowsOf(y), got, slack)
		}
	}
}

func bestScale(c *judge.Trial, target Target) {
	p := target.draw(c)
	for _, factor := range []float64{0.25, 2, 64} { // powers of 2, so that ties stay ties
		got := p.project(p.with(scaled(p.at.X, factor)))
		if p.penalty(p.y) != 0 || p.penalty(got) != 0 {
			c.Skipf("the set has a penalty")
		}
		p.near(got, p.y, "the best point of %g·x is", factor)
	}
}

func penalty(c *judge.Trial, target Target) {
	p := target.draw(c)
	for _, y := range append(p.made(), p.at.X, p.y) {
		given := y.Clone()
		cost := p.set.Penalty(given)
		if cost != 0 && !p.set.Properties().Maximize {
			c.Failf("Penalty of %v is %g, but Project writes the nearest point, whatever it costs", judge.RowsOf(y), cost)
		}
		if again := p.penalty(y); !judge.SameBits(again, cost) {
			c.Failf("Penalty of %v is %g once, and %g another time", judge.RowsOf(y), cost, again)
		}
		if judge.Differ(given.Data, y.Data) >= 0 {
			c.Failf("Penalty has written to its argument: %v", judge.RowsOf(given))
		}
	}
}
