package labelset

import (
	"fmt"
	"math"
	"math/big"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A size is a limit of the number of rows of a cluster.
type size struct {
	row, cluster int
	lo, hi       int        // 0 and n: no limit
	shown        [2]float64 // infinite: no limit
}

func (l size) measure(counts []int) measured {
	m := measured{exact: float64(min(counts[l.cluster]-l.lo, l.hi-counts[l.cluster]))}
	m.Cluster, m.Amount = l.cluster, float64(counts[l.cluster])
	m.Lo, m.Hi = l.shown[0], l.shown[1]
	return m
}

// sizeKind is the kind size: lo and hi are numbers of rows.
func sizeKind() kind {
	return kind{framework.SetDescription{
		Kind: "size", Version: "1", Summary: "each cluster, or one, has from lo to hi rows", Uses: []string{"cluster", "lo", "hi"},
		Source:  "P. S. Bradley, K. P. Bennett and A. Demiriz (2000), Constrained k-means clustering, Microsoft Research MSR-TR-2000-65",
		Example: rows("size", framework.ConstraintRow{Lo: ptr(2.0), Hi: ptr(4.0)}),
		More: [][]framework.ConstraintRow{rows("size", framework.ConstraintRow{Cluster: ptr(1), Lo: ptr(4.0)},
			framework.ConstraintRow{Cluster: ptr(0), Hi: ptr(2.0)})},
	}, func(d *declaration) {
		d.sizes(rowsOf, func(v float64) *big.Rat {
			r := decimal(v)
			if !r.IsInt() {
				d.fail("counts rows, so that lo and hi must be whole numbers, and one is %g; share is for parts of all rows", v)
			}
			return r
		})
	}}
}

// shareKind is the kind share: lo and hi are parts of all rows.
func shareKind() kind {
	return kind{framework.SetDescription{
		Kind: "share", Version: "1",
		Summary: "each cluster, or one, has from lo to hi of all rows, as a part of 1", Uses: []string{"cluster", "lo", "hi"},
		Example: rows("share", framework.ConstraintRow{Lo: ptr(0.3)}),
		More:    [][]framework.ConstraintRow{rows("share", framework.ConstraintRow{Cluster: ptr(2), Hi: ptr(0.2)})},
	}, func(d *declaration) {
		d.sizes(func(float64, float64) string { return "of all rows" }, func(v float64) *big.Rat {
			if v < 0 || v > 1 {
				d.fail("lo and hi are parts of all rows, from 0 to 1, and one is %g", v)
			}
			return new(big.Rat).Mul(new(big.Rat).SetInt64(int64(d.set.n)), decimal(v))
		})
	}}
}

// sizes makes limits of the rows of a declaration. rows returns the number of rows that a
// bound stands for, which is rounded into the limits.
func (d *declaration) sizes(unit func(lo, hi float64) string, rows func(v float64) *big.Rat) {
	for i, r := range d.rows {
		d.at = i
		lo, hi := d.bounds(r)
		l := size{row: i, lo: 0, hi: d.set.n, shown: [2]float64{lo, hi}}
		if !math.IsInf(lo, -1) {
			least := rows(lo)
			l.lo = ceil(least, d.set.n+1)
			l.shown[0] = shown(least, l.lo)
		}
		if !math.IsInf(hi, 1) {
			most := rows(hi)
			l.hi = floor(most, d.set.n)
			l.shown[1] = shown(most, l.hi)
		}
		if lo <= 0 && hi > 0 && !math.IsInf(hi, 1) {
			lo = math.Inf(-1) // "at most" says it better than "0 to"
		}
		d.says("%s: %s %s", clusterName(r.Cluster), between(lo, hi), unit(lo, hi))
		for _, j := range d.clusters(r.Cluster) {
			l.cluster = j
			d.set.sizes = append(d.set.sizes, l)
		}
	}
}

// rowsOf returns "row" or "rows", as goes with the last number of between.
func rowsOf(lo, hi float64) string {
	if hi == 1 || math.IsInf(hi, 1) && lo == 1 {
		return "row"
	}
	return "rows"
}

// shown returns a number of rows as it is declared, or, if it is none, rounded.
func shown(declared *big.Rat, rounded int) float64 {
	if !declared.IsInt() {
		return float64(rounded)
	}
	v, _ := declared.Float64()
	return v
}

// floor returns the whole number at or below r, from −1 to most.
func floor(r *big.Rat, most int) int {
	v := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: at or below, for denominators > 0
	switch {
	case v.Sign() < 0:
		return -1
	case !v.IsInt64() || v.Int64() > int64(most):
		return most
	}
	return int(v.Int64())
}

// ceil returns the whole number at or above r, from 0 to most.
func ceil(r *big.Rat, most int) int {
	f := floor(new(big.Rat).Neg(r), most) // −1 for r > 0
	if f >= 0 {
		return 0
	}
	v := new(big.Int).Div(new(big.Int).Neg(r.Num()), r.Denom())
	v.Neg(v)
	if !v.IsInt64() || v.Int64() > int64(most) {
		return most
	}
	return int(v.Int64())
}

// between says two bounds.
func between(lo, hi float64) string {
	switch {
	case lo == hi:
		return fmt.Sprintf("exactly %g", lo)
	case math.IsInf(hi, 1):
		return fmt.Sprintf("at least %g", lo)
	case math.IsInf(lo, -1):
		return fmt.Sprintf("at most %g", hi)
	}
	return fmt.Sprintf("%g to %g", lo, hi)
}

func clusterName(j *int) string {
	if j == nil {
		return "each cluster"
	}
	return fmt.Sprintf("cluster %d", *j)
}
