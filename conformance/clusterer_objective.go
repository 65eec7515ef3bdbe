package conformance

import (
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

func objective(c *trial, s subject) {
	if terms := c.description(s).ObjectiveTerms; len(terms) > 0 {
		objectiveWithTerms(c, s, terms)
		return
	}
	if !c.description(s).Trims {
		c.skipf("the description does not say that the objective is the sum of distances: neither Trims nor ObjectiveTerms")
	}
	b := c.bed(s, want{})
	if b.plan.Maximize {
		c.failf("the description says that the objective is the sum of the distances of rows, but the plan makes it large")
	}
	m := b.model(b.labels)
	for range 2 {
		labels := b.assign(m, b.labels)
		got, want := b.update(m, labels).Objective, b.inertia(m, labels)
		if !(math.Abs(got-want) <= 1e-9*b.total()) {
			c.failf("the objective is %v, but the distances of the rows to their centers add up to %v; centers %v, labels %v",
				got, want, rowsOf(m.Centers), labels)
		}
		b.project(m, b.update(m, labels))
	}
}

// objectiveWithTerms checks an objective that has terms beside the distances. The
// value of the terms is measured with one set of labels. As terms depend on neither
// labels nor centers, they have the same value for any other labels, as long as the
// feature weights stay, and the rest of the objective must be the sum of distances.
func objectiveWithTerms(c *trial, s subject, terms []string) {
	b := c.bed(s, want{smooth: true, shape: func(c *trial) (int, int, int) {
		return c.between(4, 4+2*c.size), c.between(1, 4), c.between(1, 3)
	}})
	if b.plan.Maximize {
		c.skipf("the objective is maximised: it is not a sum of distances")
	}
	if !b.rowsToSpare() {
		c.skipf("each row may be a cluster of its own: there the best feature weights have no bound")
	}
	c.notef("how much this adds is not checked: %s; what is: "+
		"it depends on the feature weights, not on labels or centers, and they are chosen with it", strings.Join(terms, "; "))
	m := b.model(b.labels)
	first := b.inertia(m, b.labels)
	worth := b.update(m, b.labels).Objective - first
	for range 2 {
		labels := b.start()
		other := b.centered(m, labels)
		distances := b.inertia(other, labels)
		got, slack := b.update(other, labels).Objective, 1e-9*(b.total()+first+distances)
		if !(math.Abs(got-distances-worth) <= slack) {
			c.failf("with the same feature weights %v, the objective is %v more than the sum of distances for the labels %v, and %v more for %v",
				m.FeatureWeights, worth, b.labels, got-distances, labels)
		}
		b.weighsNoWorse(other, labels, got, slack)

		labels = b.assign(m, b.labels)
		stays, best := b.inertia(m, labels), b.inertia(b.centered(m, labels), labels)
		got = b.update(m, labels).Objective - worth
		if !(got >= math.Min(stays, best)-slack && got <= stays+slack) {
			c.failf("without its terms, which are worth %v, the objective is %v, but the distances of the rows to their centers "+
				"add up to %v, and to %v with the best centers for the labels %v",
				worth, got, stays, best, labels)
		}
		b.labels = labels
		m = b.model(labels)
		first = b.inertia(m, labels)
		worth = b.update(m, labels).Objective - first
	}
}

// centered returns the model with the centers of other labels and the same feature
// weights.
func (b *bed) centered(m *framework.Model, labels []int32) *framework.Model {
	other := m.Clone()
	if at := b.update(other, labels).At[framework.Centers]; at != nil {
		_, err := b.c.Project(other, framework.Centers, *at)
		b.ok(err, "Project")
	}
	if !slices.Equal(m.FeatureWeights, other.FeatureWeights) {
		b.failf("projecting the centers changes the feature weights from %v to %v", m.FeatureWeights, other.FeatureWeights)
	}
	return other
}

// weighsNoWorse fails if projecting the feature weights makes the objective worse.
func (b *bed) weighsNoWorse(m *framework.Model, labels []int32, before, slack float64) {
	at := b.update(m, labels).At[framework.FeatureWeights]
	if at == nil {
		return
	}
	_, err := b.c.Project(m, framework.FeatureWeights, *at)
	b.ok(err, "Project")
	if got := b.update(m, labels).Objective; !(got <= before+slack) {
		b.failf("projecting the feature weights makes the objective worse, for the same labels %v and centers: %v after %v; "+
			"the weights are not chosen by the terms of the description",
			labels, got, before)
	}
}

// inertia returns the sum of the distances of the rows to their centers.
func (b *bed) inertia(m *framework.Model, labels []int32) (sum float64) {
	d := b.distances(m)
	for i, j := range labels {
		sum += b.rows.weight(i) * d.Row(i)[j]
	}
	return sum
}

// rowsToSpare reports whether more rows count than there are clusters.
func (b *bed) rowsToSpare() bool {
	n := 0
	for i := range b.p.N {
		if b.rows.weight(i) > 0 {
			n++
		}
	}
	return n > b.p.K
}
