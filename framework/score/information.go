package score

import (
	"fmt"
	"math"
)

// A Norm is what mutual information is divided by.
type Norm string

// The norms: the larger of the two entropies, their arithmetic mean, their
// geometric mean, and the smaller.
const (
	Max        Norm = "max"
	Arithmetic Norm = "arithmetic"
	Geometric  Norm = "geometric"
	Min        Norm = "min"
)

// Norms returns all norms.
func Norms() []Norm { return []Norm{Max, Arithmetic, Geometric, Min} }

// NMI returns the mutual information of classes and clusters divided by a mean
// of their entropies, from 0 to 1. It is 1 when there is one class and one
// cluster, and 0 when only one of them is one. It panics for an unknown norm.
//
// Source: Vinh, Epps and Bailey (2010), table 2,
// https://jmlr.org/papers/v11/vinh10a.html. Authors who say NMI without more
// mean different norms: name yours.
func (t Table) NMI(norm Norm) float64 {
	u, v := t.entropy(t.classes), t.entropy(t.clusters)
	var by float64
	switch norm {
	case Max:
		by = math.Max(u, v)
	case Arithmetic:
		by = (u + v) / 2
	case Geometric:
		by = math.Sqrt(u * v)
	case Min:
		by = math.Min(u, v)
	default:
		panic(fmt.Sprintf("score: no norm %q", norm))
	}
	switch {
	case len(t.classes) <= 1 && len(t.clusters) <= 1:
		return 1
	case len(t.classes) <= 1 || len(t.clusters) <= 1:
		return 0
	}
	return clamp(t.information() / by)
}

// NVI returns the normalised variation of information 1 − I/H(U,V), a distance
// from 0 (the same) to 1 (independent). It is 0 when there is one class and one
// cluster.
//
// Source: Vinh, Epps and Bailey (2010), table 3 (d_joint),
// https://jmlr.org/papers/v11/vinh10a.html.
func (t Table) NVI() float64 {
	joint := t.entropy(t.cells)
	if len(t.cells) <= 1 {
		return 0
	}
	return clamp(1 - t.information()/joint)
}

// information returns I, summed over cells: n_ab/n · log(n n_ab / (n_a n_b)).
func (t Table) information() (sum float64) {
	class := 0
	for _, c := range t.cells {
		for t.classes[class].class != c.class {
			class++
		}
		b := t.sizeOf(c.cluster)
		m, n := float64(c.rows), float64(t.n)
		sum += m / n * math.Log(n/float64(t.classes[class].rows)*m/float64(b))
	}
	return math.Max(sum, 0)
}

// sizeOf finds a cluster's size by bisection.
func (t Table) sizeOf(cluster int32) int {
	low, high := 0, len(t.clusters)-1
	for low < high {
		if mid := (low + high) / 2; t.clusters[mid].cluster < cluster {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return t.clusters[low].rows
}

func (t Table) entropy(cells []cell) (sum float64) {
	for _, c := range cells {
		q := float64(c.rows) / float64(t.n)
		sum -= q * math.Log(q)
	}
	return math.Max(sum, 0)
}

// clamp takes away what rounding has put outside of [0, 1].
func clamp(v float64) float64 { return math.Min(1, math.Max(0, v)) }
