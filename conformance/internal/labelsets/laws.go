package labelsets

import (
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	labelSet = "framework.LabelSet"
	few      = 7  // rows, of which all labels are tried
	many     = 40 // rows, of which the neighbours of labels are
)

// Laws are those of kinds of sets of labels, and of the sets they make.
var Laws = []judge.Law[Kind]{
	{Name: "labels/examples", Source: "framework.SetDescription", Once: true, Check: examples,
		Statement: "Each column that Uses names has a value in an example, and some labels break each example and others obey it."},
	{Name: "labels/feasible", Source: labelSet, Check: feasible,
		Statement: "Projected labels are in the set: their violation is 0."},
	{Name: "labels/optimal", Source: labelSet, Cases: 20, Check: optimal,
		Statement: "No labels of the set cost less than those of an exact projection, nor less than the bound of any."},
	{Name: "labels/relaxation", Source: labelSet, Cases: 20, Check: relaxation,
		Statement: "An exact projection of many rows costs what the linear program of its limits costs, if these are sums over rows."},
	{Name: "labels/neighbours", Source: labelSet, Cases: 20, Check: neighbours,
		Statement: "No move of a row, and no exchange of two, makes labels of an exact projection cheaper and stays in the set."},
	{Name: "labels/lowest", Source: labelSet, Cases: 20, Check: lowest,
		Statement: "Of several labels of least cost, an exact projection takes those that are lowest in row order."},
	{Name: "labels/cost", Source: labelSet, Check: ownCost,
		Statement: "The cost that Project returns is that of the labels, and the bound is no more; for an exact set it is the same."},
	{Name: "labels/row-order", Source: labelSet, Check: rowOrder,
		Statement: "The least cost, or the bound where the projection is not exact, does not depend on the order of the rows."},
	{Name: "labels/prices", Source: labelSet, Check: prices,
		Statement: "Prices of other costs, even senseless ones, change no labels of an exact projection, and keep those of any in the set."},
	{Name: "labels/present", Source: labelSet, Check: present,
		Statement: "Present labels change nothing that an exact set returns."},
	{Name: "labels/repeat", Source: labelSet, Check: repeat,
		Statement: "Project gives the same bits again, on any number of threads."},
	{Name: "labels/forbidden", Source: labelSet, Cases: 20, Check: forbidden,
		Statement: "A label of infinite cost is given to no row; if there is no other way, that is a Fault of class Data."},
	{Name: "labels/empty", Source: labelSet, Cases: 20, Check: empty,
		Statement: "Feasible and Project find labels where there are some, and a Fault of class Data says why where there are none."},
	{Name: "labels/violation", Source: labelSet, Check: violation,
		Statement: "Violation is the same each time, and above 0 for rows without a label."},
	{Name: "labels/limits", Source: "framework.Limit", Check: limits,
		Statement: "Labels are in the set exactly if no limit has a slack below 0."},
	{Name: "labels/equal-rows", Source: "framework.LabelKind", Check: equalRows,
		Statement: "Equal rows make equal sets, and the order of rows does not matter."},
	{Name: "labels/any-rows", Source: "framework.LabelKind", Check: anyRows,
		Statement: "Rows that are left out, doubled or without a value make a set, or a Fault of class Data that says why."},
}

func examples(c *judge.Trial, k Kind) {
	for _, column := range k.Description.Uses {
		if !slices.ContainsFunc(k.Description.Examples(), func(rows []framework.ConstraintRow) bool {
			return slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return r.Has(column) })
		}) {
			c.Failf("Uses names %s, but no row of Example or More has a value there: the laws would never see one", column)
		}
	}
	for _, rows := range k.Description.Examples() {
		set, err := k.Make(rows, framework.ExampleTable())
		if err != nil {
			c.Failf("an example makes no set: %v", err)
		}
		d := &drawn{Trial: c, kind: k, set: set, t: framework.ExampleTable()}
		d.at = d.costs(false)
		labels := d.free()
		if _, ok := d.project(set, d.at, labels); !ok {
			c.Failf("no labels obey an example")
		}
		broken := false
		for range 100 {
			for i := range labels {
				labels[i] = int32(c.Rand.IntN(d.t.K))
			}
			broken = broken || d.violation(labels) > 0
		}
		if !broken {
			c.Failf("100 random labels obey an example: it must restrict some")
		}
	}
}

func feasible(c *judge.Trial, k Kind) {
	d := draw(c, k, many, c.Rand.IntN(2) == 0)
	labels, _ := d.projected()
	if v := d.violation(labels); v != 0 {
		c.Failf("the projected labels %v violate the set by %g", labels, v)
	}
}

func optimal(c *judge.Trial, k Kind) {
	d := draw(c, k, few, c.Rand.IntN(2) == 0)
	labels, point := d.projected()
	best, least := d.least()
	cost := d.at.Total(labels)
	if point.Bound > best+slack(best) {
		c.Failf("the bound is %g, and labels %v of the set cost %g", point.Bound, least, best)
	}
	if d.set.Properties().Exact && cost > best+slack(best) {
		c.Failf("the projected labels %v cost %g, and %v of the set cost %g", labels, cost, least, best)
	}
}

func lowest(c *judge.Trial, k Kind) {
	d := draw(c, k, few, true)
	if !d.set.Properties().Exact {
		c.Skipf("the projection is not exact")
	}
	labels, _ := d.projected()
	if best, least := d.least(); !slices.Equal(least, labels) {
		c.Failf("the projected labels are %v, and the lowest of cost %g are %v", labels, best, least)
	}
}

func neighbours(c *judge.Trial, k Kind) {
	d := draw(c, k, many, c.Rand.IntN(2) == 0)
	if !d.set.Properties().Exact {
		c.Skipf("the projection is not exact")
	}
	labels, point := d.projected()
	better := func(what string, rows ...int) {
		if cost := d.at.Total(labels); cost < point.Cost-slack(cost) && d.violation(labels) == 0 {
			c.Failf("%s of rows %v makes labels of the cost %g cost %g", what, rows, point.Cost, cost)
		}
	}
	for range 60 {
		i, h := c.Rand.IntN(d.t.N), c.Rand.IntN(d.t.N)
		own, other := labels[i], labels[h]
		labels[i] = int32(c.Rand.IntN(d.t.K))
		better("a move", i)
		labels[i], labels[h] = other, own
		better("an exchange", i, h)
		labels[i], labels[h] = own, other
	}
}

func ownCost(c *judge.Trial, k Kind) {
	d := draw(c, k, many, false)
	labels, point := d.projected()
	cost := d.at.Total(labels)
	if !(math.Abs(point.Cost-cost) <= slack(cost)) {
		c.Failf("Project returns the cost %g of labels that cost %g", point.Cost, cost)
	}
	if !(point.Bound <= cost+slack(cost)) {
		c.Failf("the bound is %g, and the labels of the set cost %g", point.Bound, cost)
	}
	if d.set.Properties().Exact && !(point.Bound >= cost-slack(cost)) {
		c.Failf("the projection is exact, and its cost %g is above the bound %g", cost, point.Bound)
	}
}

func rowOrder(c *judge.Trial, k Kind) {
	d := draw(c, k, many, c.Rand.IntN(2) == 0)
	labels, point := d.projected()
	order := c.Rand.Perm(d.t.N)
	t := reordered(d.t, order)
	at := framework.LabelCosts{Costs: framework.NewMatrix(t.N, t.K), Threads: 1}
	for i, from := range order {
		copy(at.Costs.Row(i), d.at.Costs.Row(from))
	}
	other, ok := d.project(d.made(d.rows, t), at, d.free())
	if !ok {
		c.Failf("with the rows in the order %v, no labels obey; %v did", order, labels)
	}
	a, b, what := point.Bound, other.Bound, "bound"
	if d.set.Properties().Exact {
		a, b, what = point.Cost, other.Cost, "cost"
	}
	if !(math.Abs(a-b) <= slack(a)) {
		c.Failf("the %s is %g, and %g with the rows in the order %v", what, a, b, order)
	}
}

// same fails unless another projection gives the same labels and cost.
func (d *drawn) same(labels, other []int32, point, another framework.LabelPoint, what string) {
	if !slices.Equal(labels, other) || !judge.SameBits(point.Cost, another.Cost) {
		d.Failf("%s, the labels are %v of the cost %g, and not %v of the cost %g", what, other, another.Cost, labels, point.Cost)
	}
}

func prices(c *judge.Trial, k Kind) {
	d := draw(c, k, many, c.Rand.IntN(2) == 0)
	exact := d.set.Properties().Exact
	labels, point := d.projected()
	elsewhere, ok := d.project(d.set, d.costs(false), d.free())
	if !ok || elsewhere.Prices == nil {
		c.Skipf("there are no prices")
	}
	senseless := slices.Clone(elsewhere.Prices)
	for i := range senseless {
		senseless[i] = c.Rand.NormFloat64() * 1e6
	}
	for what, given := range map[string][]float64{"of the same costs": point.Prices, "of other costs": elsewhere.Prices, "drawn": senseless} {
		at, other := d.at, d.free()
		at.Prices = slices.Clone(given)
		another, found := d.project(d.set, at, other)
		if exact {
			d.same(labels, other, point, another, "with prices "+what)
		} else if found && (d.violation(other) != 0 || another.Bound > point.Cost+slack(point.Cost)) {
			c.Failf("with prices %s, the labels are %v of the bound %g, and others of the set cost %g", what, other, another.Bound, point.Cost)
		}
		if !slices.Equal(at.Prices, given) {
			c.Failf("Project has written to its prices")
		}
	}
}

func present(c *judge.Trial, k Kind) {
	d := draw(c, k, many, true)
	if !d.set.Properties().Exact {
		c.Skipf("the projection is not exact")
	}
	labels, point := d.projected()
	other := make([]int32, d.t.N)
	for i := range other {
		other[i] = int32(c.Between(-1, d.t.K-1))
	}
	another, _ := d.project(d.set, d.at, other)
	d.same(labels, other, point, another, "with other present labels")
}

func repeat(c *judge.Trial, k Kind) {
	d := draw(c, k, many, c.Rand.IntN(2) == 0)
	labels, point := d.projected()
	for _, threads := range []int{1, 0, 3} {
		at, other := d.at, d.free()
		at.Threads = threads
		another, _ := d.project(d.set, at, other)
		d.same(labels, other, point, another, "asked once more")
	}
}

func forbidden(c *judge.Trial, k Kind) {
	d := draw(c, k, few, c.Rand.IntN(2) == 0)
	for i := range d.at.Costs.Data {
		if c.Rand.IntN(3) == 0 {
			d.at.Costs.Data[i] = math.Inf(1)
		}
	}
	c.Given("and with some forbidden, costs = %v", d.at.Costs)
	labels := d.free()
	_, ok := d.project(d.set, d.at, labels)
	best, least := d.least()
	switch {
	case ok && math.IsInf(d.at.Total(labels), 1):
		c.Failf("the labels %v are projected, of which one has an infinite cost", labels)
	case !ok && least != nil && d.set.Properties().Exact:
		c.Failf("Project finds no labels; %v cost %g", least, best)
	}
}

func empty(c *judge.Trial, k Kind) {
	d := draw(c, k, few, true)
	_, least := d.least()
	err := d.set.Feasible(c.Ctx)
	_, undecided := errors.AsType[framework.Undecided](err)
	_, ok := d.project(d.set, d.at, d.free())
	f := framework.AsFault(err)
	switch {
	case err != nil && !undecided && (f == nil || f.Class != framework.Data || f.Summary == ""):
		c.Failf("Feasible returns neither nil, nor Undecided, nor a Fault of class Data that says why: %v", err)
	case err == nil && least == nil:
		c.Failf("Feasible finds labels where there are none")
	case err == nil && !ok:
		c.Failf("Feasible finds labels, and Project none; %v obey", least)
	case f != nil && least != nil:
		c.Failf("Feasible says that there are no labels (%v), but %v obey", err, least)
	case ok && least == nil:
		c.Failf("Project finds labels where there are none")
	case !ok && least != nil && d.set.Properties().Exact:
		c.Failf("Project finds no labels, but %v obey", least)
	}
}

func violation(c *judge.Trial, k Kind) {
	d := draw(c, k, many, true)
	labels := d.free()
	for i := range labels {
		labels[i] = int32(c.Rand.IntN(d.t.K))
	}
	if a, b := d.violation(labels), d.violation(labels); !judge.SameBits(a, b) {
		c.Failf("the violation of %v is %g once, and %g another time", labels, a, b)
	}
	labels[c.Rand.IntN(d.t.N)] = -1
	if d.violation(labels) == 0 {
		c.Failf("the violation of %v is 0; a row without a label obeys no set", labels)
	}
}

func limits(c *judge.Trial, k Kind) {
	d := draw(c, k, few, true)
	labels, point := d.projected()
	for range 30 {
		least := math.Inf(1)
		for _, l := range d.set.Limits(labels, point.Prices) {
			if l.Row < 0 || l.Row >= len(d.rows) || l.Cluster < -1 || l.Cluster >= d.t.K || l.Lo > l.Hi || l.Price < 0 {
				c.Failf("labels %v have the limit %+v", labels, l)
			}
			if slack := l.Slack(); slack == slack {
				least = min(least, slack)
			}
		}
		if v := d.violation(labels); (v > 0) != (least < -1e-9) {
			c.Failf("the violation of %v is %g, and the least slack of its limits %g", labels, v, least)
		}
		for i := range labels {
			labels[i] = int32(c.Rand.IntN(d.t.K))
		}
	}
}

func equalRows(c *judge.Trial, k Kind) {
	d := draw(c, k, many, true)
	labels, point := d.projected()
	rows := slices.Clone(d.rows)
	c.Rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	other := d.free()
	another, _ := d.project(d.made(rows, d.t), d.at, other)
	if d.set.Properties().Exact {
		d.same(labels, other, point, another, "with the rows of the declaration in another order")
	}
	if !(math.Abs(point.Bound-another.Bound) <= slack(point.Bound)) {
		c.Failf("the bound is %g, and %g with the rows of the declaration in another order", point.Bound, another.Bound)
	}
}

func anyRows(c *judge.Trial, k Kind) {
	d := draw(c, k, few, true)
	i := c.Rand.IntN(len(d.rows))
	var rows []framework.ConstraintRow
	switch c.Rand.IntN(3) {
	case 0:
		rows = append(slices.Clone(d.rows), d.rows[i])
	case 1:
		rows = slices.Delete(slices.Clone(d.rows), i, i+1)
	default:
		rows = slices.Clone(d.rows)
		column := k.Description.Uses[c.Rand.IntN(max(1, len(k.Description.Uses)))]
		clearColumn(&rows[i], column)
	}
	if len(rows) == 0 {
		c.Skipf("no rows")
	}
	set := d.made(rows, d.t)
	labels := d.free()
	if _, ok := d.project(set, d.at, labels); ok && set.Violation(labels) != 0 {
		c.Failf("the projected labels %v violate the set of the rows %v", labels, rows)
	}
}

func clearColumn(r *framework.ConstraintRow, column string) {
	switch column {
	case "cluster":
		r.Cluster = nil
	case "feature":
		r.Feature = nil
	case "coef":
		r.Coef = nil
	case "lo":
		r.Lo = nil
	case "hi":
		r.Hi = nil
	case "value":
		r.Value = nil
	}
}
