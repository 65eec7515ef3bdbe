package testbed

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Rounds runs some rounds of all steps. keep says whether scratch and cache are
// kept from one round to the next.
func (b *Bed) Rounds(count int, keep bool) (*framework.Model, []int32) {
	m, labels := b.Clusterer.Begin(), slices.Clone(b.Labels)
	scratch := make([]framework.Scratch, b.Data.Blocks())
	for range count {
		b.Project(m, b.Update(m, labels))
		if !keep {
			m = m.Clone()
		}
		b.Prepare(m)
		for i := range b.Data.Blocks() {
			block := b.Data.Block(i)
			if scratch[i] == nil || !keep {
				scratch[i] = b.Clusterer.Scratch(block.X.Rows)
			}
			b.AssignBlock(m, block, labels, scratch[i])
		}
	}
	return m, labels
}

// OK fails the case if a step has failed.
func (b *Bed) OK(err error, step string) {
	if err != nil {
		b.Failf("%s fails: %v", step, err)
	}
}

// Collect returns the statistics of labels.
func (b *Bed) Collect(labels []int32) framework.Stats {
	return b.CollectFrom(nil, labels, framework.NewStats(b.Plan.Stats))
}

// CollectFrom adds the change from old labels to new ones; nil: from no labels.
func (b *Bed) CollectFrom(from, to []int32, s framework.Stats) framework.Stats {
	for i := range b.Data.Blocks() {
		b.CollectBlock(i, from, to, s)
	}
	return s
}

// CollectBlock does so for one block.
func (b *Bed) CollectBlock(i int, from, to []int32, s framework.Stats) {
	block := b.Data.Block(i).Partly(b.Part)
	start, end := block.Row0, block.Row0+block.X.Rows
	if from != nil {
		from = from[start:end:end]
	}
	b.OK(b.Clusterer.Collect(block, from, to[start:end:end], s), "Collect")
}

// Update updates from labels. Rows are given only if the plan needs them.
func (b *Bed) Update(m *framework.Model, labels []int32) framework.Step {
	return b.UpdateFrom(m, b.Collect(labels), labels)
}

// UpdateFrom updates from statistics that the labels gave.
func (b *Bed) UpdateFrom(m *framework.Model, s framework.Stats, labels []int32) framework.Step {
	var rows framework.Rows
	if b.Plan.NeedsRows {
		rows = framework.Partly(b.Data, b.Part)
	} else {
		labels = nil
	}
	step, err := b.Clusterer.Update(b.Ctx, m, s, rows, labels)
	b.OK(err, "Update")
	return step
}

// Project projects all points of the step.
func (b *Bed) Project(m *framework.Model, step framework.Step) {
	for t, at := range step.At {
		if at != nil && b.Plan.Cadence[t] != framework.Never {
			_, err := b.Clusterer.Project(m, framework.Target(t), *at)
			b.OK(err, "Project")
		}
	}
}

// Model returns a model made from labels in two rounds, so that it has a history.
func (b *Bed) Model(labels []int32) *framework.Model {
	m := b.Clusterer.Begin()
	for range 2 {
		b.Project(m, b.Update(m, labels))
	}
	return m
}

// Prepare fills the cache of a model, if the clusterer has one.
func (b *Bed) Prepare(m *framework.Model) {
	if p, ok := framework.As[framework.Preparer](b.Clusterer); ok {
		p.Prepare(m)
	}
}

// Assign returns the labels that a model gives, starting from the present ones,
// with fresh scratch.
func (b *Bed) Assign(m *framework.Model, present []int32) []int32 {
	labels := slices.Clone(present)
	b.Prepare(m)
	for i := range b.Data.Blocks() {
		b.AssignBlock(m, b.Data.Block(i), labels, nil)
	}
	return labels
}

// AssignBlock assigns one block of labels; if the scratch is nil, with a fresh one.
func (b *Bed) AssignBlock(m *framework.Model, block framework.Block, labels []int32, s framework.Scratch) {
	if s == nil {
		s = b.Clusterer.Scratch(block.X.Rows)
	}
	own := labels[block.Row0:][:block.X.Rows:block.X.Rows]
	b.OK(b.Clusterer.Assign(m, block, own, s), "Assign")
	for i, j := range own {
		switch {
		case j == -1 && !b.Plan.Noise:
			b.Failf("Assign gives row %d no cluster, with the label −1, but the plan does not say Noise", block.Row0+i)
		case j < -1 || int(j) >= b.K:
			b.Failf("Assign gives row %d the label %d; labels are 0 to %d", block.Row0+i, j, b.K-1)
		}
	}
}

// Distances returns the distance of every row to every center.
func (b *Bed) Distances(m *framework.Model) framework.Matrix {
	d := cases.Junk(b.Data.Len(), b.K)
	b.Prepare(m)
	for i := range b.Data.Blocks() {
		block := b.Data.Block(i)
		b.OK(b.Clusterer.Distances(m, block, d.Slice(block.Row0, block.Row0+block.X.Rows)), "Distances")
	}
	return d
}
