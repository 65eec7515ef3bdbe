package sets

import (
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

const (
	setKind = "framework.SetKind"
	setRows = "framework.ConstraintRow"
)

// KindLaws are the laws of kinds of sets, which are about the rows that declare them.
var KindLaws = []judge.Law[Kind]{
	{Name: "kind/examples", Source: "framework.SetDescription", Once: true, Check: examples,
		Statement: "Each column that Uses names has a value in an example, and each example moves some centers."},
	{Name: "kind/units", Source: setKind, Cases: 20, Check: rowUnits,
		Statement: "Constraint rows are in original units: locations and scales of columns do not change which centers are in the set."},
	{Name: "kind/equal-rows", Source: setKind, Cases: 20, Check: equalRows,
		Statement: "Equal rows make equal sets, and the order of rows does not matter."},
	{Name: "kind/every-cluster", Source: setRows, Cases: 20, Check: everyCluster,
		Statement: "Rows without a cluster are about all clusters alike."},
	{Name: "kind/names", Source: setKind, Check: names,
		Statement: "Rows are about the features and clusters that they name, wherever these are among how many."},
	{Name: "kind/limits", Source: setRows, Cases: 20, Check: limits,
		Statement: "A limit that is NULL or infinite is none, and leaves the other limit as it is."},
	{Name: "kind/any-rows", Source: setKind, Check: anyRows,
		Statement: "Rows that are left out, doubled or without a value make a set, or a Fault of class Data that says why."},
}

// refused fails unless a kind says well why it makes no set.
func refused(c *judge.Trial, k Kind, err error) {
	f := framework.AsFault(err)
	if f == nil || f.Class != framework.Data || f.Summary == "" {
		c.Failf("a set of kind %s is not made, and the error is no Fault of class Data that says why: %v", k.Description.Kind, err)
	}
}

// made makes a set, or skips the case if the kind refuses the rows.
func made(c *judge.Trial, k Kind, rows []framework.ConstraintRow, clusters int, columns []framework.Column) framework.Set {
	set, err := k.Make(rows, clusters, columns)
	if err != nil {
		refused(c, k, err)
		c.Skipf("the kind refuses such rows: %v", err)
	}
	return set
}

// one returns the description with one of its examples, each in turn.
func one(c *judge.Trial, k Kind) Kind {
	all := k.Description.Examples()
	k.Description.Example = all[c.Index%len(all)]
	c.Given("a set of kind %s: %s", k.Description.Kind, rowsText(k.Description.Example))
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

func examples(c *judge.Trial, k Kind) {
	for _, column := range k.Description.Uses {
		if !slices.ContainsFunc(k.Description.Examples(), func(rows []framework.ConstraintRow) bool {
			return slices.ContainsFunc(rows, func(r framework.ConstraintRow) bool { return r.Has(column) })
		}) {
			c.Failf("Uses names %s, but no row of Example or More has a value there: the laws would never see one", column)
		}
	}
	for _, rows := range k.Description.Examples() {
		set, err := k.Make(rows, framework.ExampleClusters, framework.ExampleColumns())
		if err != nil {
			c.Failf("the example %s makes no set: %s", rowsText(rows), said(err))
		}
		moved := false
		for range 100 {
			x := framework.NewMatrix(framework.ExampleClusters, len(framework.ExampleColumns()))
			cases.Fill(c, x)
			moved = moved || norm(minus(Onto(c, set, x), x)) > 1e-6*norm(x)
		}
		if !moved {
			c.Failf("the set of %s leaves 100 random centers where they are: an example must restrict some", rowsText(rows))
		}
	}
}

// same fails unless two sets project a few points, and measure them, alike.
func same(c *judge.Trial, a, b framework.Set, clusters, columns int, what string) {
	for range 4 {
		x := cases.Draft(c, clusters, columns)
		y, z := Onto(c, a, x), Onto(c, b, x)
		scale := max(norm(x), norm(y), smallest)
		if off := norm(minus(y, z)); !(off <= lengthError*scale) {
			c.Failf("%s: Px is %v, and %v", what, judge.RowsOf(y), judge.RowsOf(z))
		}
		if u, v := a.Violation(x), b.Violation(x); !(math.Abs(u-v) <= lengthError*scale) {
			c.Failf("%s: the violation of x is %g, and %g", what, u, v)
		}
	}
}

// Onto projects a point without masses.
func Onto(c *judge.Trial, s framework.Set, x framework.Matrix) framework.Matrix {
	y := framework.NewMatrix(x.Rows, x.Cols)
	if err := s.Project(y, framework.Point{X: x}); err != nil {
		c.Failf("Project of %v is refused: %v", judge.RowsOf(x), err)
	}
	return y
}
