package constraint

import (
	"slices"
	"sync"
)

// excess returns the sum of all but the s largest values, and reorders them.
func excess(values []float64, s int) float64 {
	slices.Sort(values)
	var sum float64
	for _, v := range values[:max(0, len(values)-s)] {
		sum += v
	}
	return sum
}

// largest sets keep for the s largest values; ties go to the lower index.
func largest(keep []bool, values []float64, s int) {
	if s >= len(values) {
		for i := range keep {
			keep[i] = true
		}
		return
	}
	clear(keep)
	if s <= 0 {
		return
	}
	cut := threshold(values, s)
	keep = keep[:len(values)]
	for i, v := range values { // no branch that is hard to foresee
		above := v > cut
		keep[i] = above
		if above {
			s--
		}
	}
	for i := 0; s > 0; i++ {
		if values[i] == cut {
			keep[i] = true
			s--
		}
	}
}

// rooms are slices for threshold to work in.
var rooms = sync.Pool{New: func() any { return new([]float64) }}

// threshold returns the s-th largest value, 1 ≤ s ≤ len(values). It uses a heap of
// the largest values if s is small, and quickselect (Hoare 1961) otherwise. The
// expected time is proportional to the number of values, none of which may be NaN.
func threshold(values []float64, s int) float64 {
	room := rooms.Get().(*[]float64)
	defer rooms.Put(room)
	if s <= len(values)/16 {
		*room = append((*room)[:0], values[:s]...)
		return smallestOfLargest(*room, values[s:])
	}
	*room = append((*room)[:0], values...)
	v := *room
	want := s - 1
	low, high := 0, len(v)-1
	for low < high {
		pivot := median(v[low], v[(low+high)/2], v[high])
		i, j := low, high
		for i <= j {
			for v[i] > pivot {
				i++
			}
			for v[j] < pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case want <= j:
			high = j
		case want >= i:
			low = i
		default:
			return v[want]
		}
	}
	return v[want]
}

// smallestOfLargest keeps the largest values in heap, with the smallest of them at
// the root, and returns the root.
func smallestOfLargest(heap, values []float64) float64 {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for _, v := range values {
		if v > heap[0] {
			heap[0] = v
			sink(heap, 0)
		}
	}
	return heap[0]
}

// sink moves entry i of the heap down to where it belongs.
func sink(heap []float64, i int) {
	for {
		least := 2*i + 1
		if least >= len(heap) {
			return
		}
		if least+1 < len(heap) && heap[least+1] < heap[least] {
			least++
		}
		if heap[i] <= heap[least] {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// median returns the median of three values.
func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// groupSums appends to dst the sum of the values of each group.
func groupSums(dst, values []float64, group []int) []float64 {
	for l, g := range group {
		for g >= len(dst) {
			dst = append(dst, 0)
		}
		dst[g] += values[l]
	}
	return dst
}

// A groupBuffer is memory for largestGroups.
type groupBuffer struct {
	gains []float64
	keep  []bool
}

var groupBuffers = sync.Pool{New: func() any { return new(groupBuffer) }}

// largestGroups sets keep for the columns of the s groups with the largest sums of
// values; ties go to the lower number.
func largestGroups(keep []bool, values []float64, group []int, s int) {
	room := groupBuffers.Get().(*groupBuffer)
	defer groupBuffers.Put(room)
	room.gains = groupSums(room.gains[:0], values, group)
	room.keep = slices.Grow(room.keep[:0], len(room.gains))[:len(room.gains)]
	largest(room.keep, room.gains, s)
	for l, g := range group {
		keep[l] = room.keep[g]
	}
}
