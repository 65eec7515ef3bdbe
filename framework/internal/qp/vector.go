package qp

import (
	"math"
	"slices"
)

// Clip returns the point of [lo, hi] nearest to x.
func Clip(x, lo, hi float64) float64 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Norm returns the Euclidean norm, without overflow.
func Norm(x []float64) float64 {
	var most, sum float64
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 || math.IsInf(most, 0) || math.IsNaN(most) {
		return most
	}
	_, e := math.Frexp(most)
	half := math.Ldexp(1, -e/2) // in two steps, neither of which overflows
	rest := math.Ldexp(1, e/2-e)
	for _, v := range x {
		v = v * half * rest
		sum += float64(v * v)
	}
	return math.Ldexp(math.Sqrt(sum), e)
}

// MaxAbs returns the largest absolute value.
func MaxAbs(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// FarApart returns the largest difference of two vectors.
func FarApart(a, b []float64) (most float64) {
	for i, v := range a {
		most = max(most, math.Abs(v-b[i]))
	}
	return most
}

// Normal divides masses by the largest, in place. It returns nil if all are equal.
func Normal(mass []float64) []float64 {
	if len(mass) == 0 {
		return nil
	}
	least, most := slices.Min(mass), slices.Max(mass)
	if least == most {
		return nil
	}
	for i := range mass {
		mass[i] /= most
	}
	return mass
}

// Split returns the positions with and without mass. A nil mass is above 0 everywhere.
func Split(mass []float64) (heavy, light []int) {
	if !slices.Contains(mass, 0) {
		return nil, nil
	}
	for i, m := range mass {
		if m > 0 {
			heavy = append(heavy, i)
		} else {
			light = append(light, i)
		}
	}
	return heavy, light
}

// Pick returns some entries of x.
func Pick(x []float64, at []int) []float64 {
	v := make([]float64, len(at))
	for i, l := range at {
		v[i] = x[l]
	}
	return v
}

// Put writes some entries of x.
func Put(x []float64, at []int, v []float64) {
	for i, l := range at {
		x[l] = v[i]
	}
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// SumAbs returns the sum of the absolute values.
func SumAbs(x []float64) (s float64) {
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}
