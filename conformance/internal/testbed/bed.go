// Package testbed binds an algorithm to a problem that is drawn, does the steps of a
// fit, one by one or all, and compares what comes out.
package testbed

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Want says what kind of problem a law needs.
type Want struct {
	Smooth   bool // real numbers without ties instead of small whole ones
	Complete bool // no missing cells
	Plain    bool // no row weights
	Missing  bool // some cells are missing; the case is skipped if the algorithm takes none
	Shape    func(c *judge.Trial) (n, p, k int)
}

// A Bed is a problem with the algorithm bound to it: all that a law needs.
type Bed struct {
	*judge.Trial
	Subject     Subject
	Description framework.Description
	Texts       map[string]string // parameters
	framework.Problem
	Rows      cases.Sample
	Clusterer framework.Clusterer
	Plan      framework.Plan
	Data      *matrix.Data
	Labels    []int32         // a start in which every cluster has rows, if there are enough
	groups    int             // of features; 0: none
	Part      *framework.Part // of a row, in what is collected; nil: all rows are whole
}

// Draw draws a problem and binds the algorithm to it.
func Draw(c *judge.Trial, s Subject, w Want) *Bed {
	d := Describe(c, s)
	var refused error
	for try := range cases.Tries {
		n, k := c.Between(2, 2+2*c.Size), c.Between(1, min(4, 1+c.Size/4))
		p := c.Between(1, min(6, 1+c.Size/4))
		block := c.Between(1+n/12, n)
		if w.Shape != nil {
			n, p, k = w.Shape(c)
			block = c.Between(1+n/12, n)
		} else if cases.Grown(c) {
			n, p, k, block = cases.LifeSize(c)
		}
		texts := cases.Params(c, d, p, try)
		rows := cases.Sample{X: cases.Cells(c, n, p, k, w.Smooth), BlockRows: block}
		if w.Shape == nil && !w.Smooth {
			cases.Rescale(c, rows.X)
		}
		if w.Missing && !d.Missing {
			c.Skipf("the algorithm takes no missing cells")
		}
		if w.Missing || d.Missing && !w.Complete && try < cases.Tries/2 && c.Rand.IntN(3) == 0 {
			cases.Lose(c, rows.X)
		}
		normalised := matrix.Recipe{Scaling: matrix.Scaling{Norm: d.Norm}} // the rows that the algorithm is for
		for i := range rows.X.Rows {
			normalised.Normalise(rows.X.Row(i))
		}
		if !w.Plain && c.Rand.IntN(5) < 2 {
			rows.Weights = cases.Weights(c, n)
		}
		params, err := d.Resolve(texts)
		if err != nil {
			c.Failf("the parameters %v, made from its own description, are refused: %v", texts, err)
		}
		b := &Bed{Trial: c, Subject: s, Description: d, Texts: texts}
		b.Problem = framework.Problem{N: n, P: p, K: min(k, n), Params: params, Seed: c.Number}
		if d.Groups && c.Rand.IntN(2) == 0 {
			b.groups = c.Between(1, p)
		}
		if refused = b.Bind(rows); refused == nil {
			b.Labels = b.Start()
			b.Tell()
			return b
		}
	}
	c.Skipf("the algorithm refuses what is drawn: %v", refused)
	return nil
}

// With binds the algorithm to other rows, with the same parameters.
func (b *Bed) With(rows cases.Sample) *Bed {
	other := *b
	if err := other.Bind(rows); err != nil {
		b.Failf("New takes the rows, but not %d × %d of them in another form: %v", rows.X.Rows, rows.X.Cols, err)
	}
	return &other
}

// Bind binds the algorithm to rows. The error is a refusal.
func (b *Bed) Bind(rows cases.Sample) error {
	b.Rows = rows
	b.N, b.P = rows.X.Rows, rows.X.Cols
	b.Columns, b.Weighted, b.Sparse = cases.ColumnsOf(rows), rows.Weights != nil, rows.Base != nil
	b.Mass = 0
	for i := range b.N {
		b.Mass += rows.Weight(i)
	}
	b.group()
	return b.Rebind()
}

// group deals the features out to groups in turn, so that features of a group are
// not adjacent.
func (b *Bed) group() {
	if b.groups == 0 {
		return
	}
	b.Groups = make([]framework.Group, min(b.groups, b.P))
	for g := range b.Groups {
		b.Groups[g] = framework.Group{Name: fmt.Sprintf("g%d", g), Weight: math.NaN()}
	}
	for l := range b.Columns {
		b.Columns[l].Group = l % len(b.Groups)
	}
}

// Rebind makes a new clusterer for the problem.
func (b *Bed) Rebind() error {
	c, data, end, err := b.Subject.Open(b.Problem, b.Rows)
	if f := framework.AsFault(err); f != nil && f.Class != framework.Plugin {
		return f
	} else if err != nil {
		b.Failf("New fails with %v; what data or a user can cause must be a Fault", err)
	}
	b.AtEnd(end)
	b.Clusterer, b.Data, b.Plan = c, data, c.Plan()
	return nil
}

// Without returns the same problem without a part of it.
func (b *Bed) Without(what string, remove func(p *framework.Problem)) *Bed {
	other := *b
	remove(&other.Problem)
	if err := other.Rebind(); err != nil {
		b.Failf("New refuses the problem without its %s: %v", what, err)
	}
	return &other
}

// Again returns the same problem with a clusterer of its own.
func (b *Bed) Again() *Bed {
	other := *b
	if err := other.Rebind(); err != nil {
		b.Failf("New takes a problem once, but not twice: %v", err)
	}
	return &other
}

// Tell describes the problem for the report.
func (b *Bed) Tell() {
	var params string
	for _, name := range b.Params.Names() {
		params += fmt.Sprintf(" %s=%v", name, b.Params[name])
	}
	b.Given("algorithm %s%s, k = %d, seed %d", b.Description.Name, params, b.K, b.Seed)
	if b.Groups != nil {
		b.Given("feature l is in group l mod %d", len(b.Groups))
	}
	const few = 12
	x := b.Rows.X
	if x.Rows > few {
		b.Given("%d rows of %d features in blocks of %d, the first of them %v", x.Rows, x.Cols, b.Rows.BlockRows, x.Slice(0, few))
	} else {
		b.Given("%d rows of %d features in blocks of %d: %v", x.Rows, x.Cols, b.Rows.BlockRows, x)
	}
	if w := b.Rows.Weights; w != nil {
		b.Given("row weights %v", w[:min(len(w), 4*few)])
	}
	b.Given("start labels %v", b.Labels[:min(len(b.Labels), 4*few)])
}

// Cut returns the same rows in blocks of another size.
func (b *Bed) Cut(size int) *Bed {
	rows := b.Rows
	rows.BlockRows = size
	return b.With(rows)
}

// Start draws labels. Every cluster gets a row of positive weight if there are
// enough such rows.
func (b *Bed) Start() []int32 {
	labels := make([]int32, b.N)
	for i := range labels {
		labels[i] = int32(b.Rand.IntN(b.K))
	}
	j := 0
	for _, i := range b.Rand.Perm(b.N) {
		if j < b.K && b.Rows.Weight(i) > 0 {
			labels[i] = int32(j)
			j++
		}
	}
	return labels
}

// Nobody returns labels of rows that are in no cluster.
func Nobody(n int) []int32 { return slices.Repeat([]int32{-1}, n) }

// Masses returns the weight of each cluster's rows.
func (b *Bed) Masses(labels []int32) []float64 {
	mass := make([]float64, b.K)
	for i, j := range labels {
		mass[j] += b.Rows.Weight(i)
	}
	return mass
}

// Extent is the largest absolute value of a cell.
func (b *Bed) Extent() (most float64) {
	for _, column := range b.Columns {
		most = max(most, math.Abs(column.Min), math.Abs(column.Max))
	}
	return most
}

// Total is the scale of rounding errors: the sum of all rows' losses to the origin.
func (b *Bed) Total() float64 {
	var squares, sizes float64
	for i, v := range b.Rows.X.Data {
		if v == v {
			w := b.Rows.Weight(i / b.Rows.X.Cols)
			squares, sizes = squares+w*v*v, sizes+w*math.Abs(v)
		}
	}
	if b.Plan.Squared && b.Description.Trims { // there is nothing but squares in the objective
		return squares
	}
	return b.Mass + squares + sizes // distances without a unit are about 1
}
