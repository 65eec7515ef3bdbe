package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// degenerate tries problems at the edges of what is allowed.
func degenerate(c *judge.Trial, s testbed.Subject) {
	kinds := []struct {
		what    string
		n, p, k int
		cell    func(i, l int) float64
	}{
		{"one row", 1, 3, 1, func(_, l int) float64 { return float64(l) }},
		{"one cluster", 9, 3, 1, nil},
		{"one feature", 9, 1, 3, nil},
		{"as many clusters as rows", 6, 2, 6, nil},
		{"all rows equal", 8, 3, 3, func(_, l int) float64 { return float64(l) }},
		{"all cells 0", 8, 3, 3, func(int, int) float64 { return 0 }},
		{"fewer different rows than clusters", 8, 2, 3, func(i, _ int) float64 { return float64(i % 2) }},
		{"huge numbers", 8, 2, 2, func(i, l int) float64 { return 1e150 * float64(1-i%2*2) * float64(1+l) }},
		{"tiny numbers", 8, 2, 2, func(i, l int) float64 { return 1e-160 * float64(i%3) * float64(1+l) }},
	}
	kind := kinds[c.Index%len(kinds)]
	c.Index /= len(kinds)
	d := testbed.Describe(c, s)
	rows := cases.Sample{X: cases.Cells(c, kind.n, kind.p, 2, false), BlockRows: 3}
	if kind.cell != nil {
		for i := range rows.X.Data {
			rows.X.Data[i] = kind.cell(i/kind.p, i%kind.p)
		}
	}
	texts := cases.Params(c, d, kind.p, cases.Tries)
	params, err := d.Resolve(texts)
	c.Must(err)
	b := &testbed.Bed{Trial: c, Subject: s, Description: d, Texts: texts,
		Problem: framework.Problem{K: kind.k, Params: params, Seed: c.Number}}
	c.Given("%s", kind.what)
	if b.Bind(rows) != nil {
		return // refused with a Fault, which is allowed
	}
	b.Labels = b.Start()
	b.Tell()
	res, err := b.Fit(testbed.StartFrom(b.Labels), b.Settings(1))
	if err != nil {
		return
	}
	if judge.NotFinite(res.Objective) {
		c.Failf("the objective is %v", res.Objective)
	}
	if slices.Min(res.Labels) < -1 || int(slices.Max(res.Labels)) >= kind.k {
		c.Failf("labels %v for %d clusters", res.Labels, kind.k)
	}
	if slices.ContainsFunc(res.Model.Centers.Data, judge.NotFinite) {
		c.Failf("the centers are %v", judge.RowsOf(res.Model.Centers))
	}
}

func emptyCluster(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(4, 4+2*c.Size), c.Between(1, 4), c.Between(2, 4)
	}})
	gone := int32(c.Rand.IntN(b.K))
	labels := slices.Clone(b.Labels)
	for i, j := range labels {
		if j == gone {
			labels[i] = (gone + 1) % int32(b.K)
		}
	}
	c.Given("no row of cluster %d: labels %v", gone, labels)
	m := b.Clusterer.Begin()
	for range 3 {
		step := b.Update(m, labels)
		if judge.NotFinite(step.Objective) {
			c.Failf("the objective is %v", step.Objective)
		}
		if len(step.Mass) == b.K && step.Mass[gone] != 0 {
			c.Failf("the mass of the cluster without rows is %v", step.Mass[gone])
		}
		b.Project(m, step)
		if slices.ContainsFunc(m.Centers.Data, judge.NotFinite) {
			c.Failf("the centers are %v: that of a cluster without rows must be finite", judge.RowsOf(m.Centers))
		}
	}
	b.Assign(m, labels)
	emptied(b, labels, gone)
}

// emptied moves the rows of a cluster away, as a driver does. Sums of weights such as
// 0.1 leave a rest then, which is no row.
func emptied(b *testbed.Bed, labels []int32, gone int32) {
	rows := b.Rows
	rows.Weights = make([]float64, b.N)
	for i := range rows.Weights {
		rows.Weights[i] = float64(b.Between(1, 9)) / 10
	}
	b.Given("the rows of cluster %d are moved away, with the weights %v", gone, rows.Weights)
	w := b.With(rows)
	m := w.Model(b.Labels)
	anew := w.Collect(labels)
	moved := w.CollectFrom(b.Labels, labels, w.Collect(b.Labels))
	want := w.UpdateFrom(m, anew, labels)
	if want.At[framework.Centers] == nil {
		return
	}
	x := want.At[framework.Centers].X.Clone()
	got := w.UpdateFrom(m, moved, labels)
	scale := max(1, judge.Largest(b.Rows.Observed()), judge.Largest(x.Data))
	for l, v := range got.At[framework.Centers].X.Row(int(gone)) {
		if d := math.Abs(v - x.Row(int(gone))[l]); !(d <= 1e-6*scale) {
			b.Failf("cluster %d has lost its rows, and its point has %v in column %d; it has %v if the statistics are collected anew: "+
				"a rest of rounding is taken for rows", gone, v, l, x.Row(int(gone))[l])
		}
	}
}

// finite looks at a model some rounds after the start. Its centers are near the
// rows, where a square that is computed in expanded form can fall below 0.
func finite(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m, labels := b.Rounds(someRounds, true)
	step := b.Update(m, labels)
	if judge.NotFinite(step.Objective) {
		c.Failf("the objective is %v", step.Objective)
	}
	for _, v := range slices.Concat(m.Centers.Data, m.FeatureWeights, m.Gain) {
		if judge.NotFinite(v) {
			c.Failf("the model has the number %v: centers %v, feature weights %v, gains %v", v, judge.RowsOf(m.Centers), m.FeatureWeights, m.Gain)
		}
	}
	for i, v := range b.Distances(m).Data {
		if !(v >= 0) || math.IsInf(v, 0) {
			c.Failf("row %d, %v, is at distance %v of center %d", i/b.K, b.Rows.X.Row(i/b.K), v, i%b.K)
		}
	}
}
