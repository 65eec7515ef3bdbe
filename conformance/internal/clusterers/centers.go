package clusterers

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
)

// bounded draws a problem whose centers have bounds: so wide that no center
// reaches them, or narrow.
func bounded(c *judge.Trial, s testbed.Subject, wide bool) *testbed.Bed {
	if !testbed.Describe(c, s).Constraints {
		c.Skipf("the algorithm cannot restrict its centers")
	}
	b := testbed.Draw(c, s, testbed.Want{})
	var rows []framework.ConstraintRow
	far := 1e6 * (1 + b.Extent())
	for l := range b.P {
		low, high := -far, far
		if !wide {
			if c.Rand.IntN(3) == 0 {
				continue
			}
			low = 2 * c.Rand.NormFloat64()
			high = low + c.Rand.Float64()
			if c.Rand.IntN(2) == 0 { // a feature that is not selected is 0
				low, high = min(low, 0), max(high, 0)
			}
		}
		column := b.Columns[l]
		low, high = column.Location+column.Scale*low, column.Location+column.Scale*high
		row := framework.ConstraintRow{Kind: "box", Feature: &b.Columns[l].Name, Lo: &low, Hi: &high}
		if c.Rand.IntN(3) == 0 && !wide {
			j := c.Rand.IntN(b.K)
			row.Cluster = &j
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		c.Skipf("no bound was drawn")
	}
	set, err := declare.Rows(rows, framework.Problem{K: b.K, Columns: b.Columns})
	c.Must(err)
	b.Centers = set
	for _, r := range rows {
		of := "every cluster"
		if r.Cluster != nil {
			of = "one cluster"
		}
		c.Given("centers of %s between %v and %v in %s", of, *r.Lo, *r.Hi, *r.Feature)
	}
	if err := b.Rebind(); err != nil {
		c.Skipf("the bounds are refused: %v", err)
	}
	return b
}

func centersKept(c *judge.Trial, s testbed.Subject) {
	b := bounded(c, s, false)
	m, labels := b.Clusterer.Begin(), b.Labels
	for range someRounds {
		b.Project(m, b.Update(m, labels))
		if off := b.Centers.Violation(m.Centers); off > 1e-9*(1+b.Total()) {
			c.Failf("after Project the centers %v are %g outside of Problem.Centers", judge.RowsOf(m.Centers), off)
		}
		labels = b.Assign(m, labels)
	}
	res := b.Again().FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	if off := b.Centers.Violation(res.Model.Centers); off > 1e-9*(1+b.Total()) {
		c.Failf("the centers of a fit, %v, are %g outside of Problem.Centers", judge.RowsOf(res.Model.Centers), off)
	}
}

func boundsUnmet(c *judge.Trial, s testbed.Subject) {
	b := bounded(c, s, true)
	free := b.Without("constraints", func(p *framework.Problem) { p.Centers = nil })
	m, n := b.Model(b.Labels), free.Model(b.Labels)
	x, y := m.Clone(), n.Clone()
	x.Selected, x.Gain, y.Selected, y.Gain = nil, nil, nil, nil // selected features may be recorded differently
	b.SameModel(x, y, "bounds that no center meets change the model")
	b.SameLabels(b.Assign(m, b.Labels), free.Assign(n, b.Labels), "bounds that no center meets change labels")
}

// nearestInSet has half-spaces between clusters, where the weights of clusters
// decide which center gives way, and compares the centers with the nearest ones by
// the weights of the rows.
func nearestInSet(c *judge.Trial, s testbed.Subject) {
	if !testbed.Describe(c, s).Constraints {
		c.Skipf("the algorithm cannot restrict its centers")
	}
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Complete: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+2*c.Size), c.Between(1, 4), c.Between(2, 4)
	}})
	free := b.Clusterer.Begin()
	at := b.Update(free, b.Labels).At[framework.Centers]
	x := at.X.Clone()
	b.OK(second(b.Clusterer.Project(free, framework.Centers, *at)), "Project")
	if !b.Plan.Squared || judge.Differ(free.Centers.Data, x.Data) >= 0 {
		c.Skipf("without constraints, the centers are not the means")
	}
	l, up, down := c.Rand.IntN(b.P), 1.0, -1.0
	low, high, most := 0, 1, -c.Rand.Float64()
	row := framework.ConstraintRow{Kind: "halfspace", Feature: &b.Columns[l].Name, Cluster: &low, Coef: &up, Hi: &most}
	other := framework.ConstraintRow{Kind: "halfspace", Feature: row.Feature, Cluster: &high, Coef: &down}
	set, err := declare.Rows([]framework.ConstraintRow{row, other}, framework.Problem{K: b.K, Columns: b.Columns})
	c.Must(err)
	b.Centers = set
	c.Given("in column %d center 0 at least %v below center 1, in original units (%v in a fitted one)", l, -most, b.Columns[l].Scale)
	if err := b.Rebind(); err != nil {
		c.Skipf("the half-space is refused: %v", err)
	}
	m := b.Clusterer.Begin()
	step := b.Update(m, b.Labels)
	b.OK(second(b.Clusterer.Project(m, framework.Centers, *step.At[framework.Centers])), "Project")
	nearest := framework.NewMatrix(b.K, b.P)
	c.Must(set.Project(nearest, framework.Point{X: x, RowMass: b.Masses(b.Labels), ColMass: m.FeatureWeights}))
	for i, v := range m.Centers.Data {
		if !(math.Abs(v-nearest.Data[i]) <= 1e-9*(1+b.Extent())) {
			c.Failf("the centers are %s; those in Problem.Centers that are nearest to the means, by the weights of clusters, %v, are %s",
				judge.RowsOf(m.Centers), b.Masses(b.Labels), judge.RowsOf(nearest))
		}
	}
}

func second(_ framework.Outcome, err error) error { return err }
