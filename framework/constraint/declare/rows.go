// Package declare turns the rows of a constraints relation into sets of centers.
// Rows are in the original units of the columns, sets in the fitted space.
package declare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
)

// A Set is what constraint rows declare: a set of k×p centers in the fitted
// space, and the rows that it was made from, with which it can be made again.
type Set struct {
	framework.Set
	Rows  []framework.ConstraintRow
	Parts []constraint.Part // the sets whose intersection it is, named by kind, and name if there is one

	// Foreign names the kinds of rows that plugins serve. If there are any, the set
	// cannot be made again from its rows alone.
	Foreign []string

	limits *limits // nil: it was not declared by rows
}

// Members implements constraint.Parted.
func (d *Set) Members() []constraint.Part { return d.Parts }

// A kind is a kind of set that rows can declare.
type kind struct {
	name    string
	uses    string // the columns that it reads besides kind and name
	make    func(d *declaration) []framework.Set
	foreign bool // a plugin serves it
}

// reads reports whether the kind reads a column.
func (k kind) reads(column string) bool { return slices.Contains(strings.Fields(k.uses), column) }

// kinds returns the kinds that rows can declare, in the order of messages.
func kinds() []kind {
	return []kind{
		{name: "box", uses: "cluster feature lo hi", make: (*declaration).boxes},
		{name: "nonnegative", uses: "cluster feature", make: (*declaration).boxes},
		{name: "fixed", uses: "cluster feature value", make: (*declaration).boxes},
		{name: "halfspace", uses: "cluster feature coef lo hi value", make: (*declaration).halfSpaces},
		{name: "simplex", uses: "cluster feature value", make: (*declaration).radial},
		{name: "l1_ball", uses: "cluster feature value", make: (*declaration).radial},
		{name: "l2_ball", uses: "cluster feature value", make: (*declaration).radial},
		{name: "monotone", uses: "cluster feature value", make: (*declaration).monotone},
		{name: "sparsity", uses: "cluster value", make: (*declaration).sparsity},
	}
}

// elsewhere has names that are not kinds of sets of centers, and says what they are.
var elsewhere = map[string]string{
	"l1_bound":      "it bounds feature weights, not centers: it is a parameter of algorithms that have feature weights",
	"group_penalty": "it is a penalty of feature weights, not a set of centers: it is a parameter of algorithms that have feature weights",
}

// Kinds returns the names of the kinds that rows can declare.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// Rows returns the set of centers that the rows declare, or nil if there are no
// rows. It reads K, Columns and Groups of the problem. Bounds are carried from
// original units into the fitted space by the columns' location and scale. If the
// problem has groups, a sparsity counts groups. The result does not depend on the
// order of the rows. The Fault lists everything that is wrong with any row.
//
// Rows may be of the kinds of this package and of others. If another kind fails for
// a reason that is not in its rows, such as the end of its process, Rows or Project
// returns that error.
func Rows(rows []framework.ConstraintRow, p framework.Problem, others ...framework.SetKind) (*Set, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	known, err := registry(others)
	if err != nil {
		return nil, err
	}
	k, columns := p.K, p.Columns
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, compareRows)
	r := &reader{k: k, columns: columns, index: map[string]int{}, known: known, original: unlimited(k, len(columns))}
	r.group, r.groups = constraint.GroupsOf(p)
	names := make([]string, len(columns))
	for l, c := range columns {
		names[l] = c.Name
		r.index[strings.ToLower(c.Name)] = l
	}
	out := &Set{Rows: sorted, limits: r.original}
	for _, d := range r.gather(sorted) {
		if d.kind.foreign && !slices.Contains(out.Foreign, d.kind.name) {
			out.Foreign = append(out.Foreign, d.kind.name)
		}
		for _, set := range d.kind.make(d) {
			d.note("", constraint.Check(set, len(columns)))
			out.Parts = append(out.Parts, constraint.Part{Name: d.title, Set: set})
		}
	}
	switch {
	case r.trouble != nil:
		return nil, r.trouble
	case len(r.wrong) > 0:
		return nil, r.fault()
	}
	out.Set, err = intersect.Sets(k, len(columns), []framework.Set{out}, intersect.Names{
		Features: names,
		Original: func(l int, v float64) float64 { return columns[l].Location + v*columns[l].Scale },
	})
	if err != nil {
		if f := framework.AsFault(err); f != nil && f.Where == "" {
			f.Where = framework.Setting("constraints")
		}
		return nil, err
	}
	if err := r.original.close(columns); err != nil {
		return nil, err
	}
	return out, nil
}

// compareRows orders rows by what they say.
func compareRows(a, b framework.ConstraintRow) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), compareOptional(a.Cluster, b.Cluster),
		compareOptional(a.Feature, b.Feature), compareOptional(a.Coef, b.Coef), compareOptional(a.Lo, b.Lo),
		compareOptional(a.Hi, b.Hi), compareOptional(a.Value, b.Value))
}

func compareOptional[T cmp.Ordered](a, b *T) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// A reader turns rows into declarations and collects what is wrong with them.
type reader struct {
	k       int
	columns []framework.Column
	group   []int          // of each column, see GroupsOf; nil: no group of several columns
	groups  int            // the number of groups, or of columns without groups
	index   map[string]int // columns by name in lower case
	known   map[string]kind
	wrong   []string
	trouble error // an error that is not in the rows

	original *limits // limits of single entries and orders of two
}

// A declaration is the rows of one set.
type declaration struct {
	*reader
	kind  kind
	title string
	lines []line
	bad   bool
}

// A line is a row whose cluster and feature exist.
type line struct {
	framework.ConstraintRow
	cluster, feature int // −1: every one
}

// gather checks rows one by one and groups them by kind and name.
func (r *reader) gather(rows []framework.ConstraintRow) []*declaration {
	var all []*declaration
	for i, row := range rows {
		k, ok := r.known[row.Kind]
		if !ok {
			r.wrong = append(r.wrong, title(row)+": "+r.unknownKind(row.Kind))
			continue
		}
		if i == 0 || rows[i-1].Kind != row.Kind || rows[i-1].Name != row.Name || len(all) == 0 {
			all = append(all, &declaration{reader: r, kind: k, title: title(row)})
		}
		d := all[len(all)-1]
		if l, ok := d.line(row); ok {
			d.lines = append(d.lines, l)
		}
	}
	return all
}

// title names the set of a row in messages.
func title(row framework.ConstraintRow) string {
	if row.Kind == "" {
		return "a row without a kind"
	}
	if row.Name == "" {
		return row.Kind
	}
	return row.Kind + " " + strconv.Quote(row.Name)
}

func (r *reader) unknownKind(name string) string {
	if why := elsewhere[name]; why != "" {
		return why
	}
	if slices.Contains(LabelKinds(), name) {
		return "it restricts labels, not centers"
	}
	text := "there is no such kind"
	if name == "" {
		text = "give it one"
	}
	names := slices.Concat(Kinds(), LabelKinds())
	for _, other := range slices.Sorted(maps.Keys(r.known)) {
		if r.known[other].foreign {
			names = append(names, other)
		}
	}
	if near := framework.Closest(name, names); near != "" && name != "" {
		return text + "; did you mean " + near
	}
	return text + "; there are " + strings.Join(names, ", ")
}

// line checks what can be checked of a row by itself.
func (d *declaration) line(row framework.ConstraintRow) (line, bool) {
	l, before := line{ConstraintRow: row, cluster: -1, feature: -1}, len(d.wrong)
	place := ""
	if row.Feature != nil {
		place = *row.Feature
	}
	if row.NoCluster != "" {
		d.fail(place, "cluster is %s; it must be a whole number from 0 to %d", row.NoCluster, d.k-1)
	}
	if row.Cluster != nil {
		if l.cluster = *row.Cluster; l.cluster < 0 || l.cluster >= d.k {
			d.fail(place, "cluster is %d; it must be from 0 to %d", l.cluster, d.k-1)
		}
		if !d.kind.reads("cluster") {
			d.fail(place, "%s applies to all clusters: cluster must be NULL", d.kind.name)
		}
	}
	if row.Feature != nil {
		at, ok := d.index[strings.ToLower(place)]
		if l.feature = at; !ok {
			d.fail(place, "%s", d.unknownFeature(place))
		}
		if !d.kind.reads("feature") {
			d.fail(place, "%s applies to all features: feature must be NULL", d.kind.name)
		}
	}
	for _, c := range [...]struct {
		name  string
		value *float64
	}{{"coef", row.Coef}, {"lo", row.Lo}, {"hi", row.Hi}, {"value", row.Value}} {
		switch {
		case c.value == nil:
		case !d.kind.reads(c.name):
			d.fail(place, "%s has no use for %s, which is %g: it must be NULL", d.kind.name, c.name, *c.value)
		case math.IsNaN(*c.value):
			d.fail(place, "%s is NaN", c.name)
		case math.IsInf(*c.value, 0) && c.name != "lo" && c.name != "hi":
			d.fail(place, "%s is %g; it must be finite", c.name, *c.value)
		}
	}
	return l, len(d.wrong) == before
}

func (d *declaration) unknownFeature(name string) string {
	if strings.TrimSpace(name) == "" {
		return "feature is an empty text; it must be the name of a feature, or NULL"
	}
	var names []string
	for _, c := range d.columns {
		names = append(names, c.Name)
	}
	if near := framework.Closest(name, names); near != "" {
		return "there is no such feature; did you mean " + near
	}
	return "there is no such feature"
}

// fail notes an error at a feature, or at none ("").
func (d *declaration) fail(feature, format string, args ...any) {
	text := d.title
	if feature != "" {
		text += ", feature " + feature
	}
	d.wrong = append(d.wrong, text+": "+fmt.Sprintf(format, args...))
	d.bad = true
}

// note notes an error, unless it is nil.
func (d *declaration) note(feature string, err error) {
	if f := framework.AsFault(err); f != nil {
		d.fail(feature, "%s", f.Summary)
	}
}

// fault reports all that is wrong.
func (r *reader) fault() error {
	slices.Sort(r.wrong)
	r.wrong = slices.Compact(r.wrong)
	if len(r.wrong) == 1 {
		return framework.Faultf(framework.Data, "bad-constraints", "the constraints cannot be used: %s", r.wrong[0]).At("constraints")
	}
	f := framework.Faultf(framework.Data, "bad-constraints", "the constraints cannot be used, for %d reasons", len(r.wrong)).At("constraints")
	f.Details = r.wrong
	return f
}
