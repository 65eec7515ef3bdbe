package sets

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

func equalRows(c *judge.Trial, k Kind) {
	k = one(c, k)
	rows, clusters, columns := cases.Like(c, k.Description)
	first := made(c, k, rows, clusters, columns)
	other := slices.Clone(rows)
	c.Rand.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	c.Given("the rows %s, and in another order", rowsText(rows))
	again, err := k.Make(other, clusters, columns)
	if err != nil {
		c.Failf("the rows make a set in one order, but not in another: %v", err)
	}
	same(c, first, again, clusters, len(columns), "the same rows in another order")
	again, err = k.Make(rows, clusters, columns)
	if err != nil {
		c.Failf("the rows make a set once, but not twice: %v", err)
	}
	same(c, first, again, clusters, len(columns), "the same rows again")
}

// everyCluster exchanges clusters, which none of the rows names.
func everyCluster(c *judge.Trial, k Kind) {
	k = one(c, k)
	k.Description.Example = slices.DeleteFunc(slices.Clone(k.Description.Example),
		func(r framework.ConstraintRow) bool { return r.Cluster != nil })
	if len(k.Description.Example) == 0 {
		c.Skipf("all rows of the example name a cluster")
	}
	rows, clusters, columns := cases.Like(c, k.Description)
	set := made(c, k, rows, clusters, columns)
	c.Given("the rows %s, none with a cluster", rowsText(rows))
	for range 4 {
		x := cases.Draft(c, clusters, len(columns))
		order := c.Rand.Perm(clusters)
		permuted := func(m framework.Matrix) framework.Matrix {
			to := m.Clone()
			for j, from := range order {
				copy(to.Row(j), m.Row(from))
			}
			return to
		}
		y, z := permuted(Onto(c, set, x)), Onto(c, set, permuted(x))
		scale := max(norm(x), norm(y), smallest)
		if off := norm(minus(y, z)); !(off <= lengthError*scale) {
			c.Failf("no row names a cluster, but with the clusters in the order %v, Px is %v, and should be %v",
				order, judge.RowsOf(z), judge.RowsOf(y))
		}
		if u, v := set.Violation(x), set.Violation(permuted(x)); !(math.Abs(u-v) <= lengthError*scale) {
			c.Failf("no row names a cluster, but the violation is %g, and %g with the clusters in the order %v", u, v, order)
		}
	}
}

// names puts the features and the clusters of the example among others, in the same order,
// where all rows name some.
func names(c *judge.Trial, k Kind) {
	k = one(c, k)
	rows := slices.Clone(k.Description.Example)
	plain := framework.ExampleColumns()
	// among returns where the first n of more are put, and how many there are then.
	among := func(n int, more []int, named func(r framework.ConstraintRow) bool) (at []int, all int) {
		all = n
		if slices.ContainsFunc(rows, named) && !slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return !named(r) }) {
			all += c.Between(0, c.Size)
			if c.Large() {
				all = max(n, more[len(more)-1-c.Index/2%len(more)])
			}
		}
		at = c.Rand.Perm(all)[:n]
		slices.Sort(at)
		if c.Large() || c.Rand.IntN(2) == 0 { // the last one too
			at[n-1] = all - 1
		}
		return at, all
	}
	many := [][]int{{framework.ExampleClusters}, {9, 33, 65}}
	if c.Index%2 == 0 {
		many = [][]int{cases.Wide, {framework.ExampleClusters, 9}}
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
	c.Given("the rows %s, for %d clusters of %d columns c0, c1, …", rowsText(rows), n, p)
	small := made(c, k, k.Description.Example, framework.ExampleClusters, plain)
	large := made(c, k, rows, n, columns)
	for range 4 {
		x, wide := cases.Draft(c, framework.ExampleClusters, len(plain)), framework.NewMatrix(n, p)
		for j, to := range clusters {
			for l, at := range features {
				wide.Row(to)[at] = x.Row(j)[l]
			}
		}
		y, z := Onto(c, small, x), Onto(c, large, wide)
		for j, to := range clusters {
			for l, at := range features {
				if off := math.Abs(y.Row(j)[l] - z.Row(to)[at]); !(off <= lengthError*max(norm(x), norm(y), smallest)) {
					c.Failf("cluster %d and column c%d are called %d and f%d in the example, where the projection has %v; here it has %v",
						to, at, j, l+1, y.Row(j)[l], z.Row(to)[at])
				}
			}
		}
	}
}

// limits compares the set of all limits with those that have only the upper or only the
// lower ones.
func limits(c *judge.Trial, k Kind) {
	k = one(c, k)
	if !slices.Contains(k.Description.Uses, "lo") || !slices.Contains(k.Description.Uses, "hi") {
		c.Skipf("the kind does not use lo and hi")
	}
	rows, clusters, columns := cases.Like(c, k.Description)
	limited := func(r framework.ConstraintRow) bool { return r.Lo != nil || r.Hi != nil }
	if !slices.ContainsFunc(rows, limited) {
		c.Skipf("the example has no limits")
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
		return made(c, k, edited, clusters, columns)
	}
	c.Given("the rows %s, and without their lower or upper limits", rowsText(both))
	all := made(c, k, both, clusters, columns)
	lower := change(func(r *framework.ConstraintRow) { r.Hi = nil })
	upper := change(func(r *framework.ConstraintRow) { r.Lo = nil })
	same(c, lower, change(func(r *framework.ConstraintRow) { r.Hi = new(math.Inf(1)) }), clusters, len(columns),
		"with hi NULL, and with hi infinite")
	same(c, upper, change(func(r *framework.ConstraintRow) { r.Lo = new(math.Inf(-1)) }), clusters, len(columns),
		"with lo NULL, and with lo infinite")
	for range 3 {
		x := cases.Draft(c, clusters, len(columns))
		for range 10 { // to a point that keeps the limits of either kind
			x = Onto(c, upper, Onto(c, lower, x))
		}
		slack := lengthError * max(norm(x), 1)
		if lower.Violation(x) <= slack && upper.Violation(x) <= slack {
			if v := all.Violation(x); v > 1e3*slack {
				c.Failf("y = %v keeps the lower limits alone, and the upper ones alone, but violates the set that has both by %g", judge.RowsOf(x), v)
			}
		}
		y := Onto(c, all, x)
		if u, v := lower.Violation(y), upper.Violation(y); max(u, v) > slack {
			c.Failf("y = %v is in the set, but violates its lower limits alone by %g, and its upper ones by %g", judge.RowsOf(y), u, v)
		}
	}
}
