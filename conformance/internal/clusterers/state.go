package clusterers

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// someRounds is enough for caches to be made, used and outdated.
const someRounds = 4

func cachesVanish(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	kept, labels := b.Rounds(someRounds, true)
	dropped, others := b.Again().Rounds(someRounds, false)
	b.SameLabels(labels, others, "labels of %d rounds with the scratch kept, and with a fresh one each time", someRounds)
	b.SameModel(kept, dropped, "the models after %d rounds with caches kept and with them dropped differ", someRounds)
}

func modelsApart(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, labels := b.Again().Rounds(2, true)
	others := b.Start()
	c.Given("the labels of a second model %v", others)
	first, second := b.Clusterer.Begin(), b.Clusterer.Begin()
	mine, theirs := slices.Clone(b.Labels), slices.Clone(others)
	for range 2 { // in turns
		b.Project(first, b.Update(first, mine))
		b.Project(second, b.Update(second, theirs))
		theirs = b.Assign(second, theirs)
		mine = b.Assign(first, mine)
		b.Distances(second)
	}
	b.SameLabels(mine, labels, "a model that took turns with another one gives other labels than alone")
	b.SameModel(m, first, "a model that took turns with another one differs from what it is alone")
	after := b.Assign(first, mine)
	alone := b.Again()
	b.SameLabels(after, alone.Assign(first.Clone(), mine),
		"after the second model had its turn, the first one's labels are not those of a new clusterer")
	d, want := b.Distances(first), alone.Distances(first.Clone())
	if i := judge.Differ(d.Data, want.Data); i >= 0 {
		c.Failf("after the second model had its turn, row %d is at distance %v of the first one's center, and %v for a new clusterer",
			i/b.K, d.Data[i], want.Data[i])
	}
}

func twoPlaces(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	here, labels := b.Again().Rounds(3, true)
	other := b.Again()
	m, mine := b.Clusterer.Begin(), slices.Clone(b.Labels)
	for round := range 3 {
		first, second := b, other
		if round%2 == 1 {
			first, second = other, b
		}
		stats := framework.NewStats(b.Plan.Stats)
		for i := range b.Data.Blocks() {
			at := first
			if i%2 == 1 {
				at = second
			}
			at.CollectBlock(i, nil, mine, stats)
		}
		m = m.Clone()
		second.Project(m, second.UpdateFrom(m, stats, mine))
		first.Prepare(m)
		apart := m.Clone()
		second.Prepare(apart)
		for i := range b.Data.Blocks() {
			if i%2 == 0 {
				first.AssignBlock(m, first.Data.Block(i), mine, nil)
			} else {
				second.AssignBlock(apart, second.Data.Block(i), mine, nil)
			}
		}
	}
	b.SameLabels(mine, labels, "two clusterers that share the steps give other labels than one")
	b.SameModel(here, m, "two clusterers that share the steps give another model than one")
}

func repeatable(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, labels := b.Rounds(3, true)
	for _, other := range []*testbed.Bed{b, b.Again()} {
		again, others := other.Rounds(3, true)
		b.SameLabels(others, labels, "the same steps give other labels when they are done again")
		b.SameModel(m, again, "the same steps give another model when they are done again")
	}
}

// staleScratch changes labels between rounds, as a driver does that fills empty
// clusters, and takes a round back, as it does when that was no good: the model is
// then what it was, with the cache and the scratch of the round that is gone.
func staleScratch(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, labels := b.Clusterer.Begin(), slices.Clone(b.Labels)
	scratch := make([]framework.Scratch, b.Data.Blocks())
	for i := range scratch {
		scratch[i] = b.Clusterer.Scratch(b.Data.Block(i).X.Rows)
	}
	var before *framework.Model
	for round := range 2 * someRounds {
		switch round {
		case 2, 5: // the model stays
		case 4:
			cache := m.Cache
			*m = *before
			m.Cache = cache
			fallthrough
		default:
			before = m.Clone()
			b.Project(m, b.Update(m, labels))
		}
		for range 1 + b.N/8 {
			labels[c.Rand.IntN(b.N)] = int32(c.Rand.IntN(b.K))
		}
		want := b.Again().Assign(m.Clone(), labels)
		b.Prepare(m)
		for i := range b.Data.Blocks() {
			b.AssignBlock(m, b.Data.Block(i), labels, scratch[i])
		}
		b.SameLabels(labels, want, "labels have changed since the scratch was used, or a round was taken back: "+
			"in step %d a fresh scratch and cache give others", round)
	}
}
