package conformance

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// rounds runs some rounds of all steps. keep says whether scratch and cache are
// kept from one round to the next.
func (b *bed) rounds(count int, keep bool) (*framework.Model, []int32) {
	m, labels := b.c.Begin(), slices.Clone(b.labels)
	scratch := make([]framework.Scratch, b.data.Blocks())
	for range count {
		b.project(m, b.update(m, labels))
		if !keep {
			m = m.Clone()
		}
		b.prepare(m)
		for i := range b.data.Blocks() {
			block := b.data.Block(i)
			if scratch[i] == nil || !keep {
				scratch[i] = b.c.Scratch(block.X.Rows)
			}
			b.assignBlock(m, block, labels, scratch[i])
		}
	}
	return m, labels
}

// someRounds is enough for caches to be made, used and outdated.
const someRounds = 4

func cachesVanish(c *trial, s subject) {
	b := c.bed(s, want{})
	kept, labels := b.rounds(someRounds, true)
	dropped, others := b.again().rounds(someRounds, false)
	b.sameLabels(labels, others, "labels of %d rounds with the scratch kept, and with a fresh one each time", someRounds)
	b.sameModel(kept, dropped, "the models after %d rounds with caches kept and with them dropped differ", someRounds)
}

func modelsApart(c *trial, s subject) {
	b := c.bed(s, want{})
	m, labels := b.again().rounds(2, true)
	others := b.start()
	c.given("the labels of a second model %v", others)
	first, second := b.c.Begin(), b.c.Begin()
	mine, theirs := slices.Clone(b.labels), slices.Clone(others)
	for range 2 { // in turns
		b.project(first, b.update(first, mine))
		b.project(second, b.update(second, theirs))
		theirs = b.assign(second, theirs)
		mine = b.assign(first, mine)
		b.distances(second)
	}
	b.sameLabels(mine, labels, "a model that took turns with another one gives other labels than alone")
	b.sameModel(m, first, "a model that took turns with another one differs from what it is alone")
	after := b.assign(first, mine)
	alone := b.again()
	b.sameLabels(after, alone.assign(first.Clone(), mine),
		"after the second model had its turn, the first one's labels are not those of a new clusterer")
	d, want := b.distances(first), alone.distances(first.Clone())
	if i := differ(d.Data, want.Data); i >= 0 {
		c.failf("after the second model had its turn, row %d is at distance %v of the first one's center, and %v for a new clusterer",
			i/b.p.K, d.Data[i], want.Data[i])
	}
}

func twoPlaces(c *trial, s subject) {
	b := c.bed(s, want{})
	here, labels := b.again().rounds(3, true)
	other := b.again()
	m, mine := b.c.Begin(), slices.Clone(b.labels)
	for round := range 3 {
		first, second := b, other
		if round%2 == 1 {
			first, second = other, b
		}
		stats := framework.NewStats(b.plan.Stats)
		for i := range b.data.Blocks() {
			at := first
			if i%2 == 1 {
				at = second
			}
			at.collectBlock(i, nil, mine, stats)
		}
		m = m.Clone()
		second.project(m, second.updateFrom(m, stats, mine))
		first.prepare(m)
		apart := m.Clone()
		second.prepare(apart)
		for i := range b.data.Blocks() {
			if i%2 == 0 {
				first.assignBlock(m, first.data.Block(i), mine, nil)
			} else {
				second.assignBlock(apart, second.data.Block(i), mine, nil)
			}
		}
	}
	b.sameLabels(mine, labels, "two clusterers that share the steps give other labels than one")
	b.sameModel(here, m, "two clusterers that share the steps give another model than one")
}

func repeatable(c *trial, s subject) {
	b := c.bed(s, want{})
	m, labels := b.rounds(3, true)
	for _, other := range []*bed{b, b.again()} {
		again, others := other.rounds(3, true)
		b.sameLabels(others, labels, "the same steps give other labels when they are done again")
		b.sameModel(m, again, "the same steps give another model when they are done again")
	}
}

// staleScratch changes labels between rounds, as a driver does that fills empty
// clusters, and takes a round back, as it does when that was no good: the model is
// then what it was, with the cache and the scratch of the round that is gone.
func staleScratch(c *trial, s subject) {
	b := c.bed(s, want{})
	m, labels := b.c.Begin(), slices.Clone(b.labels)
	scratch := make([]framework.Scratch, b.data.Blocks())
	for i := range scratch {
		scratch[i] = b.c.Scratch(b.data.Block(i).X.Rows)
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
			b.project(m, b.update(m, labels))
		}
		for range 1 + b.p.N/8 {
			labels[c.rand.IntN(b.p.N)] = int32(c.rand.IntN(b.p.K))
		}
		want := b.again().assign(m.Clone(), labels)
		b.prepare(m)
		for i := range b.data.Blocks() {
			b.assignBlock(m, b.data.Block(i), labels, scratch[i])
		}
		b.sameLabels(labels, want, "labels have changed since the scratch was used, or a round was taken back: "+
			"in step %d a fresh scratch and cache give others", round)
	}
}
