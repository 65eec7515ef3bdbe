// Package labelsets holds the laws of sets of labels, and of the kinds that make them.
package labelsets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// A Kind is a kind of sets of labels to be checked.
type Kind struct {
	Description framework.SetDescription
	Make        func(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error)
}

// A drawn is a set of labels, with what it was made of, and costs.
type drawn struct {
	*judge.Trial
	kind Kind
	rows []framework.ConstraintRow
	set  framework.LabelSet
	t    framework.LabelTable
	at   framework.LabelCosts
}

// draw makes a set like one of the examples, for a table of up to so many rows. whole
// says that costs are whole numbers, so that there are ties and no rounding.
func draw(c *judge.Trial, k Kind, most int, whole bool) *drawn {
	examples := k.Description.Examples()
	d := &drawn{Trial: c, kind: k, rows: slices.Clone(examples[c.Index%len(examples)])}
	d.t = framework.ExampleTable()
	if c.Rand.IntN(4) > 0 {
		d.t = table(c, c.Between(2, min(most, 3+c.Size/2)))
		features := c.Rand.Perm(len(d.t.Columns))
		clusters := c.Rand.Perm(d.t.K)
		for i, r := range d.rows {
			if r.Cluster != nil {
				d.rows[i].Cluster = new(clusters[*r.Cluster])
			}
			if r.Feature != nil && c.Rand.IntN(2) == 0 {
				var l int
				_, _ = fmt.Sscanf(*r.Feature, "f%d", &l)
				d.rows[i].Feature = new(d.t.Columns[features[l-1]].Name)
			}
		}
	} else if most < d.t.N {
		d.t = cut(d.t, most)
	}
	var text []string
	for _, r := range d.rows {
		line, err := r.MarshalJSON()
		c.Must(err)
		text = append(text, string(line))
	}
	c.Given("a set of labels of kind %s: %s", k.Description.Kind, strings.Join(text, ", "))
	for _, column := range d.t.Columns {
		c.Given("column %s = %v", column.Name, column.Numbers)
	}
	d.set = d.made(d.rows, d.t)
	d.at = d.costs(whole)
	c.Given("costs = %v", d.at.Costs)
	return d
}

// table draws a table of n rows: small whole numbers, with a NULL now and then.
func table(c *judge.Trial, n int) framework.LabelTable {
	t := framework.LabelTable{N: n, K: framework.ExampleClusters}
	for l := range framework.ExampleColumns() {
		numbers := make([]float64, n)
		for i := range numbers {
			if numbers[i] = float64(c.Rand.IntN(4)); l == 4 && c.Rand.IntN(6) == 0 {
				numbers[i] = math.NaN()
			}
		}
		t.Columns = append(t.Columns, framework.NewLabelColumn(fmt.Sprintf("f%d", l+1), numbers))
	}
	return t
}

// cut returns the first n rows of a table.
func cut(t framework.LabelTable, n int) framework.LabelTable {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return reordered(t, order)
}

// reordered returns a table whose row i is row order[i] of t.
func reordered(t framework.LabelTable, order []int) framework.LabelTable {
	out := framework.LabelTable{N: len(order), K: t.K}
	for _, column := range t.Columns {
		numbers := make([]float64, len(order))
		for i, from := range order {
			numbers[i] = column.Numbers[from]
		}
		out.Columns = append(out.Columns, framework.NewLabelColumn(column.Name, numbers))
	}
	return out
}

// made makes a set, or skips the case if the kind refuses the rows.
func (d *drawn) made(rows []framework.ConstraintRow, t framework.LabelTable) framework.LabelSet {
	set, err := d.kind.Make(rows, t)
	if err == nil {
		return set
	}
	if f := framework.AsFault(err); f == nil || f.Class != framework.Data || f.Summary == "" {
		d.Failf("the set is not made, and the error is no Fault of class Data that says why: %v", err)
	}
	d.Skipf("the kind refuses such rows: %v", err)
	return nil
}

// costs draws costs.
func (d *drawn) costs(whole bool) framework.LabelCosts {
	at := framework.LabelCosts{Costs: framework.NewMatrix(d.t.N, d.t.K), Threads: 1}
	for i := range at.Costs.Data {
		if whole {
			at.Costs.Data[i] = float64(d.Rand.IntN(4))
		} else {
			at.Costs.Data[i] = d.Rand.ExpFloat64()
		}
	}
	return at
}

// project projects labels, −1 at first. ok is false if none obey, of which the case can say no more.
func (d *drawn) project(set framework.LabelSet, at framework.LabelCosts, labels []int32) (framework.LabelPoint, bool) {
	given := at.Costs.Clone()
	before := slices.Clone(labels)
	point, err := set.Project(d.Ctx, labels, at)
	if judge.Differ(given.Data, at.Costs.Data) >= 0 {
		d.Failf("Project has written to the costs")
	}
	if err != nil {
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data || f.Summary == "" {
			d.Failf("Project fails, and the error is no Fault of class Data that says why: %v", err)
		}
		if !slices.Equal(before, labels) {
			d.Failf("Project fails with %q, and has changed the labels %v to %v", err, before, labels)
		}
		return point, false
	}
	for i, j := range labels {
		if j < 0 || int(j) >= d.t.K {
			d.Failf("Project gives row %d the label %d of %d clusters", i, j, d.t.K)
		}
	}
	return point, true
}

// free returns labels of no cluster.
func (d *drawn) free() []int32 { return slices.Repeat([]int32{-1}, d.t.N) }

// projected projects the drawn costs, or skips the case if no labels obey.
func (d *drawn) projected() ([]int32, framework.LabelPoint) {
	labels := d.free()
	point, ok := d.project(d.set, d.at, labels)
	if !ok {
		d.Skipf("no labels obey")
	}
	return labels, point
}

// all calls yield for all labels that obey, in their order, the lowest first.
func (d *drawn) all(yield func(labels []int32)) {
	labels := make([]int32, d.t.N)
	for {
		if d.violation(labels) == 0 {
			yield(labels)
		}
		i := len(labels) - 1
		for ; i >= 0; i-- {
			if labels[i]++; int(labels[i]) < d.t.K {
				break
			}
			labels[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// violation is that of the set, which must be a number from 0.
func (d *drawn) violation(labels []int32) float64 {
	given := slices.Clone(labels)
	v := d.set.Violation(labels)
	if !(v >= 0) {
		d.Failf("the violation of %v is %g", labels, v)
	}
	if !slices.Equal(given, labels) {
		d.Failf("Violation has written to the labels %v", given)
	}
	return v
}

// least returns the least cost of labels that obey, and the lowest labels that have
// it; nil: none obey.
func (d *drawn) least() (cost float64, lowest []int32) {
	cost = math.Inf(1)
	d.all(func(labels []int32) {
		if v := d.at.Total(labels); v < cost {
			cost, lowest = v, slices.Clone(labels)
		}
	})
	return cost, lowest
}

// slack is how much of a cost may be rounding.
func slack(cost float64) float64 { return 1e-9 * (1 + math.Abs(cost)) }
