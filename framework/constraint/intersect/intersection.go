package intersect

import (
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// Names say what sets and features are called in errors, and in which units.
type Names struct {
	Sets     []string                                 // one for each set; nil: their kinds
	Features []string                                 // one for each column; nil: "feature" and the number
	Original func(column int, fitted float64) float64 // a value in original units; nil: as it is
}

func (n Names) feature(l int) string {
	if n.Features == nil {
		return "feature " + strconv.Itoa(l)
	}
	return n.Features[l]
}

func (n Names) original(l int, v float64) float64 {
	if n.Original == nil || math.IsInf(v, 0) {
		return v
	}
	return n.Original(l, v)
}

// Sets returns the set of all k×p matrices that are in all of the sets. These are
// the rules:
//
//   - Bounds of single entries (box, nonnegative, fixed) make one box.
//   - Convex sets of different entries do not affect each other: each is met
//     exactly by its own rule.
//   - A half-space or a simplex with bounds: exactly, by sorting.
//   - Other convex sets that share entries: exactly, by the dual active set
//     method, by isotone regression within bounds, and by a search for the
//     multiplier of each L2 ball, and of a row or an L1 ball where that is faster.
//     If that takes more than some ten million multiplications in a center, by
//     Dykstra's algorithm, within a tolerance.
//   - Sparsity with bounds, of features or of groups: exactly. Features whose
//     bounds exclude 0 in some center are kept, then those whose values within
//     the bounds gain most over 0.
//   - Sparsity of each center with one simplex, L1 ball or L2 ball on all
//     features: exactly. The s entries of largest gain are kept (of largest
//     value, for the simplex), and projected among themselves.
//   - Convex sets of plugins are combined with other convex sets by Dykstra's
//     algorithm: they may restrict any entry.
//
// Everything else is refused with the reason, and so is an intersection that is
// known to be empty. A nil set restricts nothing. One set is its own intersection;
// without sets, the result is nil.
//
// Source: Zhang, Lange and Xu (2020), equation 6, for centers in a set; Beck and
// Hallak (2016), https://doi.org/10.1287/moor.2015.0722, for sparsity with
// symmetric sets.
func Sets(k, p int, sets []framework.Set, names Names) (framework.Set, error) {
	b := builder{k: k, p: p, names: names, box: everything(k, p)}
	for i, set := range sets {
		if set == nil {
			continue
		}
		if whole, ok := set.(constraint.Parted); ok {
			for _, part := range whole.Members() {
				if err := b.add(part.Set, part.Name); err != nil {
					return nil, err
				}
			}
			continue
		}
		if err := b.add(set, b.name(i, set)); err != nil {
			return nil, err
		}
	}
	if b.alone != "" && b.count > 1 {
		return nil, framework.Faultf(framework.Data, "cannot-intersect",
			"%s is not convex, and cannot be combined with others: the nearest center in all of them has no formula", b.alone)
	}
	if err := b.notEmpty(); err != nil {
		return nil, err
	}
	switch {
	case b.count == 0:
		return nil, nil
	case b.count == 1:
		return b.only, nil
	case b.top != nil:
		return b.sparse()
	}
	if others := b.foreigners(); len(others) > 0 {
		return b.together(others)
	}
	return b.convex()
}

// A builder gathers the sets of an intersection by kind.
type builder struct {
	k, p  int
	names Names
	count int
	only  framework.Set // the last one
	box   bounds
	boxed bool // there are bounds
	parts []part
	top   *constraint.Sparsity
	alone string // a set of another kind that is not convex
}

// A part is a convex set that ties entries together.
type part struct {
	framework.Set
	name    string
	entries []int // the entries of a k×p matrix that it restricts
}

func (b *builder) name(i int, set framework.Set) string {
	if b.names.Sets == nil {
		return set.Properties().Kind
	}
	return b.names.Sets[i]
}

func (b *builder) add(set framework.Set, name string) error {
	b.count++
	b.only = set
	if v, ok := set.(constraint.RowSet); ok {
		if err := v.Scope().Fits(name, b.k, b.p); err != nil {
			return err
		}
		if err := constraint.Check(v, b.p); err != nil {
			return err
		}
	}
	switch s := set.(type) {
	case constraint.RowSet:
		if s.Properties().Separable {
			b.boxed = true
			return b.box.narrow(s, name, b.names)
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entriesOf(s.Scope(), b.k, b.p)})
	case constraint.JointHalfSpace:
		if s.Coef.Rows != b.k || s.Coef.Cols != b.p {
			return framework.Faultf(framework.Data, "bad-set", "%s has %d×%d coefficients for %d×%d centers",
				name, s.Coef.Rows, s.Coef.Cols, b.k, b.p)
		}
		var entries []int
		for i, a := range s.Coef.Data {
			if a != 0 {
				entries = append(entries, i)
			}
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entries})
	case constraint.Foreign:
		if s.K != b.k || s.P != b.p {
			return framework.Faultf(framework.Data, "bad-set", "%s is one of %d×%d centers, not of %d×%d", name, s.K, s.P, b.k, b.p)
		}
		if !s.Properties().Convex {
			b.alone = name
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entriesOf(constraint.Where{}, b.k, b.p)})
	case constraint.Sparsity:
		if err := s.Fits(b.p); err != nil {
			return err
		}
		return b.addTop(s, name)
	default:
		return framework.Faultf(framework.Data, "cannot-intersect", "%s is a set of its own kind, and cannot be combined with others", name)
	}
	return nil
}

// addTop adds a sparsity. Of two of a kind, the smaller one counts.
func (b *builder) addTop(s constraint.Sparsity, name string) error {
	if b.top == nil {
		b.top = &s
		return nil
	}
	if b.top.PerCenter == s.PerCenter && slices.Equal(b.top.Groups, s.Groups) {
		b.top.S = min(b.top.S, s.S)
		return nil
	}
	return framework.Faultf(framework.Data, "cannot-intersect",
		"%s is a second sparsity of another scope: the nearest center for both has no formula", name).
		WithHint("keep one sparsity")
}

func entriesOf(w constraint.Where, k, p int) []int {
	var entries []int
	for _, j := range w.Rows(k) {
		for i := range w.Width(p) {
			entries = append(entries, j*p+w.Column(i))
		}
	}
	return entries
}
