package conformance

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ok fails the case if a step has failed.
func (b *bed) ok(err error, step string) {
	if err != nil {
		b.failf("%s fails: %v", step, err)
	}
}

// collect returns the statistics of labels.
func (b *bed) collect(labels []int32) framework.Stats {
	return b.collectFrom(nil, labels, framework.NewStats(b.plan.Stats))
}

// collectFrom adds the change from old labels to new ones; nil: from no labels.
func (b *bed) collectFrom(from, to []int32, s framework.Stats) framework.Stats {
	for i := range b.data.Blocks() {
		b.collectBlock(i, from, to, s)
	}
	return s
}

// collectBlock does so for one block.
func (b *bed) collectBlock(i int, from, to []int32, s framework.Stats) {
	block := b.data.Block(i).Partly(b.part)
	start, end := block.Row0, block.Row0+block.X.Rows
	if from != nil {
		from = from[start:end:end]
	}
	b.ok(b.c.Collect(block, from, to[start:end:end], s), "Collect")
}

// update updates from labels. Rows are given only if the plan needs them.
func (b *bed) update(m *framework.Model, labels []int32) framework.Step {
	return b.updateFrom(m, b.collect(labels), labels)
}

func (b *bed) updateFrom(m *framework.Model, s framework.Stats, labels []int32) framework.Step {
	var rows framework.Rows
	if b.plan.NeedsRows {
		rows = framework.Partly(b.data, b.part)
	} else {
		labels = nil
	}
	step, err := b.c.Update(b.ctx, m, s, rows, labels)
	b.ok(err, "Update")
	return step
}

// project projects all points of the step.
func (b *bed) project(m *framework.Model, step framework.Step) {
	for t, at := range step.At {
		if at != nil && b.plan.Cadence[t] != framework.Never {
			_, err := b.c.Project(m, framework.Target(t), *at)
			b.ok(err, "Project")
		}
	}
}

// model returns a model made from labels in two rounds, so that it has a history.
func (b *bed) model(labels []int32) *framework.Model {
	m := b.c.Begin()
	for range 2 {
		b.project(m, b.update(m, labels))
	}
	return m
}

func (b *bed) prepare(m *framework.Model) {
	if p, ok := framework.As[framework.Preparer](b.c); ok {
		p.Prepare(m)
	}
}

// assign returns the labels that a model gives, starting from the present ones,
// with fresh scratch.
func (b *bed) assign(m *framework.Model, present []int32) []int32 {
	labels := slices.Clone(present)
	b.prepare(m)
	for i := range b.data.Blocks() {
		b.assignBlock(m, b.data.Block(i), labels, nil)
	}
	return labels
}

// assignBlock assigns one block of labels; if the scratch is nil, with a fresh one.
func (b *bed) assignBlock(m *framework.Model, block framework.Block, labels []int32, s framework.Scratch) {
	if s == nil {
		s = b.c.Scratch(block.X.Rows)
	}
	own := labels[block.Row0:][:block.X.Rows:block.X.Rows]
	b.ok(b.c.Assign(m, block, own, s), "Assign")
	for i, j := range own {
		if j < 0 || int(j) >= b.p.K {
			b.failf("Assign gives row %d the label %d; labels are 0 to %d", block.Row0+i, j, b.p.K-1)
		}
	}
}

// distances returns the distance of every row to every center.
func (b *bed) distances(m *framework.Model) framework.Matrix {
	d := junk(b.data.Len(), b.p.K)
	b.prepare(m)
	for i := range b.data.Blocks() {
		block := b.data.Block(i)
		b.ok(b.c.Distances(m, block, d.Slice(block.Row0, block.Row0+block.X.Rows)), "Distances")
	}
	return d
}
