package conformance

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
)

// bounded draws a problem whose centers have bounds: so wide that no center
// reaches them, or narrow.
func (c *trial) bounded(s subject, wide bool) *bed {
	if !c.description(s).Constraints {
		c.skipf("the algorithm cannot restrict its centers")
	}
	b := c.bed(s, want{})
	var rows []framework.ConstraintRow
	far := 1e6 * (1 + b.extent())
	for l := range b.p.P {
		low, high := -far, far
		if !wide {
			if c.rand.IntN(3) == 0 {
				continue
			}
			low = 2 * c.rand.NormFloat64()
			high = low + c.rand.Float64()
			if c.rand.IntN(2) == 0 { // a feature that is not selected is 0
				low, high = min(low, 0), max(high, 0)
			}
		}
		column := b.p.Columns[l]
		low, high = column.Location+column.Scale*low, column.Location+column.Scale*high
		row := framework.ConstraintRow{Kind: "box", Feature: &b.p.Columns[l].Name, Lo: &low, Hi: &high}
		if c.rand.IntN(3) == 0 && !wide {
			j := c.rand.IntN(b.p.K)
			row.Cluster = &j
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		c.skipf("no bound was drawn")
	}
	set, err := declare.Rows(rows, framework.Problem{K: b.p.K, Columns: b.p.Columns})
	c.must(err)
	b.p.Centers = set
	for _, r := range rows {
		of := "every cluster"
		if r.Cluster != nil {
			of = "one cluster"
		}
		c.given("centers of %s between %v and %v in %s", of, *r.Lo, *r.Hi, *r.Feature)
	}
	if err := b.rebind(); err != nil {
		c.skipf("the bounds are refused: %v", err)
	}
	return b
}

func centersKept(c *trial, s subject) {
	b := c.bounded(s, false)
	m, labels := b.c.Begin(), b.labels
	for range someRounds {
		b.project(m, b.update(m, labels))
		if off := b.p.Centers.Violation(m.Centers); off > 1e-9*(1+b.total()) {
			c.failf("after Project the centers %v are %g outside of Problem.Centers", rowsOf(m.Centers), off)
		}
		labels = b.assign(m, labels)
	}
	res := b.again().fitOrSkip(startFrom(b.labels), b.settings(1))
	if off := b.p.Centers.Violation(res.Model.Centers); off > 1e-9*(1+b.total()) {
		c.failf("the centers of a fit, %v, are %g outside of Problem.Centers", rowsOf(res.Model.Centers), off)
	}
}

func boundsUnmet(c *trial, s subject) {
	b := c.bounded(s, true)
	free := b.without("constraints", func(p *framework.Problem) { p.Centers = nil })
	m, n := b.model(b.labels), free.model(b.labels)
	x, y := m.Clone(), n.Clone()
	x.Selected, x.Gain, y.Selected, y.Gain = nil, nil, nil, nil // selected features may be recorded differently
	b.sameModel(x, y, "bounds that no center meets change the model")
	b.sameLabels(b.assign(m, b.labels), free.assign(n, b.labels), "bounds that no center meets change labels")
}

// nearestInSet has half-spaces between clusters, where the weights of clusters
// decide which center gives way, and compares the centers with the nearest ones by
// the weights of the rows.
func nearestInSet(c *trial, s subject) {
	if !c.description(s).Constraints {
		c.skipf("the algorithm cannot restrict its centers")
	}
	b := c.bed(s, want{smooth: true, complete: true, shape: func(c *trial) (int, int, int) {
		return c.between(4, 4+2*c.size), c.between(1, 4), c.between(2, 4)
	}})
	free := b.c.Begin()
	at := b.update(free, b.labels).At[framework.Centers]
	x := at.X.Clone()
	b.ok(second(b.c.Project(free, framework.Centers, *at)), "Project")
	if !b.plan.Squared || differ(free.Centers.Data, x.Data) >= 0 {
		c.skipf("without constraints, the centers are not the means")
	}
	l, up, down := c.rand.IntN(b.p.P), 1.0, -1.0
	low, high, most := 0, 1, -c.rand.Float64()
	row := framework.ConstraintRow{Kind: "halfspace", Feature: &b.p.Columns[l].Name, Cluster: &low, Coef: &up, Hi: &most}
	other := framework.ConstraintRow{Kind: "halfspace", Feature: row.Feature, Cluster: &high, Coef: &down}
	set, err := declare.Rows([]framework.ConstraintRow{row, other}, framework.Problem{K: b.p.K, Columns: b.p.Columns})
	c.must(err)
	b.p.Centers = set
	c.given("in column %d center 0 at least %v below center 1, in original units (%v in a fitted one)", l, -most, b.p.Columns[l].Scale)
	if err := b.rebind(); err != nil {
		c.skipf("the half-space is refused: %v", err)
	}
	m := b.c.Begin()
	step := b.update(m, b.labels)
	b.ok(second(b.c.Project(m, framework.Centers, *step.At[framework.Centers])), "Project")
	nearest := framework.NewMatrix(b.p.K, b.p.P)
	c.must(set.Project(nearest, framework.Point{X: x, RowMass: b.masses(b.labels), ColMass: m.FeatureWeights}))
	for i, v := range m.Centers.Data {
		if !(math.Abs(v-nearest.Data[i]) <= 1e-9*(1+b.extent())) {
			c.failf("the centers are %s; those in Problem.Centers that are nearest to the means, by the weights of clusters, %v, are %s",
				rowsOf(m.Centers), b.masses(b.labels), rowsOf(nearest))
		}
	}
}

func second(_ framework.Outcome, err error) error { return err }
