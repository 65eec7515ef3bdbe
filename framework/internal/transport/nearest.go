package transport

import "math"

// A tie is a row with several cheapest clusters: which, ascending.
type tie struct {
	row      int32
	clusters []int32
}

// tied are ties in the order of their rows, in parts of chunk rows each.
type tied [][]tie

func (t tied) each(do func(tie)) {
	for _, part := range t {
		for _, one := range part {
			do(one)
		}
	}
}

// nearest gives each row its cheapest cluster. Of several, it takes the first that
// has room.
func (s *solver[N]) nearest() error {
	ties, _, err := s.cheapest(s.labels)
	if err != nil {
		return err
	}
	clear(s.size)
	ties.each(func(t tie) { s.labels[t.row] = -1 })
	for _, j := range s.labels {
		if j >= 0 {
			s.size[j]++
		}
	}
	ties.each(func(t tie) {
		best := t.clusters[0]
		for _, enough := range []func(j int) int{func(j int) int { return s.Lo[j] }, s.target} {
			found := false
			for _, j := range t.clusters {
				if s.size[j] < enough(int(j)) {
					best, found = j, true
					break
				}
			}
			if found {
				break
			}
		}
		s.labels[t.row] = best
		s.size[best]++
	})
	if s.teams != nil {
		return s.teams.spread()
	}
	return nil
}

// cheapest writes the cheapest cluster of each row, by cost plus price, to dst where
// there is one, and returns the rows that have several. moved is how many rows of
// one cheapest cluster had another label in dst.
//
// Each row is decided in float64 where that is certain, and exactly elsewhere. A sum
// c + p of rounded numbers is off by at most 2⁻⁵²(2|p| + |c + p|), by which
// the threshold below is generous.
func (s *solver[N]) cheapest(dst []int32) (t tied, moved int, err error) {
	price, top := s.floats()
	k := s.k
	t = make(tied, (s.n+chunk-1)/chunk)
	s.gaps = make([]float64, 0, 1<<12)
	stride := s.n>>12 + 1
	gaps := make([]float64, (s.n+stride-1)/stride)
	changed := make([]int, len(t))
	err = chunks(s.ctx, s.threads, s.n, func(_, part, from, to int) error {
		near := make([]int32, 0, k)
		sums := make([]N, k)
		for i := from; i < to; i++ {
			row := s.Costs[i*k : i*k+k]
			v1, v2, best := math.Inf(1), math.Inf(1), 0
			for j, c := range row { // without a branch: which cluster is next nearest is nobody's guess
				v := c + price[j]
				v2 = min(v2, max(v1, v))
				if v < v1 {
					best = j
				}
				v1 = min(v1, v)
			}
			if i%stride == 0 {
				gaps[i/stride] = v2 - v1
			}
			if !math.IsInf(v2, 1) && v2-v1 <= 0x1p-49*(top+math.Abs(v1)+math.Abs(v2)) {
				near = s.exactly(near[:0], sums, row, price, v1+0x1p-49*(top+math.Abs(v1)+math.Abs(v2)))
				best = int(near[0])
				if len(near) > 1 {
					t[part] = append(t[part], tie{int32(i), append([]int32(nil), near...)})
					continue
				}
			}
			if dst[i] != int32(best) {
				changed[part]++
				dst[i] = int32(best)
			}
		}
		return nil
	})
	for _, c := range changed {
		moved += c
	}
	s.gaps = gaps
	return t, moved, err
}

// exactly returns the clusters of least exact cost plus price among those that cost
// at most limit or so.
func (s *solver[N]) exactly(near []int32, sums []N, row, price []float64, limit float64) []int32 {
	best := -1
	for j, c := range row {
		if c+price[j] > limit+0x1p-48*math.Abs(limit) {
			continue
		}
		sums[j] = exact[N](c, s.unit).plus(s.price[j])
		switch {
		case best < 0 || sums[j].less(sums[best]):
			best, near = j, append(near[:0], int32(j))
		case !sums[best].less(sums[j]):
			near = append(near, int32(j))
		}
	}
	return near
}
