package kernel

import "math"

// Exact is a sum of numbers with twice the digits of a float64: High is
// the sum rounded, and Low is nearly all that rounding has taken from it. What
// is lost is about 2⁻¹⁰⁴ of the largest partial sum, so that numbers that cancel
// leave what a float64 can hold. Both are NaN or infinite if the sum overflows.
//
// Source: Ogita, Rump and Oishi (2005), Accurate sum and dot product,
// algorithms 3.1, 3.3 and 4.4.
type Exact struct{ High, Low float64 }

// Add adds a number.
func (s *Exact) Add(x float64) {
	sum := s.High + x
	part := sum - s.High
	s.Low += (s.High - (sum - part)) + (x - part)
	s.High = sum
}

// AddProduct adds w·x.
func (s *Exact) AddProduct(w, x float64) {
	product := w * x
	s.Add(product)
	s.Low += math.FMA(w, x, -product)
}

// AddDifference adds w·(v − pivot).
func (s *Exact) AddDifference(w, v, pivot float64) {
	d := v - pivot
	part := d - v
	lost := (v - (d - part)) - (pivot + part)
	if w == 1 {
		s.Add(d)
		s.Low += lost
		return
	}
	s.AddProduct(w, d)
	s.Low += float64(w * lost)
}

// AddSum adds another sum.
func (s *Exact) AddSum(other Exact) {
	s.Add(other.High)
	s.Low += other.Low
}

// Value returns the sum as one number.
func (s Exact) Value() float64 { return s.High + s.Low }

// PlusRatio returns x + s/by, rounded once but for about 2⁻¹⁰⁰ of its parts.
func (s Exact) PlusRatio(x float64, by Exact) float64 {
	divisor := by.Value()
	quotient := s.Value() / divisor
	// What the quotient leaves over: s − quotient·by, whose first part is exact.
	rest := (math.FMA(-quotient, by.High, s.High) + s.Low) - float64(quotient*by.Low)
	sum := Exact{High: x}
	sum.Add(quotient)
	sum.Add(rest / divisor)
	return sum.Value()
}
