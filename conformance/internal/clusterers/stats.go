package clusterers

import (
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// unlabelled draws labels of which some are −1.
func unlabelled(b *testbed.Bed) []int32 {
	labels := b.Start()
	for i := range labels {
		if b.Rand.IntN(4) == 0 {
			labels[i] = -1
		}
	}
	return labels
}

func collectAdds(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	labels := unlabelled(b)
	want := b.Collect(labels)
	twice := b.CollectFrom(nil, labels, b.Collect(labels))
	doubled := framework.NewStats(b.Plan.Stats)
	doubled.Add(want)
	doubled.Add(want)
	b.SameStats(twice, doubled, labels,
		"Collect replaces what it should add to: collecting the labels %v twice does not give twice the statistics", labels)
	zeros := framework.NewStats(b.Plan.Stats)
	b.SameStats(b.Collect(testbed.Nobody(b.N)), zeros, labels, "rows with the label −1 contribute")
	from := b.CollectFrom(testbed.Nobody(b.N), labels, zeros)
	b.SameStats(from, want, labels, "from = −1 for every row is not the same as no from")
}

func movedSums(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	from, to := unlabelled(b), unlabelled(b)
	for i := range to { // most rows stay, as in a fit
		if c.Rand.IntN(2) == 0 {
			to[i] = from[i]
		}
	}
	moved := b.CollectFrom(from, to, b.Collect(from))
	b.SameStats(moved, b.Collect(to), b.Labels, "moving from the labels %v to %v does not give the statistics of the new labels", from, to)
}

func merges(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	labels := unlabelled(b)
	whole := b.Cut(b.N).Collect(labels)
	for _, size := range []int{1 + b.N/12, 1 + b.N/2, b.Rows.BlockRows} {
		parts := b.Cut(size)
		b.SameStats(parts.Collect(labels), whole, labels,
			"blocks of %d rows, the last of %d, do not give the statistics of one block of %d", size, lastOf(b.N, size), b.N)
		backwards := framework.NewStats(b.Plan.Stats)
		for i := parts.Data.Blocks() - 1; i >= 0; i-- {
			part := framework.NewStats(b.Plan.Stats)
			parts.CollectBlock(i, nil, labels, part)
			backwards.Add(part)
		}
		b.SameStats(backwards, whole, labels, "blocks of %d rows, taken from the last to the first, do not give the statistics of one block",
			size)
	}
}

// lastOf is the number of rows of the last block.
func lastOf(n, size int) int { return n - (n-1)/size*size }

func blocks(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	whole := b.Cut(b.N)
	m := whole.Model(b.Labels)
	labels, distances := whole.Assign(m, b.Labels), whole.Distances(m)
	for _, size := range []int{1 + b.N/12, 1 + b.N/2, b.Rows.BlockRows} {
		parts := b.Cut(size)
		b.SameLabels(parts.Assign(m.Clone(), b.Labels), labels, "blocks of %d rows, the last of %d, give other labels than one block of %d",
			size, lastOf(b.N, size), b.N)
		if i := judge.Differ(parts.Distances(m.Clone()).Data, distances.Data); i >= 0 {
			c.Failf("blocks of %d rows give row %d another distance than one block of %d", size, i/b.K, b.N)
		}
		if m.Selected == nil { // gains that are equal but for rounding select other features
			b.Near(parts.Model(b.Labels).Centers.Data, m.Centers.Data, "the centers of rows in small blocks, and in one")
		}
	}
}

// collectsInCommon collects the same labels with other parameters.
func collectsInCommon(c *judge.Trial, s testbed.Subject) {
	if s.Served() {
		c.Skipf("fits share statistics within one process only")
	}
	b := testbed.Draw(c, s, testbed.Want{})
	if common, ok := framework.As[framework.CommonCollector](b.Clusterer); !ok || !common.CollectsInCommon() {
		c.Skipf("the clusterer does not say that it collects in common")
	}
	other := *b
	var err error
	if other.Params, err = b.Description.Resolve(cases.Params(c, b.Description, b.P, 1)); err != nil {
		c.Skipf("other parameters are refused: %v", err)
	}
	other.Seed++
	if err := other.Rebind(); err != nil {
		c.Skipf("other parameters are refused: %v", err)
	}
	c.Given("and the parameters %v, with the seed %d", other.Params, other.Seed)
	got, want := other.Collect(b.Labels), b.Collect(b.Labels)
	for t, v := range got {
		if i := judge.Differ(v, want[t]); i >= 0 {
			c.Failf("entry %d of %q is %v with other parameters, and %v with the first", i, b.Plan.Stats[t].Name, v[i], want[t][i])
		}
	}
}

func masses(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, want := b.Clusterer.Begin(), b.Masses(b.Labels)
	for range 2 {
		step := b.Update(m, b.Labels)
		if len(step.Mass) != b.K {
			c.Failf("Step.Mass has %d numbers for %d clusters", len(step.Mass), b.K)
		}
		for j, got := range step.Mass {
			if math.Abs(got-want[j]) > 1e-12*b.Mass {
				c.Failf("the mass of cluster %d is %v, but its rows weigh %v: Mass is %v, and should be %v", j, got, want[j], step.Mass, want)
			}
		}
		b.Project(m, step)
	}
}
