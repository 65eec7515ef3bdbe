package kernel

import "math"

// A Loss is the distance that is summed over features.
type Loss int

// The losses. Their numbers are those of tile.h.
const (
	Squared  Loss = iota // (x − c)²
	Absolute             // |x − c|

	Losses // how many there are: the laws draw from all
)

// gap returns the entry of Bound.Gap.
func gap(loss Loss, best, second, margin, drift float64) float32 {
	sure := second <= math.MaxFloat64
	if loss == Squared {
		best, second = math.Sqrt(best), math.Sqrt(second)
	}
	g := second - best - float64(margin*(second+best))
	if !sure || !(g > minGap) {
		return -1
	}
	return float32(math.Min(g+drift, maxGap) * roundDown)
}

// side is the number of centers whose chains run side by side, to keep the
// processor busy.
const side = 4

// four writes the distances of row to centers j..j+3. Those past the last have no
// meaning.
func four(d *[side]float64, m Measure, row []float64, all *Centers, j int) {
	s := len(row)
	at := func(t int) []float64 {
		i := min(j+t, all.K-1)
		return all.Rows[i*s : i*s+s]
	}
	a, b, c, e := at(0), at(1), at(2), at(3)
	switch {
	case m.Weights != nil || m.Observed:
		for t, center := range [][]float64{a, b, c, e}[:min(side, all.K-j)] {
			d[t] = chain(m, row, center)
		}
	case m.Loss == Squared:
		squared(d, row, a, b, c, e)
	default:
		absolute(d, row, a, b, c, e)
	}
}

// chain is one distance.
func chain(m Measure, row, center []float64) float64 {
	var d float64
	for l, v := range row {
		if m.Observed && v != v {
			continue
		}
		t := v - center[l]
		switch {
		case m.Loss == Absolute && m.Weights != nil:
			d = math.FMA(m.Weights[l], math.Abs(t), d)
		case m.Loss == Absolute:
			d += math.Abs(t)
		case m.Weights != nil:
			d = math.FMA(m.Weights[l]*t, t, d)
		default:
			d = math.FMA(t, t, d)
		}
	}
	return d
}

func squared(d *[side]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		ta, tb, tc, te := v-a[l], v-b[l], v-c[l], v-e[l]
		da = math.FMA(ta, ta, da)
		db = math.FMA(tb, tb, db)
		dc = math.FMA(tc, tc, dc)
		de = math.FMA(te, te, de)
	}
	*d = [side]float64{da, db, dc, de}
}

func absolute(d *[side]float64, x, a, b, c, e []float64) {
	n := len(x)
	a, b, c, e = a[:n], b[:n], c[:n], e[:n]
	var da, db, dc, de float64
	for l, v := range x {
		da += math.Abs(v - a[l])
		db += math.Abs(v - b[l])
		dc += math.Abs(v - c[l])
		de += math.Abs(v - e[l])
	}
	*d = [side]float64{da, db, dc, de}
}
