package declare

import (
	"maps"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// fitted carries a value of column l from original units into the fitted space.
func (r *reader) fitted(l int, v float64) float64 {
	return (v - r.columns[l].Location) / r.columns[l].Scale
}

// most returns the largest absolute value that a limit may have in the fitted
// space. A sum over all cells of squared differences between numbers of that
// size is far from overflow, even if each is counted a hundred times.
func (r *reader) most() float64 {
	cells := 1.0
	for _, c := range r.columns {
		cells += max(float64(r.k), c.Mass)
	}
	return math.Sqrt(math.MaxFloat64/cells) / 20
}

// small reports whether the squares of a limit can be summed. If not, it notes an
// error at the feature, or at none (""). why says why the limit is too large where
// its size alone does not explain that. An infinite limit limits nothing.
func (d *declaration) small(feature, what string, given, fitted float64, why string) bool {
	if math.IsInf(given, 0) || math.Abs(fitted) <= d.most() {
		return true
	}
	d.fail(feature, "%s is %g, which is too large%s: sums of squares overflow; for no limit, use NULL, or Infinity as lo or hi",
		what, given, why)
	return false
}

// features returns the columns that a line names.
func (r *reader) features(l line) []int {
	if l.feature >= 0 {
		return []int{l.feature}
	}
	all := make([]int, len(r.columns))
	for i := range all {
		all[i] = i
	}
	return all
}

// clusters returns the value of Where.Clusters for a cluster; −1 means every one.
func clusters(j int) []int {
	if j < 0 {
		return nil
	}
	return []int{j}
}

// byCluster groups the lines by cluster; lines for every cluster come first.
func (d *declaration) byCluster() map[int][]line {
	by := map[int][]line{}
	for _, l := range d.lines {
		by[l.cluster] = append(by[l.cluster], l)
	}
	return by
}

// boxes makes a box for each named cluster from rows of kind box, nonnegative and
// fixed. In the fitted space bounds are still bounds.
func (d *declaration) boxes() []framework.Set {
	by := d.byCluster()
	var sets []framework.Set
	for _, j := range slices.Sorted(maps.Keys(by)) {
		p := len(d.columns)
		b := constraint.Box{Where: constraint.Where{Clusters: clusters(j)}, Lo: make([]float64, p), Hi: make([]float64, p)}
		for l := range p {
			b.Lo[l], b.Hi[l] = math.Inf(-1), math.Inf(1)
		}
		for _, l := range by[j] {
			lo, hi, ok := d.limits(l)
			if !ok {
				continue
			}
			for _, f := range d.features(l) {
				if !d.smallBox(l, f) {
					continue
				}
				if low, high := max(b.Lo[f], d.fitted(f, lo)), min(b.Hi[f], d.fitted(f, hi)); low > high {
					d.fail(d.columns[f].Name, "its rows have no value in common")
				} else {
					b.Lo[f], b.Hi[f] = low, high
					d.original.bound(j, f, lo, hi)
				}
			}
		}
		sets = append(sets, b)
	}
	return sets
}

// smallBox checks all bounds of a line for column f with small.
func (d *declaration) smallBox(l line, f int) bool {
	ok, place := true, ""
	if l.feature >= 0 {
		place = d.columns[f].Name
	}
	for _, c := range [...]struct {
		what  string
		value *float64
	}{{"lo", l.Lo}, {"hi", l.Hi}, {"value", l.Value}} {
		if c.value != nil && !d.small(place, c.what, *c.value, d.fitted(f, *c.value), "") {
			ok = false
		}
	}
	return ok
}

// limits returns the bounds of a line, in original units.
func (d *declaration) limits(l line) (lo, hi float64, ok bool) {
	feature := ""
	if l.feature >= 0 {
		feature = d.columns[l.feature].Name
	}
	lo, hi = math.Inf(-1), math.Inf(1)
	switch {
	case d.kind.name == "nonnegative":
		return 0, hi, true
	case d.kind.name == "fixed":
		if l.Value == nil {
			d.fail(feature, "value is NULL; it must be the number that the feature is fixed to")
			return lo, hi, false
		}
		return *l.Value, *l.Value, true
	case l.Lo == nil && l.Hi == nil:
		d.fail(feature, "lo and hi are NULL: a box needs at least one of them")
		return lo, hi, false
	}
	if l.Lo != nil {
		lo = *l.Lo
	}
	if l.Hi != nil {
		hi = *l.Hi
	}
	if lo > hi {
		d.fail(feature, "lo is %g, above hi, which is %g", lo, hi)
		return lo, hi, false
	}
	if math.IsInf(lo, 1) || math.IsInf(hi, -1) {
		d.fail(feature, "no number is from %g to %g", lo, hi)
		return lo, hi, false
	}
	return lo, hi, true
}

// agreed returns the value that the lines agree on; some may give none.
func (d *declaration) agreed(what string, lines []line, value func(line) *float64) (float64, bool) {
	var v *float64
	for _, l := range lines {
		switch next := value(l); {
		case next == nil:
		case v == nil:
			v = next
		case *v != *next:
			d.fail("", "%s is %g in one row and %g in another; the rows of one set must agree (sets of the same kind need names)", what, *v, *next)
			return 0, false
		}
	}
	if v == nil {
		return 0, false
	}
	return *v, true
}

// radial makes a simplex or ball for each named cluster. It needs columns that are
// neither centered nor scaled: otherwise its shape would change.
func (d *declaration) radial() []framework.Set {
	by := d.byCluster()
	var sets []framework.Set
	for _, j := range slices.Sorted(maps.Keys(by)) {
		r, ok := d.agreed("value", by[j], func(l line) *float64 { return l.Value })
		if !ok {
			if !d.bad {
				d.fail("", "value is NULL in all rows; it must be the %s", map[bool]string{true: "sum", false: "radius"}[d.kind.name == "simplex"])
			}
			continue
		}
		d.small("", "value", r, r, "")
		w := constraint.Where{Clusters: clusters(j), Features: d.spoken(by[j])}
		for _, l := range w.Features {
			if c := d.columns[l]; c.Location != 0 || c.Scale != 1 {
				d.fail("", "%s is centered or scaled, which would change the shape of the %s: use %s, which leaves columns as they are",
					c.Name, d.kind.name, framework.SettingTo("scale", "raw"))
				break
			}
		}
		if len(w.Features) == len(d.columns) {
			w.Features = nil
		}
		switch d.kind.name {
		case "simplex":
			sets = append(sets, constraint.Simplex{Where: w, Radius: r})
		case "l1_ball":
			sets = append(sets, constraint.L1Ball{Where: w, Radius: r})
		default:
			sets = append(sets, constraint.L2Ball{Where: w, Radius: r})
		}
	}
	return sets
}

// spoken returns the columns that any of the lines names, in order.
func (d *declaration) spoken(lines []line) []int {
	var all []int
	for _, l := range lines {
		all = append(all, d.features(l)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// monotone makes an order of features for each named cluster. The order holds in
// original units.
func (d *declaration) monotone() []framework.Set {
	by := d.byCluster()
	var sets []framework.Set
	for _, j := range slices.Sorted(maps.Keys(by)) {
		lines := by[j]
		for _, l := range lines {
			if l.feature < 0 || l.Value == nil {
				d.fail("", "each row needs a feature, and its place in the order as value")
				return nil
			}
		}
		slices.SortStableFunc(lines, func(a, b line) int { return compareOptional(a.Value, b.Value) })
		m := constraint.Monotone{Where: constraint.Where{Clusters: clusters(j)}}
		for i, l := range lines {
			c := d.columns[l.feature]
			switch {
			case slices.Contains(m.Features, l.feature):
				d.fail(c.Name, "it is in the order twice")
			case i > 0 && *l.Value == *lines[i-1].Value:
				d.fail(c.Name, "it has the same place as %s, %g", d.columns[lines[i-1].feature].Name, *l.Value)
			}
			m.Features = append(m.Features, l.feature)
			m.Location = append(m.Location, c.Location)
			m.Scale = append(m.Scale, c.Scale)
		}
		if len(lines) < 2 {
			d.fail("", "an order needs at least two features")
		}
		if d.bad {
			return nil
		}
		d.original.rise(j, m.Features)
		sets = append(sets, m)
	}
	return sets
}

// sparsity makes a joint sparsity from rows without a cluster, and a sparsity of
// each center where all clusters are named. If there are groups, it counts groups.
func (d *declaration) sparsity() []framework.Set {
	s, ok := d.agreed("value", d.lines, func(l line) *float64 { return l.Value })
	if !ok {
		if !d.bad {
			d.fail("", "value is NULL in all rows; it must be the number of features to keep")
		}
		return nil
	}
	if s != math.Trunc(s) || s < 1 || s > float64(d.groups) {
		of := ""
		if d.group != nil {
			of = ", the number of groups"
		}
		d.fail("", "value is %g; it must be a whole number from 1 to %d%s", s, d.groups, of)
		return nil
	}
	by := d.byCluster()
	_, every := by[-1]
	if (every && len(by) > 1) || (!every && len(by) < d.k) {
		d.fail("", "rows with a cluster select features for each center, and then all of %s must be named, and none be NULL",
			words.Plural(d.k, "cluster"))
		return nil
	}
	return []framework.Set{constraint.Sparsity{S: int(s), PerCenter: !every, Groups: d.group}}
}
