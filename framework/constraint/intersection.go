package constraint

import (
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// Names say what sets and features are called in errors, and in which units.
type Names struct {
	Sets     []string                                 // as the sets; nil: their kinds
	Features []string                                 // as the columns; nil: "feature" and the number
	Original func(column int, fitted float64) float64 // a value in original units; nil: as it is
}

// Intersect returns the set of all k×p matrices that are in all of the sets. It
// knows these rules:
//
//   - Bounds of single entries (box, nonnegative, fixed) make one box.
//   - Convex sets that speak of different entries do not touch each other: each
//     is met exactly by its own rule.
//   - A half-space or a simplex with bounds: exactly, by sorting.
//   - Other convex sets that share entries: exactly, by the dual active set
//     method; isotone regression within bounds; and a search for the multiplier
//     of each L2 ball, and of a row or an L1 ball where that is faster. Where all
//     of it takes more than some ten million multiplications in a center,
//     Dykstra's algorithm, to tolerance.
//   - Sparsity with bounds, of features or of groups: exactly. Features whose
//     bounds exclude 0 in some center must be kept; then the largest gains that
//     keeping has over 0.
//   - Sparsity of each center with one simplex, L1 ball or L2 ball on all
//     features: exactly. The s entries of largest worth are kept (of largest
//     value, for the simplex), and projected among themselves.
//   - Convex sets of other kinds than this package's may speak of all entries, and
//     so go with other convex sets by Dykstra's algorithm.
//
// Everything else is refused with the reason, and so is an intersection that is
// known to be empty. A nil set is everything. With one set, or none, the result
// is that set, or nil.
//
// Source: Zhang, Lange and Xu (2020), equation 6, for centers in a set; Beck and
// Hallak (2016), https://doi.org/10.1287/moor.2015.0722, for sparsity with
// symmetric sets.
func Intersect(k, p int, sets []framework.Set, names Names) (framework.Set, error) {
	b := builder{k: k, p: p, names: names, box: everything(k, p)}
	for i, set := range sets {
		if set == nil {
			continue
		}
		if whole, ok := set.(Parted); ok {
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

// A Part is one set of several.
type Part struct {
	Name string // for messages
	Set  framework.Set
}

// Parted is a set that is the intersection of others.
type Parted interface{ Members() []Part }

// Check returns a Fault if a set of this package cannot be one of centers of p
// features. The Fault does not name the set.
func Check(set framework.Set, p int) error {
	if v, ok := set.(vector); ok {
		return v.check(v.where().width(p))
	}
	return nil
}

// A builder gathers the sets of an intersection by what they are.
type builder struct {
	k, p  int
	names Names
	count int
	only  framework.Set // the last one
	box   bounds
	boxed bool // there are bounds
	parts []part
	top   *Sparsity
	alone string // a set of another kind that is not convex
}

// A part is a convex set that ties entries together.
type part struct {
	framework.Set
	name    string
	entries []int // that it speaks of, in a k×p matrix
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
	if v, ok := set.(vector); ok {
		if err := v.where().fits(name, b.k, b.p); err != nil {
			return err
		}
		if err := v.check(v.where().width(b.p)); err != nil {
			return err
		}
	}
	switch s := set.(type) {
	case vector:
		if s.Properties().Separable {
			b.boxed = true
			return b.box.narrow(s, name, b.names)
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entriesOf(s.where(), b.k, b.p)})
	case JointHalfSpace:
		if s.Coef.Rows != b.k || s.Coef.Cols != b.p {
			return framework.Faultf(framework.Data, "bad-set", "%s has %d×%d coefficients for %d×%d centers", name, s.Coef.Rows, s.Coef.Cols, b.k, b.p)
		}
		var entries []int
		for i, a := range s.Coef.Data {
			if a != 0 {
				entries = append(entries, i)
			}
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entries})
	case Foreign:
		if s.K != b.k || s.P != b.p {
			return framework.Faultf(framework.Data, "bad-set", "%s is one of %d×%d centers, not of %d×%d", name, s.K, s.P, b.k, b.p)
		}
		if !s.Properties().Convex {
			b.alone = name
		}
		b.parts = append(b.parts, part{Set: set, name: name, entries: entriesOf(Where{}, b.k, b.p)})
	case Sparsity:
		if err := s.fits(b.p); err != nil {
			return err
		}
		return b.addTop(s, name)
	default:
		return framework.Faultf(framework.Data, "cannot-intersect", "%s is a set of its own kind, and cannot be combined with others", name)
	}
	return nil
}

// addTop adds a sparsity: of two of a kind, the smaller one counts.
func (b *builder) addTop(s Sparsity, name string) error {
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

func entriesOf(w Where, k, p int) []int {
	var entries []int
	for _, j := range w.clusters(k) {
		for i := range w.width(p) {
			entries = append(entries, j*p+w.feature(i))
		}
	}
	return entries
}

// bounds are a box whose centers have bounds of their own.
type bounds struct {
	lo, hi framework.Matrix
	by     []string // by entry: the set that bounded it last
}

func everything(k, p int) bounds {
	b := bounds{framework.NewMatrix(k, p), framework.NewMatrix(k, p), make([]string, k*p)}
	for i := range b.by {
		b.lo.Data[i], b.hi.Data[i] = math.Inf(-1), math.Inf(1)
	}
	return b
}

// narrow makes the box smaller; it returns a Fault if nothing is left.
func (b bounds) narrow(s vector, name string, names Names) error {
	w, p := s.where(), b.lo.Cols
	asked := qp.Free(p)
	s.write(asked, entriesOf(Where{Features: w.Features}, 1, p))
	for _, j := range w.clusters(b.lo.Rows) {
		for i := range w.width(p) {
			l := w.feature(i)
			at := j*p + l
			lo, hi, oldLo, oldHi := asked.Lo[l], asked.Hi[l], b.lo.Data[at], b.hi.Data[at]
			b.lo.Data[at], b.hi.Data[at] = max(lo, oldLo), min(hi, oldHi)
			if b.lo.Data[at] > b.hi.Data[at] {
				return framework.Faultf(framework.Data, "empty-set",
					"%s asks for %s from %.6g to %.6g in cluster %d, but %s asks for %.6g to %.6g",
					name, names.feature(l), names.original(l, lo), names.original(l, hi), j, b.by[at], names.original(l, oldLo), names.original(l, oldHi))
			}
			b.by[at] = name
		}
	}
	return nil
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

// bounded reports whether one of the entries has a bound.
func (b bounds) bounded(entries []int) bool {
	for _, i := range entries {
		if !math.IsInf(b.lo.Data[i], -1) || !math.IsInf(b.hi.Data[i], 1) {
			return true
		}
	}
	return false
}

// within returns the box of some entries: all others are free.
func (b bounds) within(entries []int) bounds {
	w := everything(b.lo.Rows, b.lo.Cols)
	for _, i := range entries {
		w.lo.Data[i], w.hi.Data[i] = b.lo.Data[i], b.hi.Data[i]
	}
	return w
}

// Properties implements framework.Set.
func (b bounds) Properties() framework.Properties {
	return framework.Properties{Kind: "box", Convex: true, RowWise: true, Separable: true}
}

// Project implements framework.Set.
func (b bounds) Project(dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	for i, v := range at.X.Data {
		dst.Data[i] = qp.Clip(v, b.lo.Data[i], b.hi.Data[i])
	}
	return nil
}

// Violation returns the Euclidean distance from the set.
func (b bounds) Violation(y framework.Matrix) float64 {
	off := make([]float64, len(y.Data))
	for i, v := range y.Data {
		off[i] = v - qp.Clip(v, b.lo.Data[i], b.hi.Data[i])
	}
	return qp.Norm(off)
}
