package score

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// SilhouetteOptions say how the silhouette is computed.
type SilhouetteOptions struct {
	Weights []float64 // of the features, ≥ 0, length p; nil: all 1
	Sample  int       // rows whose silhouette is averaged; 0, or n and more: all
	Seed    uint64    // of the sample
	Threads int       // ≤ 0: 1; changes no result
}

// Silhouette returns the mean silhouette of the rows, from −1 to 1. With a the
// mean distance of a row to the other rows of its cluster, and b the smallest
// mean distance to the rows of another one, the silhouette of a row is
//
//	s = (b − a) / max(a, b)
//
// and 0 for a row that is alone in its cluster or when a = b = 0. Distances are
// Euclidean in the space of the rows, with feature weights under the root;
// missing cells are left out. Row weights are frequencies: the other rows of a
// row's cluster are those of its weight but one. Where one of them is not a whole
// number they count no rows, and the others are all rows but the row itself, so
// that equal weights of any size change nothing. Rows of label −1 or weight 0 are
// left out. The result is NaN when there are less than two clusters.
//
// With a Sample it is the mean, by row weight, over that many random rows, each
// of which is measured against all rows: an estimate, without bias where there
// are no row weights. The time is of order
// sample · n · p. The result depends on the rows and the seed only.
//
// Source: Rousseeuw (1987), https://doi.org/10.1016/0377-0427(87)90125-7.
func Silhouette(ctx context.Context, rows framework.Rows, labels []int32, o SilhouetteOptions) (float64, error) {
	if len(labels) != rows.Len() {
		panic("score: labels and rows differ in number")
	}
	s := silhouette{rows: rows, labels: labels, weights: o.Weights}
	chosen := s.count()
	others := 0
	for _, m := range s.mass {
		if m > 0 {
			others++
		}
	}
	if others < 2 {
		return math.NaN(), nil
	}
	if o.Sample > 0 && o.Sample < len(chosen) {
		framework.Rand(o.Seed, "silhouette").Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.Sample]
		slices.Sort(chosen)
	}
	scores := make([]float64, len(chosen))
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(o.Threads, len(chosen))) {
		group.Go(func() {
			sums := make([]float64, len(s.mass))
			for ctx.Err() == nil {
				t := int(next.Add(1)) - 1
				if t >= len(chosen) {
					return
				}
				scores[t] = s.of(chosen[t], sums)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var sum, mass float64
	for t, i := range chosen {
		sum, mass = sum+s.weight[i]*scores[t], mass+s.weight[i]
	}
	return sum / mass, nil
}

type silhouette struct {
	rows    framework.Rows
	labels  []int32
	weights []float64
	weight  []float64 // by row
	broken  bool      // one of them is not a whole number
	mass    []float64 // by cluster
	cells   [][]float64
}

// count weighs rows and clusters, and returns the rows that count.
func (s *silhouette) count() []int {
	s.mass = make([]float64, max(0, int(slices.Max(append([]int32{0}, s.labels...))))+1)
	var all []int
	for i := range s.rows.Blocks() {
		b := s.rows.Block(i)
		for r := range b.X.Rows {
			w, at := b.Weight(r), b.Row0+r
			s.weight, s.cells = append(s.weight, w), append(s.cells, b.X.Row(r))
			if j := s.labels[at]; j >= 0 && w > 0 {
				s.mass[j] += w
				s.broken = s.broken || w != math.Trunc(w)
				all = append(all, at)
			}
		}
	}
	return all
}

// of returns the silhouette of row i.
func (s *silhouette) of(i int, sums []float64) float64 {
	clear(sums)
	for t, j := range s.labels {
		if j >= 0 && s.weight[t] > 0 {
			sums[j] += s.weight[t] * math.Sqrt(s.square(s.cells[i], s.cells[t]))
		}
	}
	own, itself := s.labels[i], 1.0
	if s.broken {
		itself = s.weight[i]
	}
	if s.mass[own] <= itself {
		return 0
	}
	a, b := sums[own]/(s.mass[own]-itself), math.Inf(1)
	for j, m := range s.mass {
		if int32(j) != own && m > 0 {
			b = math.Min(b, sums[j]/m)
		}
	}
	if a == 0 && b == 0 {
		return 0
	}
	return (b - a) / math.Max(a, b)
}

func (s *silhouette) square(x, y []float64) (d float64) {
	for l, v := range x {
		e := v - y[l]
		if e != e {
			continue
		}
		if s.weights != nil {
			d = math.FMA(s.weights[l]*e, e, d)
		} else {
			d = math.FMA(e, e, d)
		}
	}
	return d
}
