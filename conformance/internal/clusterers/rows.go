package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// otherRows gives a clusterer blocks of rows that it has not seen, in the places of
// those that it has.
func otherRows(c *judge.Trial, s testbed.Subject) {
	if s.Served() {
		c.Skipf("a session has one set of rows")
	}
	b := testbed.Draw(c, s, testbed.Want{Complete: true})
	m := b.Model(b.Labels)
	b.Assign(m, b.Labels)
	b.Distances(m)
	rows := b.Rows
	rows.X = framework.NewMatrix(b.N, b.P)
	for i := range b.N {
		copy(rows.X.Row(i), b.Rows.X.Row(b.N-1-i))
	}
	c.Given("then the same rows from the last to the first, in blocks that are numbered like those before")
	apart, here := *b, *b
	apart.Rows, here.Rows = rows, rows
	if err := apart.Rebind(); err != nil {
		c.Failf("New refuses the rows in another order: %v", err)
	}
	here.Data = matrix.FromMatrix(rows.X.Clone(), slices.Clone(rows.Weights), rows.BlockRows)
	here.SameStats(here.Collect(b.Labels), apart.Collect(b.Labels), b.Labels, "Collect remembers rows of an earlier block")
	same := m.Clone()
	got, want := here.Distances(m), apart.Distances(same)
	if i := judge.Differ(got.Data, want.Data); i >= 0 {
		c.Failf("Distances remembers rows of an earlier block: row %d, %v, is at %v of center %d, and at %v for a new clusterer",
			i/b.K, rows.X.Row(i/b.K), got.Data[i], i%b.K, want.Data[i])
	}
	b.SameLabels(here.Assign(m, b.Labels), apart.Assign(same, b.Labels), "Assign remembers rows of an earlier block")
}

// squared scales rows by 2: distances that are squares then grow by 4. It says nothing of
// distances that are squares of small differences alone.
func squared(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true})
	other := b.With(scaled(b, 2))
	m, n := b.Model(b.Labels), other.Model(b.Labels)
	for i, v := range n.Centers.Data {
		if math.Abs(v-2*m.Centers.Data[i]) > 1e-9*b.Extent() {
			c.Skipf("centers do not grow with the rows")
		}
	}
	if len(m.FeatureWeights) > 0 && judge.Differ(m.FeatureWeights, n.FeatureWeights) >= 0 {
		c.Skipf("feature weights depend on the scale of rows")
	}
	factor := 2.0
	if b.Plan.Squared {
		factor = 4
	}
	d, e := b.Distances(m), other.Distances(n)
	slack := 1e-9 * judge.Largest(e.Data)
	for i, v := range e.Data {
		if math.Abs(v-d.Data[i]) <= slack {
			continue // 0, or a method of directions
		}
		if math.Abs(v-factor*d.Data[i]) > slack {
			far := b.With(scaled(b, 1<<10))
			if grown := math.Pow(v/d.Data[i], 10); math.Abs(far.Distances(far.Model(b.Labels)).Data[i]/d.Data[i]-grown) > 1e-6*grown {
				c.Skipf("distances are no power of differences, as those by Huber's loss are not")
			}
			c.Failf("the plan says Squared: %v, so that distances grow by %g when rows are scaled by 2; row %d was at %v of center %d, and is at %v",
				b.Plan.Squared, factor, i/b.K, d.Data[i], i%b.K, v)
		}
	}
}

// scaled returns the rows times a factor.
func scaled(b *testbed.Bed, factor float64) cases.Sample {
	rows := b.Rows
	rows.X = rows.X.Clone()
	for i := range rows.X.Data {
		rows.X.Data[i] *= factor
	}
	return rows
}

// startCenters writes centers into a new model, as a driver does with those of a
// start.
func startCenters(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Complete: true})
	m := b.Clusterer.Begin()
	for j := range b.K {
		copy(m.Centers.Row(j), b.Rows.X.Row(c.Rand.IntN(b.N)))
	}
	c.Given("rows as the centers of a start: %s", judge.RowsOf(m.Centers))
	labels, d := b.Assign(m, testbed.Nobody(b.N)), b.Distances(m)
	if i, near := farther(labels, d, 1e-9); i >= 0 {
		c.Failf("row %d has the label %d at distance %v, but center %d of the start is at %v",
			i, labels[i], d.Row(i)[labels[i]], near, slices.Min(d.Row(i)))
	}
	alone := b.Again()
	other := alone.Clusterer.Begin()
	other.Centers.CopyFrom(m.Centers)
	if i := judge.Differ(alone.Distances(other).Data, d.Data); i >= 0 {
		c.Failf("row %d is at another distance of the same start's centers for a new clusterer", i/b.K)
	}
}

// units changes locations and scales of columns, which say only what fitted units
// are in original ones.
func units(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	other := *b
	other.Columns = slices.Clone(b.Columns)
	for l := range other.Columns {
		other.Columns[l].Location, other.Columns[l].Scale = 100*c.Rand.NormFloat64(), 0.01+10*c.Rand.Float64()
	}
	c.Given("the columns %+v, and then %+v", b.Columns[:min(4, b.P)], other.Columns[:min(4, b.P)])
	if err := other.Rebind(); err != nil {
		c.Failf("New refuses other locations and scales of columns: %v", err)
	}
	m, n := b.Model(b.Labels), other.Model(b.Labels)
	b.SameModel(m, n, "other original units change the model")
	b.SameLabels(other.Assign(n, b.Labels), b.Assign(m, b.Labels), "other original units change labels")
	if i := judge.Differ(other.Distances(n).Data, b.Distances(m).Data); i >= 0 {
		c.Failf("other original units change the distances of row %d", i/b.K)
	}
}

// farAway moves all rows and centers by a small number, and if that changes no
// distance, by a large one. No cell is rounded.
func farAway(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Plain: true, Complete: true})
	for i := range b.Rows.X.Data {
		b.Rows.X.Data[i] = float64(c.Between(-8, 8))
	}
	from := make([]int, b.K)
	for j := range from {
		from[j] = c.Rand.IntN(b.N)
	}
	var before framework.Matrix
	for _, by := range []float64{0, 8, 1e8} {
		rows := b.Rows
		rows.X = b.Rows.X.Clone()
		for i := range rows.X.Data {
			rows.X.Data[i] += by
		}
		moved := b.With(rows)
		m := moved.Clusterer.Begin()
		for j, i := range from {
			copy(m.Centers.Row(j), rows.X.Row(i))
		}
		d, slack := moved.Distances(m), 1e-6*judge.Largest(before.Data)
		for i, v := range d.Data {
			switch was := before.Data; {
			case by == 0 || math.Abs(v-was[i]) <= slack:
			case by == 8:
				c.Skipf("distances depend on where 0 is")
			default:
				c.Failf("row %d, %v, is at distance %v of center %d, and at %v when all rows and centers are moved by %g: "+
					"squares of large numbers are rounded, so subtract before you square",
					i/b.K, b.Rows.X.Row(i/b.K), was[i], i%b.K, v, by)
			}
		}
		before = d
	}
}

func rowsAlone(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	labels := b.Assign(m, b.Labels)
	for range 3 {
		i := c.Rand.IntN(b.N)
		present := unlabelled(b)
		present[i] = b.Labels[i]
		if got := b.Assign(m.Clone(), present); got[i] != labels[i] {
			c.Failf("row %d gets the label %d when other rows have the labels %v, and %d when they have the start's", i, got[i], present, labels[i])
		}
	}
	order := c.Rand.Perm(b.N)
	rows := cases.Sample{X: framework.NewMatrix(b.N, b.P), Weights: slices.Clone(b.Rows.Weights), BlockRows: b.Rows.BlockRows}
	present := make([]int32, b.N)
	for to, from := range order {
		copy(rows.X.Row(to), b.Rows.X.Row(from))
		present[to] = b.Labels[from]
		if rows.Weights != nil {
			rows.Weights[to] = b.Rows.Weights[from]
		}
	}
	shuffled := *b
	shuffled.Rows = rows // but the same columns: their sums would be rounded differently
	shuffled.Clusterer, shuffled.Data = nil, nil
	if err := shuffled.Rebind(); err != nil {
		c.Failf("New refuses the rows in another order: %v", err)
	}
	got := shuffled.Assign(m.Clone(), present)
	for to, from := range order {
		if got[to] != labels[from] {
			c.Failf("row %d has label %d, and %d when it is row %d: the label depends on its place or its neighbours",
				from, labels[from], got[to], to)
		}
	}
}
