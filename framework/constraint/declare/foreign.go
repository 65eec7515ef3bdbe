package declare

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// foreignKind returns a kind whose sets k makes.
func foreignKind(k framework.SetKind) kind {
	d := k.Describe()
	return kind{name: d.Kind, uses: strings.Join(d.Uses, " "), foreign: true,
		make: func(d *declaration) []framework.Set { return d.foreign(k) }}
}

// foreign makes the set of the declaration's rows.
func (d *declaration) foreign(k framework.SetKind) []framework.Set {
	if d.bad {
		return nil
	}
	rows := make([]framework.ConstraintRow, len(d.lines))
	for i, l := range d.lines {
		if rows[i] = l.ConstraintRow; l.feature >= 0 {
			rows[i].Feature = new(d.columns[l.feature].Name)
		}
	}
	columns := make([]framework.Column, len(d.columns))
	units := 0.0
	for l, c := range d.columns {
		columns[l] = framework.Column{Name: c.Name, Group: l, Location: c.Location, Scale: c.Scale}
		units = max(units, math.Abs(c.Location/c.Scale))
	}
	set, err := k.Make(rows, d.k, columns)
	switch f := framework.AsFault(err); {
	case f != nil && f.Class == framework.Data:
		d.note("", f)
		return nil
	case err != nil:
		d.trouble = errors.Join(d.trouble, err)
		return nil
	case set == nil:
		d.trouble = constraint.Foreign{Title: d.title}.Wrong("it is nil")
		return nil
	}
	return []framework.Set{constraint.Foreign{Set: set, Title: d.title, K: d.k, P: len(d.columns), Units: units}}
}

// registry returns the kinds that rows can declare, by name: those of this package
// and the others, whose names must be free.
func registry(others []framework.SetKind) (map[string]kind, error) {
	all := map[string]kind{}
	for _, k := range kinds() {
		all[k.name] = k
	}
	for _, other := range others {
		k := foreignKind(other)
		if _, taken := all[k.name]; taken || elsewhere[k.name] != "" {
			return nil, framework.Faultf(framework.Usage, "kind-taken", "there are two kinds of sets with the name %s", k.name)
		}
		all[k.name] = k
	}
	return all, nil
}

// Taken reports whether the name belongs to a kind of sqlcluster itself, so that
// plugins cannot use it.
func Taken(name string) bool {
	return slices.Contains(Kinds(), name) || slices.Contains(LabelKinds(), name) || elsewhere[name] != ""
}
