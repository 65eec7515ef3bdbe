package labelset

import (
	"math"
	"math/big"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A sum limits what a column adds up to in a cluster. Amounts are whole multiples of a unit,
// so that sums are exact.
type sum struct {
	row, cluster int
	amounts      []int64 // of each row
	size         float64 // the root of the mean square of amounts, at least 1
	unit         *big.Rat
	lo, hi       int64 // math.MinInt64 and math.MaxInt64: no limit
	shown        [2]float64
}

func (l sum) measure(labels []int32) measured {
	total := int64(0)
	for i, j := range labels {
		if int(j) == l.cluster {
			total += l.amounts[i]
		}
	}
	m := measured{exact: -l.off(total)}
	m.Cluster, m.Amount = l.cluster, l.number(total)
	m.Lo, m.Hi = l.shown[0], l.shown[1]
	if m.exact *= l.number(1); m.exact == 0 {
		m.exact = max(0, m.Slack())
	}
	return m
}

// off returns by how many units a total is off.
func (l sum) off(total int64) float64 {
	switch {
	case total < l.lo:
		return float64(l.lo - total)
	case total > l.hi:
		return float64(total - l.hi)
	}
	return 0
}

func (l sum) number(units int64) float64 {
	v, _ := new(big.Rat).Mul(l.unit, new(big.Rat).SetInt64(units)).Float64()
	return v
}

// capacityKind is the kind capacity.
func capacityKind() kind {
	return kind{framework.SetDescription{
		Kind: "capacity", Version: "1",
		Summary: "a column adds up to lo to hi in each cluster, or in one", Uses: []string{"cluster", "feature", "lo", "hi"},
		Example: rows("capacity", framework.ConstraintRow{Feature: ptr("f1"), Hi: ptr(20.0)}),
		More:    [][]framework.ConstraintRow{rows("capacity", framework.ConstraintRow{Cluster: ptr(1), Feature: ptr("f2"), Lo: ptr(5.5)})},
	}, func(d *declaration) {
		for i, r := range d.rows {
			d.at = i
			lo, hi := d.bounds(r)
			c := d.column(r)
			if c == nil || d.wrong != nil {
				return
			}
			if c.Numbers == nil && d.set.n > 0 {
				d.fail("adds up numbers, and the column %s has none", c.Name)
				return
			}
			l, ok := amounts(c.Numbers, lo, hi)
			if !ok {
				d.fail("adds up the column %s, which has NULL or an infinite number in it: say what such a row counts, with coalesce", c.Name)
				return
			}
			d.says("%s: the sum of %s is %s", clusterName(r.Cluster), c.Name, between(lo, hi))
			l.row = i
			for _, j := range d.clusters(r.Cluster) {
				l.cluster = j
				d.set.sums = append(d.set.sums, l)
			}
		}
	}}
}

// amounts makes numbers and limits multiples of a unit: the power of ten of their last
// decimal, so that sums are those of the decimals. Where sums would not fit, it is that of the numbers, and limits
// are rounded to what sums can be; where that does not fit either, the unit is 2⁻⁶⁰ of the sum of all absolute
// numbers, and limits give way by a unit for each row. A limit that no sum can break is none, and
// one that no sum can obey is a unit beyond the sum of all.
func amounts(numbers []float64, lo, hi float64) (l sum, ok bool) {
	for _, v := range numbers {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return l, false
		}
	}
	l.shown = [2]float64{lo, hi}
	texts, total := decimalSum(numbers)
	fits := func(digits int) bool {
		l.unit = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil))
		return new(big.Rat).Quo(total, l.unit).Cmp(new(big.Rat).SetInt64(1<<61)) <= 0
	}
	digits, give := 0, int64(0)
	for _, d := range texts {
		digits = max(digits, d.decimals())
	}
	if all := max(digits, newDecimal(lo).decimals(), newDecimal(hi).decimals()); fits(all) {
		digits = all
	} else if !fits(digits) {
		l.unit = new(big.Rat).Quo(total, new(big.Rat).SetInt64(1<<60))
		give = int64(len(numbers))
	}
	squares := 0.0
	l.amounts = make([]int64, len(numbers))
	for i, d := range texts {
		a, exact := d.units(digits)
		if !exact || give > 0 {
			a = l.whole(decimal(numbers[i]), false)
		}
		l.amounts[i] = a
		squares += float64(a) * float64(a)
	}
	l.size = max(1, math.Sqrt(squares/float64(max(len(numbers), 1))))
	l.lo, l.hi = math.MinInt64, math.MaxInt64
	most := l.whole(total, true)
	if below := new(big.Rat).Neg(total); !math.IsInf(lo, 0) && decimal(lo).Cmp(below) > 0 {
		if l.lo = most + 1; decimal(lo).Cmp(total) <= 0 {
			l.lo = l.whole(decimal(lo), true) - give
		}
	}
	if !math.IsInf(hi, 0) && decimal(hi).Cmp(total) < 0 {
		if l.hi = -most - 1; decimal(hi).Cmp(new(big.Rat).Neg(total)) >= 0 {
			l.hi = l.whole(decimal(hi), false) + give
		}
	}
	return l, true
}

// whole returns a number in units, rounded up or down.
func (l sum) whole(v *big.Rat, up bool) int64 {
	r := new(big.Rat).Quo(v, l.unit)
	f := new(big.Int).Div(r.Num(), r.Denom())
	if up && !r.IsInt() {
		f.Add(f, big.NewInt(1))
	}
	return f.Int64()
}
