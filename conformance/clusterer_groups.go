package conformance

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// grouped draws a problem whose features are in groups.
func (c *trial) grouped(s subject, most int) *bed {
	if !c.description(s).Groups {
		c.skipf("the algorithm knows no groups of features")
	}
	b := c.bed(s, want{smooth: true, shape: func(c *trial) (int, int, int) {
		return c.between(4, 4+2*c.size), c.between(2, 6), c.between(2, 4)
	}})
	of := make([]int, b.p.P)
	for l := range of {
		of[l] = l
		if most < b.p.P {
			of[l] = c.rand.IntN(most)
		}
	}
	b.inGroups(of)
	c.given("the groups of the features %v", of)
	if err := b.rebind(); err != nil {
		c.skipf("the groups are refused: %v", err)
	}
	return b
}

// inGroups puts the features into groups, numbered in the order of their first
// features.
func (b *bed) inGroups(of []int) {
	number := map[int]int{}
	b.p.Groups = nil
	columns := append([]framework.Column(nil), b.p.Columns...)
	for l, g := range of {
		if _, seen := number[g]; !seen {
			number[g] = len(b.p.Groups)
			b.p.Groups = append(b.p.Groups, framework.Group{Name: fmt.Sprintf("g%d", g), Weight: math.NaN()})
		}
		columns[l].Group = number[g]
	}
	b.p.Columns = columns
}

// featureOrder gives the features in another order, each in the same group.
func featureOrder(c *trial, s subject) {
	b := c.grouped(s, 3)
	order := c.rand.Perm(b.p.P)
	rows := b.rows
	rows.x = framework.NewMatrix(b.p.N, b.p.P)
	of := make([]int, b.p.P)
	for to, from := range order {
		of[to] = b.p.Columns[from].Group
		for i := range b.p.N {
			rows.x.Row(i)[to] = b.rows.x.Row(i)[from]
		}
	}
	c.given("the same features in the order %v", order)
	other := *b
	other.rows = rows
	other.p.Columns = columnsOf(rows)
	other.inGroups(of)
	if err := other.rebind(); err != nil {
		c.failf("the features are taken in one order, but not in another: %v", err)
	}
	m, n := b.model(b.labels), other.model(b.labels)
	back := func(v []float64) []float64 { // in the order of b
		if v == nil {
			return nil
		}
		w := make([]float64, len(v))
		for i := range v {
			w[i/b.p.P*b.p.P+order[i%b.p.P]] = v[i]
		}
		return w
	}
	b.close(back(n.Centers.Data), m.Centers.Data, "the centers with the features in another order")
	b.close(back(n.FeatureWeights), m.FeatureWeights, "the feature weights with the features in another order")
	b.close(back(n.Gain), m.Gain, "the gains with the features in another order")
}

func groupsOfOne(c *trial, s subject) {
	b := c.grouped(s, math.MaxInt)
	free := b.without("groups of one", func(p *framework.Problem) { p.Groups = nil })
	m, n := b.model(b.labels), free.model(b.labels)
	b.sameModel(m, n, "with each feature in a group of its own the model is another than without groups")
	b.sameLabels(b.assign(m, b.labels), free.assign(n, b.labels),
		"with each feature in a group of its own, the labels are not those without groups")
}
