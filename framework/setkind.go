package framework

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Kind is a kind of rows of a constraints relation: a [SetKind] or a [LabelKind].
type Kind interface{ Describe() SetDescription }

// A SetKind is a kind of sets of centers that rows of a constraints relation can
// declare. A plugin may serve kinds of sets, algorithms, or both.
type SetKind interface {
	Describe() SetDescription

	// Make returns the set of k×p centers that the rows declare, where p is the
	// number of columns. All rows are of this kind and have the same name. They are
	// in original units, the set is in the fitted space:
	//
	//	fitted = (original − Location) / Scale
	//
	// Only Name, Location and Scale of each column are given. Features are spelled
	// like the columns, clusters are from 0 to k−1, all numbers except Lo and Hi are
	// finite, and fields that SetDescription.Uses does not name are nil. If the rows
	// make no set, the error is a Fault of class Data whose summary says why. The
	// set may be used by several goroutines at a time. Equal arguments must give
	// equal sets.
	Make(rows []ConstraintRow, k int, columns []Column) (Set, error)
}

// A ConstraintRow is one row of a constraints relation: a part of the declaration of
// a set of centers, in the original units of the features. nil is NULL.
type ConstraintRow struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name,omitempty"`    // rows of equal kind and name make one set
	Cluster *int     `json:"cluster,omitempty"` // nil: all
	Feature *string  `json:"feature,omitempty"` // nil: all
	Coef    *float64 `json:"coef,omitempty"`
	Lo      *float64 `json:"lo,omitempty"`
	Hi      *float64 `json:"hi,omitempty"`
	Value   *float64 `json:"value,omitempty"`

	// NoCluster is the cluster of a relation's row as text if it is not a whole
	// number. Such a row is refused.
	NoCluster string `json:"-"`
}

// MarshalJSON leaves out infinite limits, which have no effect and which JSON cannot
// express.
func (r ConstraintRow) MarshalJSON() ([]byte, error) {
	type plain ConstraintRow
	p := plain(r)
	for _, v := range []**float64{&p.Lo, &p.Hi, &p.Value} {
		if *v != nil && math.IsInf(**v, 0) {
			*v = nil
		}
	}
	return json.Marshal(p)
}

// Has reports whether the row has a value in the named column.
func (r ConstraintRow) Has(column string) bool {
	switch column {
	case "cluster":
		return r.Cluster != nil
	case "feature":
		return r.Feature != nil
	case "coef":
		return r.Coef != nil
	case "lo":
		return r.Lo != nil
	case "hi":
		return r.Hi != nil
	case "value":
		return r.Value != nil
	}
	return false
}

// A SetDescription is what a kind of sets says about itself.
type SetDescription struct {
	Kind    string // words in lower case, with _ between them: "unimodal"
	Version string
	Summary string // one line
	Source  string // authors, year, link

	// Uses names the columns that the kind reads besides kind and name: some of
	// cluster, feature, coef, lo, hi and value. The others must be NULL.
	Uses []string

	// Labels says that the sets are of labels: the kind is a LabelKind, and what follows is
	// about sets of labels of ExampleTable.
	Labels bool

	// Example has rows of one name that make a set of 3 centers of the 5 columns of
	// ExampleColumns, and that some centers break. The laws of sets are checked on this
	// set, and on similar ones for other features, clusters and units.
	Example []ConstraintRow

	// More has rows of further sets like Example, so that each column that Uses names
	// has a value in one of them.
	More [][]ConstraintRow
}

// Examples returns Example and More.
func (d SetDescription) Examples() [][]ConstraintRow {
	return append([][]ConstraintRow{d.Example}, d.More...)
}

// ExampleClusters is the number of centers of SetDescription.Example.
const ExampleClusters = 3

// ExampleColumns returns the columns of SetDescription.Example: f1 to f5, neither
// centered nor scaled.
func ExampleColumns() []Column {
	columns := make([]Column, 5)
	for l := range columns {
		columns[l] = Column{Name: fmt.Sprintf("f%d", l+1), Group: l, Scale: 1}
	}
	return columns
}

// SetColumns are the columns of constraint rows that a kind may use.
var SetColumns = []string{"cluster", "feature", "coef", "lo", "hi", "value"}

// Check returns everything that is wrong with a description, or nil. It is for the
// author of a kind, as Description.Check is for the author of an algorithm.
func (d SetDescription) Check() error {
	c := checker{place: fmt.Sprintf("set kind %q: ", d.Kind)}
	if !paramName.MatchString(d.Kind) {
		c.add("the name must be words in lower case, with _ between them")
	}
	if strings.Contains(d.Summary, "\n") {
		c.add("the summary must be one line")
	}
	for i, name := range d.Uses {
		if !slices.Contains(SetColumns, name) {
			c.add("Uses has %q; it must be of %s", name, strings.Join(SetColumns, ", "))
		}
		if slices.Contains(d.Uses[:i], name) {
			c.add("Uses has %q twice", name)
		}
	}
	for n, rows := range d.Examples() {
		of := "Example"
		if n > 0 {
			of = fmt.Sprintf("More[%d]", n-1)
		}
		if len(rows) == 0 {
			c.place = fmt.Sprintf("set kind %q: ", d.Kind)
			c.add("there is no %s", of)
		}
		for i, r := range rows {
			c.place = fmt.Sprintf("set kind %q, row %d of %s: ", d.Kind, i+1, of)
			d.checkRow(&c, r, rows[0].Name)
		}
	}
	return errors.Join(c.wrong...)
}

func (d SetDescription) checkRow(c *checker, r ConstraintRow, name string) {
	if r.Kind != d.Kind || r.Name != name {
		c.add("the kind is %q and the name %q; all rows must be of this kind and have one name", r.Kind, r.Name)
	}
	for _, name := range SetColumns {
		if r.Has(name) && !slices.Contains(d.Uses, name) {
			c.add("it has a %s, which Uses does not name", name)
		}
	}
	if r.Cluster != nil && (*r.Cluster < 0 || *r.Cluster >= ExampleClusters) {
		c.add("the cluster is %d; it must be from 0 to %d", *r.Cluster, ExampleClusters-1)
	}
	if r.Feature != nil && !slices.ContainsFunc(ExampleColumns(), func(col Column) bool { return col.Name == *r.Feature }) {
		c.add("the feature is %q; it must be one of f1 to f5", *r.Feature)
	}
	for _, v := range []*float64{r.Coef, r.Lo, r.Hi, r.Value} {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			c.add("it has the number %g; NULL stands for no limit", *v)
		}
	}
}
