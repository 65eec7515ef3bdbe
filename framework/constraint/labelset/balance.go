package labelset

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A balance limits the share that each value of a column has of the rows of a cluster.
type balance struct {
	row, cluster int
	codes        []int32
	values       []string
	lo, hi       share
	shown        [2]float64
}

// A share is a number from 0 to 1 in units of 10⁻¹⁸.
type share uint64

const whole = 1_000_000_000_000_000_000

// of returns the share of n rows, rounded down, and whether that has cut something.
func (p share) of(n int) (down int, cut bool) {
	high, low := bits.Mul64(uint64(p), uint64(n))
	quo, rem := bits.Div64(high, low, whole)
	return int(quo), rem > 0
}

// bounds returns how many of n rows may have one value.
func (l balance) bounds(n int) (lo, hi int) {
	lo, cut := l.lo.of(n)
	hi, _ = l.hi.of(n)
	return lo + one(cut), hi
}

// off returns by how many rows count of n are off.
func (l balance) off(count, n int) int {
	lo, hi := l.bounds(n)
	return max(0, lo-count, count-hi)
}

func (l balance) measure(labels []int32, sizes []int) []measured {
	counts := make([]int, len(l.values))
	for i, c := range l.codes {
		if c >= 0 && int(labels[i]) == l.cluster {
			counts[c]++
		}
	}
	n := sizes[l.cluster]
	all := make([]measured, len(l.values))
	for c := range all {
		m := &all[c]
		lo, hi := l.bounds(n)
		m.exact = float64(min(counts[c]-lo, hi-counts[c]))
		m.Cluster, m.Value = l.cluster, l.values[c]
		m.Lo, m.Hi = l.shown[0], l.shown[1]
		m.Amount = float64(counts[c]) / float64(n)
		if n == 0 {
			m.Amount = math.NaN()
		}
	}
	return all
}

// balanceKind is the kind balance.
func balanceKind() kind {
	return kind{framework.SetDescription{
		Kind: "balance", Version: "1",
		Summary: "each value of a column has from lo to hi of the rows of each cluster, or of one, as a part of 1",
		Uses:    []string{"cluster", "feature", "lo", "hi"},
		Source: "F. Chierichetti, R. Kumar, S. Lattanzi and S. Vassilvitskii (2017), Fair clustering through fairlets, " +
			"https://arxiv.org/abs/1802.05733",
		Example: rows("balance", framework.ConstraintRow{Feature: ptr("f3"), Lo: ptr(0.3)}),
		More:    [][]framework.ConstraintRow{rows("balance", framework.ConstraintRow{Cluster: ptr(0), Feature: ptr("f4"), Hi: ptr(0.5)})},
	}, func(d *declaration) {
		for i, r := range d.rows {
			d.at = i
			lo, hi := d.bounds(r)
			c := d.column(r)
			if c == nil || d.wrong != nil {
				return
			}
			if c.Codes == nil && d.set.n > 0 {
				d.fail("counts values, and the column %s has none", c.Name)
				return
			}
			l := balance{row: i, codes: c.Codes, values: c.Values, lo: 0, hi: whole, shown: [2]float64{lo, hi}}
			for _, v := range []float64{lo, hi} {
				if !math.IsInf(v, 0) && (v < 0 || v > 1) {
					d.fail("has shares of the rows of a cluster, from 0 to 1, and one is %g", v)
					return
				}
			}
			if !math.IsInf(lo, 0) {
				l.lo = shareOf(lo, true)
			}
			if !math.IsInf(hi, 0) {
				l.hi = shareOf(hi, false)
			}
			d.says("%s: each value of %s has %s of its rows", clusterName(r.Cluster), c.Name, between(lo, hi))
			for _, j := range d.clusters(r.Cluster) {
				l.cluster = j
				d.set.balances = append(d.set.balances, l)
			}
		}
	}}
}

// shareOf returns the share that the decimal text of v has. What has more than 18 decimals
// is rounded, up or down, which no number of rows below 10¹⁷ can tell.
func shareOf(v float64, up bool) share {
	r := new(big.Rat).Mul(decimal(v), new(big.Rat).SetInt64(whole))
	if up {
		return share(new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(r.Num()), r.Denom())).Int64())
	}
	return share(new(big.Int).Div(r.Num(), r.Denom()).Int64())
}
