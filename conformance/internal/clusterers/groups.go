package clusterers

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// grouped draws a problem whose features are in groups.
func grouped(c *judge.Trial, s testbed.Subject, most int) *testbed.Bed {
	if !testbed.Describe(c, s).Groups {
		c.Skipf("the algorithm knows no groups of features")
	}
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+2*c.Size), c.Between(2, 6), c.Between(2, 4)
	}})
	of := make([]int, b.P)
	for l := range of {
		of[l] = l
		if most < b.P {
			of[l] = c.Rand.IntN(most)
		}
	}
	inGroups(b, of)
	c.Given("the groups of the features %v", of)
	if err := b.Rebind(); err != nil {
		c.Skipf("the groups are refused: %v", err)
	}
	return b
}

// inGroups puts the features into groups, numbered in the order of their first
// features.
func inGroups(b *testbed.Bed, of []int) {
	number := map[int]int{}
	b.Groups = nil
	columns := append([]framework.Column(nil), b.Columns...)
	for l, g := range of {
		if _, seen := number[g]; !seen {
			number[g] = len(b.Groups)
			b.Groups = append(b.Groups, framework.Group{Name: fmt.Sprintf("g%d", g), Weight: math.NaN()})
		}
		columns[l].Group = number[g]
	}
	b.Columns = columns
}

// featureOrder gives the features in another order, each in the same group.
func featureOrder(c *judge.Trial, s testbed.Subject) {
	b := grouped(c, s, 3)
	order := c.Rand.Perm(b.P)
	rows := b.Rows
	rows.X = framework.NewMatrix(b.N, b.P)
	of := make([]int, b.P)
	for to, from := range order {
		of[to] = b.Columns[from].Group
		for i := range b.N {
			rows.X.Row(i)[to] = b.Rows.X.Row(i)[from]
		}
	}
	c.Given("the same features in the order %v", order)
	other := *b
	other.Rows = rows
	other.Columns = cases.ColumnsOf(rows)
	inGroups(&other, of)
	if err := other.Rebind(); err != nil {
		c.Failf("the features are taken in one order, but not in another: %v", err)
	}
	m, n := b.Model(b.Labels), other.Model(b.Labels)
	back := func(v []float64) []float64 { // in the order of b
		if v == nil {
			return nil
		}
		w := make([]float64, len(v))
		for i := range v {
			w[i/b.P*b.P+order[i%b.P]] = v[i]
		}
		return w
	}
	b.Near(back(n.Centers.Data), m.Centers.Data, "the centers with the features in another order")
	b.Near(back(n.FeatureWeights), m.FeatureWeights, "the feature weights with the features in another order")
	b.Near(back(n.Gain), m.Gain, "the gains with the features in another order")
}

func groupsOfOne(c *judge.Trial, s testbed.Subject) {
	b := grouped(c, s, math.MaxInt)
	free := b.Without("groups of one", func(p *framework.Problem) { p.Groups = nil })
	m, n := b.Model(b.Labels), free.Model(b.Labels)
	b.SameModel(m, n, "with each feature in a group of its own the model is another than without groups")
	b.SameLabels(b.Assign(m, b.Labels), free.Assign(n, b.Labels),
		"with each feature in a group of its own, the labels are not those without groups")
}
