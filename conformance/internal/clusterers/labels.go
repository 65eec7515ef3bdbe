package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// almostTied has rows that are a little nearer to one of two centers.
func almostTied(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true, Complete: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+2*c.Size), c.Between(1, 6), c.Between(2, 4)
	}})
	m := b.Model(b.Labels)
	rows := cases.Sample{X: framework.NewMatrix(b.N, b.P), Weights: b.Rows.Weights, BlockRows: b.Rows.BlockRows}
	for i := range b.N {
		near, far := m.Centers.Row(c.Rand.IntN(b.K)), m.Centers.Row(c.Rand.IntN(b.K))
		step := 0.5 - math.Pow(10, float64(c.Between(-7, -3)))
		for l := range near {
			rows.X.Row(i)[l] = near[l] + step*(far[l]-near[l])
		}
	}
	other := *b
	other.Rows = rows
	if err := other.Rebind(); err != nil {
		c.Skipf("other rows are refused: %v", err)
	}
	c.Given("then rows almost in the middle between two centers: %v", rows.X)
	labels, d := other.Assign(m, testbed.Nobody(b.N)), other.Distances(m)
	if i, near := farther(labels, d, 1e-10); i >= 0 {
		c.Failf("row %d, %v, gets the label %d at distance %v, but center %d is nearer, at %v: only equal distances are a tie",
			i, rows.X.Row(i), labels[i], d.Row(i)[labels[i]], near, slices.Min(d.Row(i)))
	}
}

// farther returns the first row that is farther from the center of its label than from
// another, by more than a share of the largest distance, and the nearest center; −1 if
// there is none. Noise has no label.
func farther(labels []int32, d framework.Matrix, share float64) (row, nearest int) {
	slack := share * judge.Largest(d.Data)
	for i, j := range labels {
		if j < 0 {
			continue
		}
		if least := slices.Min(d.Row(i)); !(d.Row(i)[j]-least <= slack) {
			return i, slices.Index(d.Row(i), least)
		}
	}
	return -1, 0
}

func labelled(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	b.Assign(m, testbed.Nobody(b.N)) // checks labels
	b.Assign(m, b.Labels)
}

func nearest(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	labels, d := b.Assign(m, b.Labels), b.Distances(m)
	for i := range labels {
		if slices.ContainsFunc(b.Rows.X.Row(i), math.IsNaN) {
			labels[i] = -1 // not complete
		}
	}
	if i, near := farther(labels, d, 1e-9); i >= 0 {
		c.Failf("row %d has the label %d at distance %v, but center %d is at %v; centers %s",
			i, labels[i], d.Row(i)[labels[i]], near, slices.Min(d.Row(i)), judge.RowsOf(m.Centers))
	}
}

// tied makes clusters of equal rows, so that their centers are equal.
func tied(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Shape: func(c *judge.Trial) (int, int, int) {
		if cases.Grown(c) {
			return 70, c.Between(1, 4), c.Between(3, 65)
		}
		return c.Between(2, 2+c.Size), c.Between(1, 4), c.Between(1, 2)
	}, Plain: true})
	n := b.N
	rows := cases.Sample{X: framework.NewMatrix(2*n, b.P), BlockRows: c.Between(1, 2*n)}
	labels := make([]int32, 2*n)
	for i := range n {
		copy(rows.X.Row(2*i), b.Rows.X.Row(i))
		copy(rows.X.Row(2*i+1), b.Rows.X.Row(i))
		first := b.Labels[i]
		labels[2*i], labels[2*i+1] = first, first+int32(b.K)
	}
	twins := *b
	twins.K *= 2
	if err := twins.Bind(rows); err != nil {
		c.Skipf("the algorithm refuses twice the clusters: %v", err)
	}
	c.Given("each row given twice, in blocks of %d, with the labels %v", rows.BlockRows, labels)
	m := twins.Model(labels)
	got, d := twins.Assign(m, labels), twins.Distances(m)
	seen := false
	for i, j := range got {
		if j < 0 {
			continue // noise
		}
		for other := range int(j) {
			if slices.Equal(m.Centers.Row(other), m.Centers.Row(int(j))) {
				c.Failf("row %d goes to center %d, though center %d is equal, %v, and has the lower index (distances %v)",
					i, j, other, m.Centers.Row(other), d.Row(i))
			}
		}
		for other := range twins.K {
			seen = seen || other != int(j) && slices.Equal(m.Centers.Row(other), m.Centers.Row(int(j)))
		}
	}
	if !seen {
		c.Skipf("clusters of equal rows do not get equal centers")
	}
}

// measures compares what a Measurer says of rows with all distances, often of so many
// centers and features that it may know them in another way.
func measures(c *judge.Trial, s testbed.Subject) {
	if s.Served() {
		c.Skipf("rows are measured within one process only")
	}
	many := c.Rand.IntN(2) == 0
	b := testbed.Draw(c, s, testbed.Want{Complete: many, Plain: many, Shape: func(c *judge.Trial) (int, int, int) {
		if many {
			return 150 + c.Size, 40, 130
		}
		return c.Between(2, 2+2*c.Size), c.Between(1, 6), c.Between(1, 4)
	}})
	measurer, ok := framework.As[framework.Measurer](b.Clusterer)
	if !ok {
		c.Skipf("the clusterer is no Measurer")
	}
	m := b.Model(b.Labels)
	d := b.Distances(m)
	labels := slices.Clone(b.Labels)
	labels[c.Rand.IntN(b.N)] = -1
	for i := range b.Data.Blocks() {
		block := b.Data.Block(i)
		got := make([]framework.Measured, block.X.Rows)
		known, err := measurer.Measure(m, block, labels[block.Row0:block.Row0+block.X.Rows], got)
		b.OK(err, "Measure")
		for r := range got {
			if want := framework.Between(d.Row(block.Row0+r), int(labels[block.Row0+r])); known && got[r] != want {
				c.Failf("row %d, of label %d, is measured as %+v, but by its distances %v it is %+v", block.Row0+r, labels[block.Row0+r], got[r],
					d.Row(block.Row0+r), want)
			}
		}
	}
}
