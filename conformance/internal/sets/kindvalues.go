package sets

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// anyRows gives a kind what users write.
func anyRows(c *judge.Trial, k Kind) {
	k = one(c, k)
	rows, clusters, columns := cases.Like(c, k.Description)
	var left []framework.ConstraintRow
	for _, r := range rows {
		switch c.Rand.IntN(6) {
		case 0: // left out
		case 1:
			left = append(left, r, r)
		case 2:
			left = append(left, without(r, framework.SetColumns[c.Rand.IntN(len(framework.SetColumns))]))
		default:
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		left = rows[:1]
	}
	c.Given("the rows %s", rowsText(left))
	set, err := k.Make(left, clusters, columns)
	if err != nil {
		refused(c, k, err)
		return
	}
	p := &projected{Trial: c, set: set, at: framework.Point{X: cases.Draft(c, clusters, len(columns))}}
	p.y = p.project(p.at)
	if v := p.violation(p.y); v > lengthError*max(norm(p.at.X), norm(p.y), smallest) {
		c.Failf("Px = %v violates the set by %g", judge.RowsOf(p.y), v)
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
func rowUnits(c *judge.Trial, k Kind) {
	k = one(c, k)
	plain, columns := framework.ExampleColumns(), framework.ExampleColumns()
	var scales, locations []float64
	for l := range columns {
		columns[l].Location, columns[l].Scale = 4*c.Rand.NormFloat64(), 0.25+3*c.Rand.Float64()
		scales, locations = append(scales, columns[l].Scale), append(locations, columns[l].Location)
	}
	scaledSet, err := k.Make(k.Description.Example, framework.ExampleClusters, columns)
	if err != nil {
		refused(c, k, err)
		c.Skipf("the kind takes columns as they were only: %v", err)
	}
	plainSet := made(c, k, k.Description.Example, framework.ExampleClusters, plain)
	c.Given("columns of location %v and scale %v", locations, scales)
	x := cases.Draft(c, framework.ExampleClusters, len(columns))
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
	y := Onto(c, scaledSet, x)
	if v := plainSet.Violation(to(y, original)); !(v <= lengthError*widest*(scale+norm(x)+norm(y))) {
		c.Failf("y = %v is the projection of x, but its original %v is %g from the set of columns as they were",
			judge.RowsOf(y), judge.RowsOf(to(y, original)), v)
	}
	z := Onto(c, plainSet, x)
	if v := scaledSet.Violation(to(z, fitted)); !(v <= lengthError*widest*(scale+norm(x)+norm(z))) {
		c.Failf("%v is the projection of x in columns as they were, but fitted, %v, it is %g from the set",
			judge.RowsOf(z), judge.RowsOf(to(z, fitted)), v)
	}
}
