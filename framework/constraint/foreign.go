package constraint

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// foreign is a set of a kind that Declare was given. It trusts the set with
// nothing that can be seen from outside: points that it is handed are right, and
// what it returns is looked at.
type foreign struct {
	framework.Set
	title string
	k, p  int
	units float64 // the largest number that original units can add to a fitted one
}

// Properties implements framework.Set.
func (f foreign) Properties() framework.Properties {
	p := f.Set.Properties()
	p.Kind, p.Maximize = f.title, false
	return p
}

// Project implements framework.Set. It returns a Fault of class Plugin if the
// set's own point is not in the set.
func (f foreign) Project(dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	if dst.Rows != f.k || dst.Cols != f.p {
		return framework.Faultf(framework.Data, "bad-set", "%s for %d×%d centers is asked for %d×%d", f.title, f.k, f.p, dst.Rows, dst.Cols)
	}
	if at.Gain != nil && !f.Set.Properties().Separable {
		return needsMeans(f.title)
	}
	scale := max(f.units, largestOf(at.X.Data))
	if err := f.Set.Project(dst, at); err != nil {
		return err
	}
	for _, v := range dst.Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return f.wrong("it projects a point to one that is not finite")
		}
	}
	scale = max(scale, largestOf(dst.Data))
	if off := f.Set.Violation(dst); !(off >= 0 && off <= feasible*scale) {
		if s, ok := f.Set.(interface{ Err() error }); ok && s.Err() != nil {
			return s.Err()
		}
		return f.wrong("the point that it projects to is, by its own measure, %.3g (fitted units) away from the set", off)
	}
	return nil
}

func (f foreign) wrong(format string, args ...any) error {
	return framework.Faultf(framework.Plugin, "set-broken", "the set %s is wrong: "+format, append([]any{f.title}, args...)...).
		WithHint("this is a bug in the plugin that serves it; sqlcluster plugin verify says more")
}

// foreignKind returns a kind that makes its sets by k.
func foreignKind(k framework.SetKind) kind {
	d := k.Describe()
	return kind{name: d.Kind, uses: strings.Join(d.Uses, " "), foreign: true, make: func(d *declaration) []framework.Set { return d.foreign(k) }}
}

// foreign makes the set of the declaration's rows.
func (d *declaration) foreign(k framework.SetKind) []framework.Set {
	if d.bad {
		return nil
	}
	rows := make([]Row, len(d.lines))
	for i, l := range d.lines {
		if rows[i] = l.Row; l.feature >= 0 {
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
		d.trouble = foreign{title: d.title}.wrong("it is nil")
		return nil
	}
	return []framework.Set{foreign{Set: set, title: d.title, k: d.k, p: len(d.columns), units: units}}
}

// registry returns the kinds that rows can declare by name: those of this
// package, and others, which may not have the name of one of them.
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

// TakenKind reports whether sqlcluster itself has a kind of the name, so that
// nobody else can.
func TakenKind(name string) bool { return slices.Contains(Kinds(), name) || elsewhere[name] != "" }
