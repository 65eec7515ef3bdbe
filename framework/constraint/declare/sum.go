package declare

import (
	"maps"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// halfSpaces makes half-spaces of the inequality lo ≤ Σ coef · center ≤ hi. In the
// fitted space it is still linear: coefficients are multiplied by scales, and
// Σ coef · location is subtracted from the limits.
func (d *declaration) halfSpaces() []framework.Set {
	lo, hasLo := d.agreed("lo", d.lines, func(l line) *float64 { return l.Lo })
	hi, hasHi := d.agreed("hi", d.lines, func(l line) *float64 { return l.Hi })
	upper := "hi"
	value, hasValue := d.agreed("value", d.lines, func(l line) *float64 { return l.Value })
	switch {
	case hasHi && hasValue:
		d.fail("", "hi and value are both the upper limit of the sum: give only one")
	case hasValue:
		hi, hasHi, upper = value, true, "value"
	}
	by := d.byCluster()
	_, every := by[-1]
	switch {
	case len(d.lines) == 0 || d.bad:
		return nil
	case !hasLo && !hasHi:
		d.fail("", "hi (the upper limit of the sum), lo (the lower limit) and value (the same as hi) are NULL in all rows; one of them is needed")
	case hasLo && hasHi && lo > hi:
		d.fail("", "lo is %g, above hi, which is %g", lo, hi)
	case every && len(by) > 1:
		d.fail("", "some rows name a cluster and others do not: "+
			"an inequality of every cluster names none, one between clusters names one in each row")
	}
	coef, given, shift := d.sum()
	if d.bad {
		return nil
	}
	if hasHi {
		d.smallSum(upper, hi, shift, coef.Data)
	}
	if hasLo {
		d.smallSum("lo", lo, shift, coef.Data)
	}
	if d.bad {
		return nil
	}
	from, to := math.Inf(-1), math.Inf(1)
	if hasLo {
		from = lo
	}
	if hasHi {
		to = hi
	}
	d.original.sum(given, slices.Sorted(maps.Keys(by)), from, to)
	var sets []framework.Set
	add := func(sign, bound float64) {
		a := coef.Clone()
		for i := range a.Data {
			a.Data[i] *= sign
		}
		if len(by) > 1 {
			sets = append(sets, constraint.JointHalfSpace{Coef: a, Bound: sign * (bound - shift)})
			return
		}
		j := slices.Sorted(maps.Keys(by))[0]
		h := constraint.HalfSpace{Where: constraint.Where{Clusters: clusters(j), Features: []int{}}, Bound: sign * (bound - shift)}
		for l, v := range a.Row(max(j, 0)) {
			if v != 0 {
				h.Features, h.Coef = append(h.Features, l), append(h.Coef, v)
			}
		}
		sets = append(sets, h)
	}
	if hasHi && !math.IsInf(hi, 1) {
		add(1, hi)
	}
	if hasLo && !math.IsInf(lo, -1) {
		add(-1, lo)
	}
	return sets
}

// sum returns the coefficients of a sum in the fitted space (clusters × columns)
// and as given, and the number to subtract from its limits there:
// Σ coef · location. The first row has a sum that holds for every center.
func (d *declaration) sum() (coef, given framework.Matrix, shift float64) {
	coef = framework.NewMatrix(max(d.k, 1), len(d.columns))
	given = coef.Clone()
	for _, l := range d.lines {
		if l.Coef == nil {
			d.fail("", "coef is NULL in a row")
			break
		}
		for _, f := range d.features(l) {
			c := d.columns[f]
			coef.Row(max(l.cluster, 0))[f] += *l.Coef * c.Scale
			given.Row(max(l.cluster, 0))[f] += *l.Coef
			shift += float64(*l.Coef * c.Location)
		}
	}
	return coef, given, shift
}

// smallSum checks the limit of a sum with small: how far it lets the feature of the
// smallest coefficient go if all others are 0.
func (d *declaration) smallSum(what string, limit, shift float64, coef []float64) {
	least := math.Inf(1)
	for _, a := range coef {
		if math.IsInf(a, 0) || math.IsNaN(a) || math.IsInf(shift, 0) || math.IsNaN(shift) {
			d.fail("", "coef is too large: sums overflow")
			return
		}
		if a != 0 {
			least = min(least, math.Abs(a))
		}
	}
	if math.IsInf(least, 1) {
		return // no feature counts
	}
	d.small("", what, limit, (limit-shift)/least, " beside the smallest coef")
}
