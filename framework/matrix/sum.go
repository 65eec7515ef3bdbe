package matrix

import "math"

// An exactSum is a sum of numbers with twice the digits of a float64: high is
// the sum rounded, and low is nearly all that rounding has taken from it. What
// is lost is about 2⁻¹⁰⁴ of the largest partial sum, so that numbers that cancel
// leave what a float64 can hold. Both are NaN or infinite if the sum overflows.
//
// Source: Ogita, Rump and Oishi (2005), Accurate sum and dot product,
// algorithms 3.1, 3.3 and 4.4.
type exactSum struct{ high, low float64 }

// add adds a number.
func (s *exactSum) add(x float64) {
	sum := s.high + x
	part := sum - s.high
	s.low += (s.high - (sum - part)) + (x - part)
	s.high = sum
}

// addProduct adds w·(v − pivot).
func (s *exactSum) addProduct(w, v, pivot float64) {
	d := v - pivot
	part := d - v
	lost := (v - (d - part)) - (pivot + part)
	if w == 1 {
		s.add(d)
		s.low += lost
		return
	}
	product := w * d
	s.add(product)
	s.low += math.FMA(w, d, -product) + float64(w*lost)
}

// addSum adds another sum.
func (s *exactSum) addSum(other exactSum) {
	s.add(other.high)
	s.low += other.low
}

// value returns the sum as one number.
func (s exactSum) value() float64 { return s.high + s.low }

// plusRatio returns x + s/by, rounded once but for about 2⁻¹⁰⁰ of its parts.
func (s exactSum) plusRatio(x float64, by exactSum) float64 {
	divisor := by.value()
	quotient := s.value() / divisor
	// What the quotient leaves over: s − quotient·by, whose first part is exact.
	rest := (math.FMA(-quotient, by.high, s.high) + s.low) - float64(quotient*by.low)
	sum := exactSum{high: x}
	sum.add(quotient)
	sum.add(rest / divisor)
	return sum.value()
}
