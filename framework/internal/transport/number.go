package transport

import (
	"math"
	"math/bits"
)

// A number is a whole multiple of a unit, a power of two that divides all costs. All
// lengths of ways and all prices are such numbers, so that nothing is ever rounded.
type number[N any] interface {
	comparable
	plus(N) N
	minus(N) N
	less(N) bool
	sign() int
	of(mantissa uint64, shift int) N // ± is left to the caller; shift ≥ 0
	float(unit int) float64          // within 2 parts in 2⁵³
}

// The widths: of usual costs, of those beside rounding errors squared (the distance
// of a row to its own mean), and of all that float64 has.
type (
	int128 struct {
		hi int64
		lo uint64
	}
	int256  [4]uint64 // two's complement, lowest word first
	int2304 [36]uint64
)

// spare returns the number of bits that sums need above the largest cost: the total
// of all rows, and prices, which are ways of up to k steps.
func spare(n, k int) int { return max(2+bits.Len(uint(n)), 12+bits.Len(uint(k))) }

func (a int128) plus(b int128) int128 {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return int128{a.hi + b.hi + int64(carry), lo}
}

func (a int128) minus(b int128) int128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	return int128{a.hi - b.hi - int64(borrow), lo}
}

func (a int128) less(b int128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a int128) sign() int {
	switch {
	case a.hi < 0:
		return -1
	case a.hi == 0 && a.lo == 0:
		return 0
	}
	return 1
}

func (int128) of(m uint64, shift int) int128 {
	if shift >= 64 {
		return int128{hi: int64(m << (shift - 64))}
	}
	return int128{int64(m >> (64 - shift)), m << shift}
}

func (a int128) float(unit int) float64 {
	sign := 1.0
	if a.hi < 0 {
		a, sign = int128{}.minus(a), -1
	}
	return sign * math.Ldexp(float64(uint64(a.hi))*0x1p64+float64(a.lo), unit)
}

func (a int256) plus(b int256) (c int256)    { addWords(c[:], a[:], b[:]); return c }
func (a int256) minus(b int256) (c int256)   { subWords(c[:], a[:], b[:]); return c }
func (a int256) less(b int256) bool          { return lessWords(a[:], b[:]) }
func (a int256) sign() int                   { return signWords(a[:]) }
func (int256) of(m uint64, s int) (c int256) { setWords(c[:], m, s); return c }
func (a int256) float(unit int) float64      { return floatWords(a[:], unit) }

func (a int2304) plus(b int2304) (c int2304)   { addWords(c[:], a[:], b[:]); return c }
func (a int2304) minus(b int2304) (c int2304)  { subWords(c[:], a[:], b[:]); return c }
func (a int2304) less(b int2304) bool          { return lessWords(a[:], b[:]) }
func (a int2304) sign() int                    { return signWords(a[:]) }
func (int2304) of(m uint64, s int) (c int2304) { setWords(c[:], m, s); return c }
func (a int2304) float(unit int) float64       { return floatWords(a[:], unit) }

func addWords(c, a, b []uint64) {
	var carry uint64
	for i := range c {
		c[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

func subWords(c, a, b []uint64) {
	var borrow uint64
	for i := range c {
		c[i], borrow = bits.Sub64(a[i], b[i], borrow)
	}
}

func lessWords(a, b []uint64) bool {
	top := len(a) - 1
	if a[top] != b[top] {
		return int64(a[top]) < int64(b[top])
	}
	for i := top - 1; i >= 0; i-- {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func signWords(a []uint64) int {
	if int64(a[len(a)-1]) < 0 {
		return -1
	}
	for _, w := range a {
		if w != 0 {
			return 1
		}
	}
	return 0
}

func setWords(c []uint64, m uint64, shift int) {
	i, s := shift/64, shift%64
	c[i] = m << s
	if s > 0 && i+1 < len(c) {
		c[i+1] = m >> (64 - s)
	}
}

func floatWords(a []uint64, unit int) float64 {
	if signWords(a) < 0 {
		b := make([]uint64, len(a))
		subWords(b, b, a)
		return -floatWords(b, unit)
	}
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] == 0 {
			continue
		}
		v := math.Ldexp(float64(a[i]), 64*i+unit)
		if i > 0 {
			v += math.Ldexp(float64(a[i-1]), 64*(i-1)+unit)
		}
		return v
	}
	return 0
}

// split returns the mantissa and the exponent of |v|, which is mantissa · 2^exponent.
func split(v float64) (mantissa uint64, exponent int) {
	b := math.Float64bits(v)
	mantissa, exponent = b&(1<<52-1), int(b>>52&0x7ff)
	if exponent == 0 {
		return mantissa, -1074
	}
	return mantissa | 1<<52, exponent - 1075
}

// exact returns v, a multiple of 2^unit; of another v, what is below the unit is cut.
func exact[N number[N]](v float64, unit int) N {
	var zero N
	m, e := split(v)
	if e < unit {
		m, e = m>>min(unit-e, 63), unit
	}
	n := zero.of(m, e-unit)
	if v < 0 {
		return zero.minus(n)
	}
	return n
}
