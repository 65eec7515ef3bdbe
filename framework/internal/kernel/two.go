package kernel

import "fmt"

// Two has for each row its own center and the nearest other one, the lowest of equals,
// and the distances to both.
type Two struct {
	Own, Second     []int32
	Distance, Other []float64
}

const (
	twoRows    = 1024 // at a time
	candidates = 8    // of a row, at most; as in C
	odd        = -2   // in place of a second center: a distance is not finite; as in C
)

// Find finds Second and the distances of the first len(t.Own) rows of x (… × c.S,
// row-major), as Distances has them. Own is the center of a row, or −1 for the nearest
// one. It returns false, having done nothing, where it would take as long as Distances.
func (t Two) Find(m Measure, x []float64, c *Centers) bool {
	n := len(t.Own)
	if len(t.Second) != n || len(t.Distance) != n || len(t.Other) != n {
		panic(fmt.Sprintf("kernel: room for %d, %d and %d results of %d rows", len(t.Second), len(t.Distance), len(t.Other), n))
	}
	switch {
	case c.K < 2:
		return false
	case c.Groups() > 0 && c.filters(m):
		check(m, x, n, c)
		t.findByGroups(m, x, c)
	case chosen().between != nil:
		check(m, x, n, c)
		t.findByAll(m, x, c)
	default:
		return false
	}
	return true
}

// findByAll is Find by all distances, which are never written to memory.
func (t Two) findByAll(m Measure, x []float64, c *Centers) {
	own := t.Own
	for from := 0; from < len(own); from += twoRows {
		end := min(from+twoRows, len(own))
		var before [twoRows]int32
		copy(before[:], own[from:end])
		chosen().between(m, x[from*c.S:end*c.S], c, Two{own[from:end], t.Second[from:end], t.Distance[from:end], t.Other[from:end]})
		for i := from; i < end; i++ {
			if t.Second[i] == odd {
				own[i] = before[i-from]
				t.measure(i, m, x[i*c.S:(i+1)*c.S], c)
			}
		}
	}
}

// findByGroups is Find with the sums of a filter with groups: the two nearest centers in
// double precision are among those whose sum is at most T above the second least.
func (t Two) findByGroups(m Measure, x []float64, c *Centers) {
	n := len(t.Own)
	list := make([]int32, min(n, twoRows)*candidates)
	var row, center []int32
	var distance []float64
	for first := 0; first < n; first += twoRows {
		end := min(first+twoRows, n)
		some := x[first*c.S : end*c.S]
		chosen().candidates(some, end-first, c, list)
		row, center = row[:0], center[:0]
		for i := range end - first {
			all := list[i*candidates : (i+1)*candidates]
			if all[0] < 0 {
				continue
			}
			if own := t.Own[first+i]; own >= 0 {
				row, center = append(row, int32(i)), append(center, own)
			}
			for _, j := range all {
				if j < 0 {
					break
				}
				row, center = append(row, int32(i)), append(center, j)
			}
		}
		distance = append(distance[:0], make([]float64, len(row))...)
		chosen().pairs(some, c, row, center, distance)
		for i, at := 0, 0; i < end-first; i++ {
			if list[i*candidates] < 0 {
				t.measure(first+i, m, some[i*c.S:(i+1)*c.S], c)
				continue
			}
			from := at
			for at < len(row) && row[at] == int32(i) {
				at++
			}
			t.choose(first+i, center[from:at], distance[from:at])
		}
	}
}

// measure finds the centers of one row by all distances.
func (t Two) measure(i int, m Measure, x []float64, c *Centers) {
	center, distance := make([]int32, c.K), make([]float64, c.K)
	for j := range center {
		center[j] = int32(j)
	}
	Distances(distance, m, x, c)
	t.choose(i, center, distance)
}

// choose fills in row i from the distances to some centers, which may have one twice.
func (t Two) choose(i int, center []int32, distance []float64) {
	own := t.Own[i]
	if own < 0 {
		own = center[nearestOf(center, distance, -1)]
	}
	second := nearestOf(center, distance, own)
	t.Own[i], t.Second[i], t.Other[i] = own, center[second], distance[second]
	for k, j := range center {
		if j == own {
			t.Distance[i] = distance[k]
		}
	}
}

// nearestOf returns where the nearest center but one is, the lowest of equals.
func nearestOf(center []int32, distance []float64, but int32) int {
	found := -1
	for k, j := range center {
		if j != but && (found < 0 || distance[k] < distance[found] || distance[k] == distance[found] && j < center[found]) {
			found = k
		}
	}
	return found
}
