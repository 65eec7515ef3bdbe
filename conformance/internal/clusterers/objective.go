package clusterers

import (
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

func objective(c *judge.Trial, s testbed.Subject) {
	if terms := testbed.Describe(c, s).ObjectiveTerms; len(terms) > 0 {
		objectiveWithTerms(c, s, terms)
		return
	}
	if !testbed.Describe(c, s).Trims {
		c.Skipf("the description does not say that the objective is the sum of distances: neither Trims nor ObjectiveTerms")
	}
	b := testbed.Draw(c, s, testbed.Want{})
	if b.Plan.Noise {
		c.Skipf("what noise costs is not known")
	}
	if b.Plan.Maximize {
		c.Failf("the description says that the objective is the sum of the distances of rows, but the plan makes it large")
	}
	m := b.Model(b.Labels)
	for range 2 {
		labels := b.Assign(m, b.Labels)
		got, want := b.Update(m, labels).Objective, inertia(b, m, labels)
		if !(math.Abs(got-want) <= 1e-9*b.Total()) {
			c.Failf("the objective is %v, but the distances of the rows to their centers add up to %v; centers %v, labels %v",
				got, want, judge.RowsOf(m.Centers), labels)
		}
		b.Project(m, b.Update(m, labels))
	}
}

// objectiveWithTerms checks an objective that has terms beside the distances. The
// value of the terms is measured with one set of labels. As terms depend on neither
// labels nor centers, they have the same value for any other labels, as long as the
// feature weights stay, and the rest of the objective must be the sum of distances.
func objectiveWithTerms(c *judge.Trial, s testbed.Subject, terms []string) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+2*c.Size), c.Between(1, 4), c.Between(1, 3)
	}})
	if b.Plan.Maximize || b.Plan.Noise {
		c.Skipf("the objective is not a sum of distances: it is maximised, or counts noise")
	}
	if !rowsToSpare(b) {
		c.Skipf("each row may be a cluster of its own: there the best feature weights have no bound")
	}
	c.Notef("how much this adds is not checked: %s; what is: "+
		"it depends on the feature weights, not on labels or centers, and they are chosen with it", strings.Join(terms, "; "))
	m := b.Model(b.Labels)
	first := inertia(b, m, b.Labels)
	worth := b.Update(m, b.Labels).Objective - first
	for range 2 {
		labels := b.Start()
		other := centered(b, m, labels)
		distances := inertia(b, other, labels)
		got, slack := b.Update(other, labels).Objective, 1e-9*(b.Total()+first+distances)
		if !(math.Abs(got-distances-worth) <= slack) {
			c.Failf("with the same feature weights %v, the objective is %v more than the sum of distances for the labels %v, and %v more for %v",
				m.FeatureWeights, worth, b.Labels, got-distances, labels)
		}
		weighsNoWorse(b, other, labels, got, slack)

		labels = b.Assign(m, b.Labels)
		stays, best := inertia(b, m, labels), inertia(b, centered(b, m, labels), labels)
		got = b.Update(m, labels).Objective - worth
		if !(got >= math.Min(stays, best)-slack && got <= stays+slack) {
			c.Failf("without its terms, which are worth %v, the objective is %v, but the distances of the rows to their centers "+
				"add up to %v, and to %v with the best centers for the labels %v",
				worth, got, stays, best, labels)
		}
		b.Labels = labels
		m = b.Model(labels)
		first = inertia(b, m, labels)
		worth = b.Update(m, labels).Objective - first
	}
}

// centered returns the model with the centers of other labels and the same feature
// weights.
func centered(b *testbed.Bed, m *framework.Model, labels []int32) *framework.Model {
	other := m.Clone()
	if at := b.Update(other, labels).At[framework.Centers]; at != nil {
		_, err := b.Clusterer.Project(other, framework.Centers, *at)
		b.OK(err, "Project")
	}
	if !slices.Equal(m.FeatureWeights, other.FeatureWeights) {
		b.Failf("projecting the centers changes the feature weights from %v to %v", m.FeatureWeights, other.FeatureWeights)
	}
	return other
}

// weighsNoWorse fails if projecting the feature weights makes the objective worse.
func weighsNoWorse(b *testbed.Bed, m *framework.Model, labels []int32, before, slack float64) {
	at := b.Update(m, labels).At[framework.FeatureWeights]
	if at == nil {
		return
	}
	_, err := b.Clusterer.Project(m, framework.FeatureWeights, *at)
	b.OK(err, "Project")
	if got := b.Update(m, labels).Objective; !(got <= before+slack) {
		b.Failf("projecting the feature weights makes the objective worse, for the same labels %v and centers: %v after %v; "+
			"the weights are not chosen by the terms of the description",
			labels, got, before)
	}
}

// inertia returns the sum of the distances of the rows to their centers.
func inertia(b *testbed.Bed, m *framework.Model, labels []int32) (sum float64) {
	d := b.Distances(m)
	for i, j := range labels {
		sum += b.Rows.Weight(i) * d.Row(i)[j]
	}
	return sum
}

// rowsToSpare reports whether more rows count than there are clusters.
func rowsToSpare(b *testbed.Bed) bool {
	n := 0
	for i := range b.N {
		if b.Rows.Weight(i) > 0 {
			n++
		}
	}
	return n > b.K
}
