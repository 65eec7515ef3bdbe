package conformance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	setKind = "framework.SetKind"
	setRows = "framework.ConstraintRow"
)

// The laws of kinds of sets, which are about the rows that declare them.
var kindLaws = []law[subjectKind]{
	{Law: Law{"kind/examples", "Each column that Uses names has a value in an example, and each example moves some centers.",
		"framework.SetDescription", Core}, once: true, check: examples},
	{Law: Law{"kind/units",
		"Constraint rows are in original units: locations and scales of columns do not change which centers are in the set.",
		setKind, Core}, cases: 20, check: rowUnits},
	{Law: Law{"kind/equal-rows", "Equal rows make equal sets, and the order of rows does not matter.", setKind, Core}, cases: 20,
		check: equalRows},
	{Law: Law{"kind/every-cluster", "Rows without a cluster are about all clusters alike.", setRows, Core}, cases: 20, check: everyCluster},
	{Law: Law{"kind/names", "Rows are about the features and clusters that they name, wherever these are among how many.", setKind, Core},
		check: names},
	{Law: Law{"kind/limits", "A limit that is NULL or infinite is none, and leaves the other limit as it is.", setRows, Core}, cases: 20,
		check: limits},
	{Law: Law{"kind/any-rows", "Rows that are left out, doubled or without a value make a set, or a Fault of class Data that says why.",
		setKind, Core}, check: anyRows},
}

// refused fails unless a kind says well why it makes no set.
func (c *trial) refused(k subjectKind, err error) {
	f := framework.AsFault(err)
	if f == nil || f.Class != framework.Data || f.Summary == "" {
		c.failf("a set of kind %s is not made, and the error is no Fault of class Data that says why: %v", k.d.Kind, err)
	}
}

// made makes a set, or skips the case if the kind refuses the rows.
func (c *trial) made(k subjectKind, rows []framework.ConstraintRow, clusters int, columns []framework.Column) framework.Set {
	set, err := k.make(rows, clusters, columns)
	if err != nil {
		c.refused(k, err)
		c.skipf("the kind refuses such rows: %v", err)
	}
	return set
}

// one returns the description with one of its examples, each in turn.
func (c *trial) one(k subjectKind) subjectKind {
	all := k.d.Examples()
	k.d.Example = all[c.index%len(all)]
	c.given("a set of kind %s: %s", k.d.Kind, rowsText(k.d.Example))
	return k
}

// rowsText writes constraint rows for the report.
func rowsText(rows []framework.ConstraintRow) string {
	var all []string
	for _, r := range rows {
		text, err := r.MarshalJSON()
		if err != nil {
			text = []byte(err.Error())
		}
		all = append(all, string(text))
	}
	return strings.Join(all, ", ")
}

func examples(c *trial, k subjectKind) {
	for _, column := range k.d.Uses {
		if !slices.ContainsFunc(k.d.Examples(), func(rows []framework.ConstraintRow) bool {
			return slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return r.Has(column) })
		}) {
			c.failf("Uses names %s, but no row of Example or More has a value there: the laws would never see one", column)
		}
	}
	for _, rows := range k.d.Examples() {
		set, err := k.make(rows, framework.ExampleClusters, framework.ExampleColumns())
		if err != nil {
			c.failf("the example %s makes no set: %s", rowsText(rows), said(err))
		}
		moved := false
		for range 100 {
			x := framework.NewMatrix(framework.ExampleClusters, len(framework.ExampleColumns()))
			c.fill(x)
			moved = moved || norm(minus(c.onto(set, x), x)) > 1e-6*norm(x)
		}
		if !moved {
			c.failf("the set of %s leaves 100 random centers where they are: an example must restrict some", rowsText(rows))
		}
	}
}

// same fails unless two sets project a few points, and measure them, alike.
func (c *trial) same(a, b framework.Set, clusters, columns int, what string) {
	for range 4 {
		x := c.draft(clusters, columns)
		y, z := c.onto(a, x), c.onto(b, x)
		scale := max(norm(x), norm(y), smallest)
		if off := norm(minus(y, z)); !(off <= lengthError*scale) {
			c.failf("%s: Px is %v, and %v", what, rowsOf(y), rowsOf(z))
		}
		if u, v := a.Violation(x), b.Violation(x); !(math.Abs(u-v) <= lengthError*scale) {
			c.failf("%s: the violation of x is %g, and %g", what, u, v)
		}
	}
}

func equalRows(c *trial, k subjectKind) {
	k = c.one(k)
	rows, clusters, columns := c.like(k.d)
	first := c.made(k, rows, clusters, columns)
	other := slices.Clone(rows)
	c.rand.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	c.given("the rows %s, and in another order", rowsText(rows))
	again, err := k.make(other, clusters, columns)
	if err != nil {
		c.failf("the rows make a set in one order, but not in another: %v", err)
	}
	c.same(first, again, clusters, len(columns), "the same rows in another order")
	again, err = k.make(rows, clusters, columns)
	if err != nil {
		c.failf("the rows make a set once, but not twice: %v", err)
	}
	c.same(first, again, clusters, len(columns), "the same rows again")
}

// everyCluster exchanges clusters, which none of the rows names.
func everyCluster(c *trial, k subjectKind) {
	k = c.one(k)
	k.d.Example = slices.DeleteFunc(slices.Clone(k.d.Example), func(r framework.ConstraintRow) bool { return r.Cluster != nil })
	if len(k.d.Example) == 0 {
		c.skipf("all rows of the example name a cluster")
	}
	rows, clusters, columns := c.like(k.d)
	set := c.made(k, rows, clusters, columns)
	c.given("the rows %s, none with a cluster", rowsText(rows))
	for range 4 {
		x := c.draft(clusters, len(columns))
		order := c.rand.Perm(clusters)
		permuted := func(m framework.Matrix) framework.Matrix {
			to := m.Clone()
			for j, from := range order {
				copy(to.Row(j), m.Row(from))
			}
			return to
		}
		y, z := permuted(c.onto(set, x)), c.onto(set, permuted(x))
		scale := max(norm(x), norm(y), smallest)
		if off := norm(minus(y, z)); !(off <= lengthError*scale) {
			c.failf("no row names a cluster, but with the clusters in the order %v, Px is %v, and should be %v", order, rowsOf(z), rowsOf(y))
		}
		if u, v := set.Violation(x), set.Violation(permuted(x)); !(math.Abs(u-v) <= lengthError*scale) {
			c.failf("no row names a cluster, but the violation is %g, and %g with the clusters in the order %v", u, v, order)
		}
	}
}

// names puts the features and the clusters of the example among others, in the same order,
// where all rows name some.
func names(c *trial, k subjectKind) {
	k = c.one(k)
	rows := slices.Clone(k.d.Example)
	plain := framework.ExampleColumns()
	// among returns where the first n of more are put, and how many there are then.
	among := func(n int, more []int, named func(r framework.ConstraintRow) bool) (at []int, all int) {
		all = n
		if slices.ContainsFunc(rows, named) && !slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return !named(r) }) {
			all += c.between(0, c.size)
			if c.large() {
				all = max(n, more[len(more)-1-c.index/2%len(more)])
			}
		}
		at = c.rand.Perm(all)[:n]
		slices.Sort(at)
		if c.large() || c.rand.IntN(2) == 0 { // the last one too
			at[n-1] = all - 1
		}
		return at, all
	}
	many := [][]int{{framework.ExampleClusters}, {9, 33, 65}}
	if c.index%2 == 0 {
		many = [][]int{wide, {framework.ExampleClusters, 9}}
	}
	features, p := among(len(plain), many[0], func(r framework.ConstraintRow) bool { return r.Feature != nil })
	clusters, n := among(framework.ExampleClusters, many[1], func(r framework.ConstraintRow) bool { return r.Cluster != nil })
	columns := make([]framework.Column, p)
	for l := range columns {
		columns[l] = framework.Column{Name: fmt.Sprintf("c%d", l), Group: l, Scale: 1}
	}
	for i, r := range rows {
		if r.Cluster != nil {
			rows[i].Cluster = new(clusters[*r.Cluster])
		}
		if r.Feature != nil {
			l := slices.IndexFunc(plain, func(column framework.Column) bool { return column.Name == *r.Feature })
			rows[i].Feature = new(columns[features[l]].Name)
		}
	}
	c.given("the rows %s, for %d clusters of %d columns c0, c1, …", rowsText(rows), n, p)
	small := c.made(k, k.d.Example, framework.ExampleClusters, plain)
	large := c.made(k, rows, n, columns)
	for range 4 {
		x, wide := c.draft(framework.ExampleClusters, len(plain)), framework.NewMatrix(n, p)
		for j, to := range clusters {
			for l, at := range features {
				wide.Row(to)[at] = x.Row(j)[l]
			}
		}
		y, z := c.onto(small, x), c.onto(large, wide)
		for j, to := range clusters {
			for l, at := range features {
				if off := math.Abs(y.Row(j)[l] - z.Row(to)[at]); !(off <= lengthError*max(norm(x), norm(y), smallest)) {
					c.failf("cluster %d and column c%d are called %d and f%d in the example, where the projection has %v; here it has %v",
						to, at, j, l+1, y.Row(j)[l], z.Row(to)[at])
				}
			}
		}
	}
}

// limits compares the set of all limits with those that have only the upper or only the
// lower ones.
func limits(c *trial, k subjectKind) {
	k = c.one(k)
	if !slices.Contains(k.d.Uses, "lo") || !slices.Contains(k.d.Uses, "hi") {
		c.skipf("the kind does not use lo and hi")
	}
	rows, clusters, columns := c.like(k.d)
	limited := func(r framework.ConstraintRow) bool { return r.Lo != nil || r.Hi != nil }
	if !slices.ContainsFunc(rows, limited) {
		c.skipf("the example has no limits")
	}
	both := slices.Clone(rows)
	for i, r := range both {
		if limited(r) { // a pair of limits that allows something
			low, high := r.Lo, r.Hi
			if low == nil {
				low = new(*high - 2)
			}
			if high == nil {
				high = new(*low + 2)
			}
			both[i].Lo, both[i].Hi = low, high
		}
	}
	change := func(edit func(r *framework.ConstraintRow)) framework.Set {
		edited := slices.Clone(both)
		for i := range edited {
			if limited(both[i]) {
				edit(&edited[i])
			}
		}
		return c.made(k, edited, clusters, columns)
	}
	c.given("the rows %s, and without their lower or upper limits", rowsText(both))
	all := c.made(k, both, clusters, columns)
	lower := change(func(r *framework.ConstraintRow) { r.Hi = nil })
	upper := change(func(r *framework.ConstraintRow) { r.Lo = nil })
	c.same(lower, change(func(r *framework.ConstraintRow) { r.Hi = new(math.Inf(1)) }), clusters, len(columns),
		"with hi NULL, and with hi infinite")
	c.same(upper, change(func(r *framework.ConstraintRow) { r.Lo = new(math.Inf(-1)) }), clusters, len(columns),
		"with lo NULL, and with lo infinite")
	for range 3 {
		x := c.draft(clusters, len(columns))
		for range 10 { // to a point that keeps the limits of either kind
			x = c.onto(upper, c.onto(lower, x))
		}
		slack := lengthError * max(norm(x), 1)
		if lower.Violation(x) <= slack && upper.Violation(x) <= slack {
			if v := all.Violation(x); v > 1e3*slack {
				c.failf("y = %v keeps the lower limits alone, and the upper ones alone, but violates the set that has both by %g", rowsOf(x), v)
			}
		}
		y := c.onto(all, x)
		if u, v := lower.Violation(y), upper.Violation(y); max(u, v) > slack {
			c.failf("y = %v is in the set, but violates its lower limits alone by %g, and its upper ones by %g", rowsOf(y), u, v)
		}
	}
}

// anyRows gives a kind what users write.
func anyRows(c *trial, k subjectKind) {
	k = c.one(k)
	rows, clusters, columns := c.like(k.d)
	var left []framework.ConstraintRow
	for _, r := range rows {
		switch c.rand.IntN(6) {
		case 0: // left out
		case 1:
			left = append(left, r, r)
		case 2:
			left = append(left, without(r, framework.SetColumns[c.rand.IntN(len(framework.SetColumns))]))
		default:
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		left = rows[:1]
	}
	c.given("the rows %s", rowsText(left))
	set, err := k.make(left, clusters, columns)
	if err != nil {
		c.refused(k, err)
		return
	}
	p := &projected{trial: c, set: set, at: framework.Point{X: c.draft(clusters, len(columns))}}
	p.y = p.project(p.at)
	if v := p.violation(p.y); v > lengthError*max(norm(p.at.X), norm(p.y), smallest) {
		c.failf("Px = %v violates the set by %g", rowsOf(p.y), v)
	}
}

// without returns the row with NULL in a column.
func without(r framework.ConstraintRow, column string) framework.ConstraintRow {
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
	default:
		panic(fmt.Sprintf("no column %q", column))
	}
	return r
}

// rowUnits carries centers from one space to the other. Where columns have a
// location, the rounding of original values is allowed for.
func rowUnits(c *trial, k subjectKind) {
	k = c.one(k)
	plain, columns := framework.ExampleColumns(), framework.ExampleColumns()
	var scales, locations []float64
	for l := range columns {
		columns[l].Location, columns[l].Scale = 4*c.rand.NormFloat64(), 0.25+3*c.rand.Float64()
		scales, locations = append(scales, columns[l].Scale), append(locations, columns[l].Location)
	}
	scaledSet, err := k.make(k.d.Example, framework.ExampleClusters, columns)
	if err != nil {
		c.refused(k, err)
		c.skipf("the kind takes columns as they were only: %v", err)
	}
	plainSet := c.made(k, k.d.Example, framework.ExampleClusters, plain)
	c.given("columns of location %v and scale %v", locations, scales)
	x := c.draft(framework.ExampleClusters, len(columns))
	to := func(m framework.Matrix, value func(v float64, l int) float64) framework.Matrix {
		y := m.Clone()
		for i, v := range m.Data {
			y.Data[i] = value(v, i%m.Cols)
		}
		return y
	}
	original := func(v float64, l int) float64 { return locations[l] + v*scales[l] }
	fitted := func(v float64, l int) float64 { return (v - locations[l]) / scales[l] }
	// Rounding is relative to the largest number in play: a location in units of
	// the smallest scale, or an entry in those of the largest.
	scale := 0.0
	for l := range columns {
		scale = max(scale, math.Abs(locations[l]), math.Abs(locations[l]/scales[l]))
	}
	const widest = 4 // above the largest scale, and 1 over the smallest
	y := c.onto(scaledSet, x)
	if v := plainSet.Violation(to(y, original)); !(v <= lengthError*widest*(scale+norm(x)+norm(y))) {
		c.failf("y = %v is the projection of x, but its original %v is %g from the set of columns as they were",
			rowsOf(y), rowsOf(to(y, original)), v)
	}
	z := c.onto(plainSet, x)
	if v := scaledSet.Violation(to(z, fitted)); !(v <= lengthError*widest*(scale+norm(x)+norm(z))) {
		c.failf("%v is the projection of x in columns as they were, but fitted, %v, it is %g from the set", rowsOf(z), rowsOf(to(z, fitted)), v)
	}
}
