package conformance

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// splitRows divides every row into two that share its weight.
func splitRows(c *trial, s subject) {
	b := c.bed(s, want{smooth: true, plain: true})
	n := b.p.N
	whole := sample{b.rows.x, c.weights(n), b.rows.blockRows}
	for i, w := range whole.weights { // no cluster is empty
		if w == 0 {
			whole.weights[i] = 0.5
		}
	}
	halves := sample{framework.NewMatrix(2*n, b.p.P), make([]float64, 2*n), b.rows.blockRows}
	labels := slices.Concat(b.labels, b.labels)
	for i := range n {
		part := whole.weights[i] * float64(c.between(1, 7)) / 8
		halves.weights[i], halves.weights[n+i] = part, whole.weights[i]-part
		copy(halves.x.Row(i), b.rows.x.Row(i))
		copy(halves.x.Row(n+i), b.rows.x.Row(i))
	}
	c.given("weights of the rows %v, and then row i divided into rows i and %d + i of the weights %v", whole.weights, n, halves.weights)
	one, two := b.with(whole), b.with(halves)
	m, other := one.model(b.labels), two.model(labels)
	one.close(other.Centers.Data, m.Centers.Data, "the centers of divided rows, and of whole ones")
	one.close(other.FeatureWeights, m.FeatureWeights, "the feature weights of divided rows, and of whole ones")
	one.close(other.Gain, m.Gain, "the gains of divided rows, and of whole ones")
	got, want := two.update(other, labels).Objective, one.update(m, b.labels).Objective
	if !(math.Abs(got-want) <= 1e-9*(one.total()+math.Abs(want))) {
		c.failf("the objective is %v with divided rows, and %v with whole ones", got, want)
	}
}

// observed takes the parameters with which new rows are labelled: a method that
// fills missing cells has other ones there.
func observed(c *trial, s subject) {
	b := c.bed(s, want{missing: true})
	b.predicting()
	if err := b.rebind(); err != nil {
		c.skipf("the parameters for new rows are refused: %v", err)
	}
	m := b.model(b.labels)
	labels, d := b.assign(m, nobody(b.p.N)), b.distances(m)
	scale := largest(d.Data)
	for i, j := range labels {
		least := slices.Min(d.Row(i))
		if over := d.Row(i)[j] - least; over > 1e-9*scale {
			c.failf("row %d, %v, gets the label %d at distance %v, but over its observed cells center %d is at %v; centers %s",
				i, b.rows.x.Row(i), j, d.Row(i)[j], slices.Index(d.Row(i), least), least, rowsOf(m.Centers))
		}
	}
}

// almostTied has rows that are a little nearer to one of two centers.
func almostTied(c *trial, s subject) {
	b := c.bed(s, want{smooth: true, complete: true, shape: func(c *trial) (int, int, int) {
		return c.between(4, 4+2*c.size), c.between(1, 6), c.between(2, 4)
	}})
	m := b.model(b.labels)
	rows := sample{framework.NewMatrix(b.p.N, b.p.P), b.rows.weights, b.rows.blockRows}
	for i := range b.p.N {
		near, far := m.Centers.Row(c.rand.IntN(b.p.K)), m.Centers.Row(c.rand.IntN(b.p.K))
		step := 0.5 - math.Pow(10, float64(c.between(-7, -3)))
		for l := range near {
			rows.x.Row(i)[l] = near[l] + step*(far[l]-near[l])
		}
	}
	other := *b
	other.rows = rows
	if err := other.rebind(); err != nil {
		c.skipf("other rows are refused: %v", err)
	}
	c.given("then rows almost in the middle between two centers: %v", rows.x)
	labels, d := other.assign(m, nobody(b.p.N)), other.distances(m)
	scale := largest(d.Data)
	for i, j := range labels {
		least := slices.Min(d.Row(i))
		if over := d.Row(i)[j] - least; over > 1e-10*scale {
			c.failf("row %d, %v, gets the label %d at distance %v, but center %d is nearer, at %v: only equal distances are a tie",
				i, rows.x.Row(i), j, d.Row(i)[j], slices.Index(d.Row(i), least), least)
		}
	}
}

// otherRows gives a clusterer blocks of rows that it has not seen, in the places of
// those that it has.
func otherRows(c *trial, s subject) {
	if s.served() {
		c.skipf("a session has one set of rows")
	}
	b := c.bed(s, want{complete: true})
	m := b.model(b.labels)
	b.assign(m, b.labels)
	b.distances(m)
	rows := b.rows
	rows.x = framework.NewMatrix(b.p.N, b.p.P)
	for i := range b.p.N {
		copy(rows.x.Row(i), b.rows.x.Row(b.p.N-1-i))
	}
	c.given("then the same rows from the last to the first, in blocks that are numbered like those before")
	apart, here := *b, *b
	apart.rows, here.rows = rows, rows
	if err := apart.rebind(); err != nil {
		c.failf("New refuses the rows in another order: %v", err)
	}
	here.data = matrix.FromMatrix(rows.x.Clone(), slices.Clone(rows.weights), rows.blockRows)
	here.sameStats(here.collect(b.labels), apart.collect(b.labels), b.labels, "Collect remembers rows of an earlier block")
	same := m.Clone()
	got, want := here.distances(m), apart.distances(same)
	if i := differ(got.Data, want.Data); i >= 0 {
		c.failf("Distances remembers rows of an earlier block: row %d, %v, is at %v of center %d, and at %v for a new clusterer",
			i/b.p.K, rows.x.Row(i/b.p.K), got.Data[i], i%b.p.K, want.Data[i])
	}
	b.sameLabels(here.assign(m, b.labels), apart.assign(same, b.labels), "Assign remembers rows of an earlier block")
}

// squared scales rows by 2: distances that are squares then grow by 4. It says nothing of
// distances that are squares of small differences alone.
func squared(c *trial, s subject) {
	b := c.bed(s, want{smooth: true})
	other := b.with(b.scaled(2))
	m, n := b.model(b.labels), other.model(b.labels)
	for i, v := range n.Centers.Data {
		if math.Abs(v-2*m.Centers.Data[i]) > 1e-9*b.extent() {
			c.skipf("centers do not grow with the rows")
		}
	}
	if len(m.FeatureWeights) > 0 && differ(m.FeatureWeights, n.FeatureWeights) >= 0 {
		c.skipf("feature weights depend on the scale of rows")
	}
	factor := 2.0
	if b.plan.Squared {
		factor = 4
	}
	d, e := b.distances(m), other.distances(n)
	slack := 1e-9 * largest(e.Data)
	for i, v := range e.Data {
		if math.Abs(v-d.Data[i]) <= slack {
			continue // 0, or a method of directions
		}
		if math.Abs(v-factor*d.Data[i]) > slack {
			far := b.with(b.scaled(1 << 10))
			if grown := math.Pow(v/d.Data[i], 10); math.Abs(far.distances(far.model(b.labels)).Data[i]/d.Data[i]-grown) > 1e-6*grown {
				c.skipf("distances are no power of differences, as those by Huber's loss are not")
			}
			c.failf("the plan says Squared: %v, so that distances grow by %g when rows are scaled by 2; row %d was at %v of center %d, and is at %v",
				b.plan.Squared, factor, i/b.p.K, d.Data[i], i%b.p.K, v)
		}
	}
}

// scaled returns the rows times a factor.
func (b *bed) scaled(factor float64) sample {
	rows := b.rows
	rows.x = rows.x.Clone()
	for i := range rows.x.Data {
		rows.x.Data[i] *= factor
	}
	return rows
}

// startCenters writes centers into a new model, as a driver does with those of a
// start.
func startCenters(c *trial, s subject) {
	b := c.bed(s, want{complete: true})
	m := b.c.Begin()
	for j := range b.p.K {
		copy(m.Centers.Row(j), b.rows.x.Row(c.rand.IntN(b.p.N)))
	}
	c.given("rows as the centers of a start: %s", rowsOf(m.Centers))
	labels, d := b.assign(m, nobody(b.p.N)), b.distances(m)
	scale := largest(d.Data)
	for i, j := range labels {
		least := slices.Min(d.Row(i))
		if over := d.Row(i)[j] - least; !(over <= 1e-9*scale) {
			c.failf("row %d has the label %d at distance %v, but center %d of the start is at %v",
				i, j, d.Row(i)[j], slices.Index(d.Row(i), least), least)
		}
	}
	alone := b.again()
	other := alone.c.Begin()
	other.Centers.CopyFrom(m.Centers)
	if i := differ(alone.distances(other).Data, d.Data); i >= 0 {
		c.failf("row %d is at another distance of the same start's centers for a new clusterer", i/b.p.K)
	}
}

// units changes locations and scales of columns, which say only what fitted units
// are in original ones.
func units(c *trial, s subject) {
	b := c.bed(s, want{})
	other := *b
	other.p.Columns = slices.Clone(b.p.Columns)
	for l := range other.p.Columns {
		other.p.Columns[l].Location, other.p.Columns[l].Scale = 100*c.rand.NormFloat64(), 0.01+10*c.rand.Float64()
	}
	c.given("the columns %+v, and then %+v", b.p.Columns[:min(4, b.p.P)], other.p.Columns[:min(4, b.p.P)])
	if err := other.rebind(); err != nil {
		c.failf("New refuses other locations and scales of columns: %v", err)
	}
	m, n := b.model(b.labels), other.model(b.labels)
	b.sameModel(m, n, "other original units change the model")
	b.sameLabels(other.assign(n, b.labels), b.assign(m, b.labels), "other original units change labels")
	if i := differ(other.distances(n).Data, b.distances(m).Data); i >= 0 {
		c.failf("other original units change the distances of row %d", i/b.p.K)
	}
}

// farAway moves all rows and centers by a small number, and if that changes no
// distance, by a large one. No cell is rounded.
func farAway(c *trial, s subject) {
	b := c.bed(s, want{plain: true, complete: true})
	for i := range b.rows.x.Data {
		b.rows.x.Data[i] = float64(c.between(-8, 8))
	}
	from := make([]int, b.p.K)
	for j := range from {
		from[j] = c.rand.IntN(b.p.N)
	}
	var before framework.Matrix
	for _, by := range []float64{0, 8, 1e8} {
		rows := b.rows
		rows.x = b.rows.x.Clone()
		for i := range rows.x.Data {
			rows.x.Data[i] += by
		}
		moved := b.with(rows)
		m := moved.c.Begin()
		for j, i := range from {
			copy(m.Centers.Row(j), rows.x.Row(i))
		}
		d, slack := moved.distances(m), 1e-6*largest(before.Data)
		for i, v := range d.Data {
			switch was := before.Data; {
			case by == 0 || math.Abs(v-was[i]) <= slack:
			case by == 8:
				c.skipf("distances depend on where 0 is")
			default:
				c.failf("row %d, %v, is at distance %v of center %d, and at %v when all rows and centers are moved by %g: "+
					"squares of large numbers are rounded, so subtract before you square",
					i/b.p.K, b.rows.x.Row(i/b.p.K), was[i], i%b.p.K, v, by)
			}
		}
		before = d
	}
}
