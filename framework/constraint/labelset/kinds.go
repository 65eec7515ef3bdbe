package labelset

import (
	"fmt"
	"math"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Kinds returns the kinds of this package, by name.
func Kinds() []framework.LabelKind {
	return []framework.LabelKind{balanceKind(), capacityKind(), shareKind(), sizeKind(), uniqueKind()}
}

// A kind is a kind of label sets: what it says of itself, and how its rows become limits.
type kind struct {
	description framework.SetDescription
	read        func(d *declaration)
}

// Describe implements framework.LabelKind.
func (k kind) Describe() framework.SetDescription {
	d := k.description
	d.Labels = true
	return d
}

// Make implements framework.LabelKind.
func (k kind) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	d := &declaration{kind: k.description.Kind, rows: rows, table: t}
	d.set = &set{n: t.N, k: t.K, kind: d.kind, rows: make([]string, len(rows))}
	k.read(d)
	if d.wrong != nil {
		return nil, d.wrong
	}
	return d.set, nil
}

// A declaration is rows of one kind on their way to limits.
type declaration struct {
	kind  string
	rows  []framework.ConstraintRow
	table framework.LabelTable
	set   *set
	at    int // the row in hand
	wrong *framework.Fault
}

// fail notes what is wrong with the row in hand, unless there is something already.
func (d *declaration) fail(format string, args ...any) {
	if d.wrong == nil {
		d.wrong = framework.Faultf(framework.Data, "bad-constraint", "%s %s", d.kind, fmt.Sprintf(format, args...))
	}
}

// says notes what the row in hand says, after its kind and its name, if it has one.
func (d *declaration) says(format string, args ...any) {
	title := d.kind
	if name := d.rows[d.at].Name; name != "" {
		title += " " + strconv.Quote(name)
	}
	d.set.rows[d.at] = title + ", " + fmt.Sprintf(format, args...)
}

// bounds returns lo and hi of a row, infinite where there is none. One must be there, which may be infinite, too.
func (d *declaration) bounds(r framework.ConstraintRow) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if r.Lo != nil {
		lo = *r.Lo
	}
	if r.Hi != nil {
		hi = *r.Hi
	}
	switch {
	case r.Lo == nil && r.Hi == nil:
		d.fail("needs lo or hi, or both")
	case math.IsInf(lo, 1) || math.IsInf(hi, -1) || lo != lo || hi != hi:
		d.fail("has a limit from %g to %g, which nothing obeys", lo, hi)
		return 0, 0
	}
	return lo, hi
}

// clusters returns the cluster that a row names, or all.
func (d *declaration) clusters(j *int) []int {
	if j != nil {
		return []int{*j}
	}
	all := make([]int, d.set.k)
	for j := range all {
		all[j] = j
	}
	return all
}

// column returns the column that a row names.
func (d *declaration) column(r framework.ConstraintRow) *framework.LabelColumn {
	if r.Feature == nil {
		d.fail("needs a feature: the column that it looks at")
		return nil
	}
	c := d.table.Column(*r.Feature)
	if c == nil {
		d.fail("names the column %s, which is not there", *r.Feature)
	}
	return c
}

// rows returns rows of one kind, for a description.
func rows(kind string, all ...framework.ConstraintRow) []framework.ConstraintRow {
	for i := range all {
		all[i].Kind = kind
	}
	return all
}

func ptr[T any](v T) *T { return &v }
