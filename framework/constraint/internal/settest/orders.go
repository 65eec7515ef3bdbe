package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

func init() {
	Families["monotone"] = rowFamily(drawMonotone,
		func(m *constraint.Monotone) *constraint.Where { return &m.Where },
		func(m *constraint.Monotone, c float64) { m.Location = ScaleAll(m.Location, c) },
		farthestMonotone)
}

func drawMonotone(t *rapid.T, k, p int) constraint.Monotone {
	m := constraint.Monotone{Where: drawWhere(t, k, p)}
	n := widthOf(m.Where, p)
	if rapid.Bool().Draw(t, "shifted") {
		m.Location = Numbers(t, n, "location")
	}
	if rapid.Bool().Draw(t, "scaled") {
		m.Scale = make([]float64, n)
		for i := range m.Scale {
			m.Scale[i] = rapid.SampledFrom([]float64{0.5, 1, 3}).Draw(t, "scale")
		}
	}
	return m
}

// farthestMonotone: the set is a point plus a cone. The cone is spanned by the rays
// along which all features from some position on rise equally, and by the line along
// which all features do.
func farthestMonotone(m constraint.Monotone, d []float64, reach float64) []float64 {
	y, best, from := make([]float64, len(d)), 0.0, -1
	sign := 1.0
	for i := range d {
		var along float64
		for l := i; l < len(d); l++ {
			along += d[l] / unit(m.Scale, l)
		}
		if along > best || i == 0 && -along > best {
			best, from, sign = math.Abs(along), i, math.Copysign(1, along)
		}
	}
	for l := range d {
		v := 0.0
		if from >= 0 && l >= from {
			v = sign * reach
		}
		if m.Location != nil {
			v -= m.Location[l]
		}
		y[l] = v / unit(m.Scale, l)
	}
	return y
}

func unit(scale []float64, l int) float64 {
	if scale == nil {
		return 1
	}
	return scale[l]
}
