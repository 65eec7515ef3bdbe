package kernel

import "math"

// portable defines what all other implementations compute.
var portable = implementation{
	name: "go", find: find, assign: assign, move: move, means: means, add: add, drain: drain, addSquares: addSquares, addRoots: addRoots,
	totals: totals, squares: squares, changed: changed, remember: remember, recall: recall, products: products, pick: pick,
}

func find(m Measure, x []float64, n int, c *Centers, f Nearest, dst []float64) {
	var d [side]float64
	for i := range n {
		row := x[i*c.S : (i+1)*c.S]
		if dst != nil {
			for j := 0; j < c.K; j += side {
				four(&d, m, row, c, j)
				copy(dst[i*c.K+j:(i+1)*c.K], d[:])
			}
			continue
		}
		label, best, second := nearest(m, row, c)
		f.Label[i] = label
		if f.Best != nil {
			f.Best[i] = best
		}
		if f.Second != nil {
			f.Second[i] = second
		}
	}
}

func nearest(m Measure, row []float64, c *Centers) (label int32, best, second float64) {
	var d [side]float64
	best, second = math.Inf(1), math.Inf(1)
	for j := 0; j < c.K; j += side {
		four(&d, m, row, c, j)
		for t, v := range d[:min(side, c.K-j)] {
			switch {
			case v < best:
				best, second, label = v, best, int32(j+t)
			case v < second:
				second = v
			}
		}
	}
	return label, best, second
}

func assign(m Measure, x []float64, c *Centers, b *Bound, drift []float64, all bool) int {
	computed := 0
	for i := range b.Label {
		if !all && float64(b.Gap[i]) > drift[b.Label[i]] {
			continue
		}
		computed++
		label, best, second := nearest(m, x[i*c.S:(i+1)*c.S], c)
		b.Label[i], b.Gap[i] = label, gap(m.Loss, best, second, margin(c.S), drift[label])
	}
	return computed
}

func move(s Sums, x []float64, p int, from, to []int32, weight []float64) int {
	k := len(s.Mass)
	for i, t := range to {
		f := int32(-1)
		if from != nil {
			f = from[i]
		}
		if f == t {
			continue
		}
		if int(f) >= k || int(t) >= k {
			return i
		}
		row, w, add := x[i*p:(i+1)*p], 1.0, s.add
		if weight != nil {
			w = weight[i]
		}
		if s.Low != nil {
			if w == 0 {
				continue
			}
			w, add = 1, s.addParts
		}
		if f >= 0 {
			add(int(f), p, row, -w)
		}
		if t >= 0 {
			add(int(t), p, row, w)
		}
	}
	return len(to)
}

// add adds a row of weight w to cluster j. The conversions keep the product
// from being fused with the sum.
func (s Sums) add(j, p int, row []float64, w float64) {
	s.Mass[j] += w
	sum := s.Sum[j*p : (j+1)*p]
	for l, v := range row {
		if s.Count != nil && v != v {
			continue
		}
		if s.Origin != nil {
			v -= s.Origin[l]
		}
		sum[l] += float64(w * v)
		if s.Count != nil {
			s.Count[j*p+l] += w
		}
	}
}

// addParts adds a row to sums in two parts, or subtracts it if w is −1.
func (s Sums) addParts(j, p int, row []float64, w float64) {
	s.Mass[j] += w
	sum, low := s.Sum[j*p:(j+1)*p], s.Low[j*p:(j+1)*p]
	for l, v := range row {
		if s.Count != nil {
			if v != v {
				continue
			}
			s.Count[j*p+l] += w
		}
		high := math.Float64frombits(math.Float64bits(v) &^ lowBits)
		sum[l] += float64(w * high)
		low[l] += float64(w * (v - high))
	}
}

func means(s Sums, square, theta, mean, column []float64, first, end int) {
	if s.Low != nil {
		meansOfParts(s, square, theta, mean, column, first, end)
		return
	}
	for l := first; l < end; l++ {
		within, shift := square[l], 0.0
		for j, m := range s.Mass {
			i := j*len(column) + l
			if s.Count != nil {
				m = s.Count[i]
			}
			mean[i] = 0
			if !(m > 0) {
				continue
			}
			about := s.Sum[i] / m
			mean[i] = about
			if s.Origin != nil {
				mean[i] += s.Origin[l]
			}
			d := mean[i] - theta[i]
			within -= float64(s.Sum[i] * about)
			shift += float64(m * d * d)
		}
		if !(within > 0) {
			within = 0
		}
		column[l] = within + shift
	}
}

func meansOfParts(s Sums, square, theta, mean, column []float64, first, end int) {
	for l := first; l < end; l++ {
		within, shift := square[l], 0.0
		for j, m := range s.Mass {
			i := j*len(column) + l
			if s.Count != nil {
				m = s.Count[i]
			}
			mean[i] = 0
			if !(m > 0) {
				continue
			}
			high, low := s.Sum[i], s.Low[i]
			mean[i] = high/m + float64(low*(1/m))
			sum, about := high+low, mean[i]
			if s.Origin != nil {
				sum = math.FMA(-m, s.Origin[l], high) + low
				about = sum / m
			}
			d := mean[i] - theta[i]
			within -= float64(sum * about)
			shift += float64(m * d * d)
		}
		if !(within > 0) {
			within = 0
		}
		column[l] = within + shift
	}
}

func add(sum, x []float64) {
	for i, v := range x {
		sum[i] += v
	}
}

func drain(sum, x []float64) {
	for i, v := range x {
		if v != 0 {
			sum[i] += v
		}
		x[i] = 0
	}
}

func addSquares(sum, x, mass []float64) {
	for j, m := range mass {
		for l, v := range x[j*len(sum) : (j+1)*len(sum)] {
			sum[l] += float64(m * float64(v*v))
		}
	}
}

func totals(t Totals, x []float64) {
	for p := len(t.Pivot); len(x) > 0; x = x[p:] {
		for l, v := range x[:p] {
			if v != v {
				t.Missing[l]++
				continue
			}
			pivot, high := t.Pivot[l], t.High[l]
			d := v - pivot
			part := d - v
			lost := (v - (d - part)) - (pivot + part)
			sum := high + d
			part = sum - high
			t.High[l] = sum
			t.Low[l] = (t.Low[l] + ((high - (sum - part)) + (d - part))) + lost
			if v < t.Min[l] {
				t.Min[l] = v
			}
			if v > t.Max[l] {
				t.Max[l] = v
			}
		}
	}
}

func squares(s Squares, x []float64) {
	for p := len(s.Mean); len(x) > 0; x = x[p:] {
		for l, v := range x[:p] {
			if v != v {
				continue
			}
			d := (v - s.Mean[l]) * s.Inverse[l]
			s.Off[l] += d
			s.Centred[l] += float64(d * d)
			s.Square[l] += float64(v * v)
		}
	}
}

func addRoots(sum, x []float64, labels []int32, weights []float64, n int) {
	for i, j := range labels {
		to := sum[int(j)*n:][:n]
		for l, v := range x[i*n:][:n] {
			to[l] += float64(weights[i] * math.Sqrt(v))
		}
	}
}

func changed(rows, from, to []int32) (n int, negative bool) {
	var all int32
	for i, label := range to {
		all |= label
		if rows[n] = int32(i); from[i] != label {
			n++
		}
	}
	return n, all < 0
}
