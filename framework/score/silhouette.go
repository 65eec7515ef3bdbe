package score

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// SilhouetteOptions say how the silhouette is computed.
type SilhouetteOptions struct {
	Weights   []float64 // of the features, ≥ 0, length p; nil: all 1
	Sample    int       // rows whose silhouette is averaged; 0, or n and more: all
	Reference int       // rows that each of them is measured against; 0, or n and more: all
	Seed      uint64    // of the sample and of the reference
	Threads   int       // ≤ 0: 1; changes no result

	// Progress is called now and then, by any thread, with how many rows have been
	// measured of how many; it may be nil.
	Progress func(done, of int)
}

// Limits of what is measured where a silhouette must not take long.
const (
	quickRows     = 1500    // all rows are measured up to here
	quickProducts = 1 << 28 // of cells, over all distances
	quickNear     = 10      // rows a cluster that a row is measured against
)

// Quick returns the options with a sample and a reference where n rows of p features in k
// clusters would take longer than a moment; without, where all are measured.
func (o SilhouetteOptions) Quick(n, p, k int) SilhouetteOptions {
	o.Sample, o.Reference = 0, 0
	if most := min(quickRows, int(math.Sqrt(quickProducts/float64(p+16)))); most < n {
		o.Sample, o.Reference = most, max(most, quickNear*k)
	}
	return o
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
// are no row weights. With a Reference, mean distances are to that many random
// rows, of each cluster the same number as far as it has them: that estimates a
// and b, and has a small bias, since the smallest of several estimates is. The
// time is of order sample · reference · p. The result depends on the rows and the
// seed only.
//
// Source: Rousseeuw (1987), https://doi.org/10.1016/0377-0427(87)90125-7.
func Silhouette(ctx context.Context, rows framework.Rows, labels []int32, o SilhouetteOptions) (float64, error) {
	s, err := Silhouettes(ctx, rows, labels, o)
	return s.Mean, err
}

// RowSilhouettes are the silhouettes of rows: NaN, and nearest −1, for rows that are
// left out or not in the sample, and for all where there are less than two clusters.
type RowSilhouettes struct {
	Values  []float64
	Nearest []int32 // the other cluster at the smallest mean distance, the first of equals
	Mean    float64 // by row weight
}

// Silhouettes returns the silhouettes of rows, of which Silhouette is the mean.
func Silhouettes(ctx context.Context, rows framework.Rows, labels []int32, o SilhouetteOptions) (RowSilhouettes, error) {
	if len(labels) != rows.Len() {
		panic("score: labels and rows differ in number")
	}
	of := RowSilhouettes{Values: slices.Repeat([]float64{math.NaN()}, len(labels)), Nearest: slices.Repeat([]int32{-1}, len(labels)),
		Mean: math.NaN()}
	s := silhouette{rows: rows, labels: labels, weights: o.Weights}
	chosen := s.count()
	others := 0
	for _, m := range s.mass {
		if m > 0 {
			others++
		}
	}
	if others < 2 {
		return of, nil
	}
	s.reference, s.drawn = chosen, s.mass
	if o.Reference > 0 && o.Reference < len(chosen) {
		s.draw(o.Reference, o.Seed)
	}
	if o.Sample > 0 && o.Sample < len(chosen) {
		chosen = slices.Clone(chosen)
		framework.Rand(o.Seed, "silhouette").Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.Sample]
		slices.Sort(chosen)
	}
	scores, err := s.measure(ctx, chosen, o)
	if err != nil {
		return RowSilhouettes{}, err
	}
	var sum, mass float64
	for t, i := range chosen {
		of.Values[i], of.Nearest[i] = scores[t].value, scores[t].nearest
		sum, mass = sum+float64(s.weight[i]*scores[t].value), mass+s.weight[i]
	}
	of.Mean = sum / mass
	return of, nil
}

// scored is a row.
type scored struct {
	value   float64
	nearest int32
}

type silhouette struct {
	rows    framework.Rows
	labels  []int32
	weights []float64
	weight  []float64 // by row
	broken  bool      // one of them is not a whole number
	mass    []float64 // by cluster

	reference []int     // rows that others are measured against, ascending
	drawn     []float64 // their mass by cluster; mass itself if they are all rows
}

// count weighs rows and clusters, and returns the rows that count.
func (s *silhouette) count() []int {
	s.mass = make([]float64, max(0, int(slices.Max(append([]int32{0}, s.labels...))))+1)
	s.weight = make([]float64, 0, len(s.labels))
	var all []int
	for i := range s.rows.Blocks() {
		b := s.rows.Block(i)
		for r := range b.X.Rows {
			w, at := b.Weight(r), b.Row0+r
			s.weight = append(s.weight, w)
			if j := s.labels[at]; j >= 0 && w > 0 {
				s.mass[j] += w
				s.broken = s.broken || w != math.Trunc(w)
				all = append(all, at)
			}
		}
	}
	return all
}

// all reports whether rows are measured against all others.
func (s *silhouette) all() bool { return &s.drawn[0] == &s.mass[0] }

// of scores row i, whose distances to the reference rows of each cluster have the
// given sums.
func (s *silhouette) of(i int, sums []float64) scored {
	own, itself := s.labels[i], 1.0
	if s.broken {
		itself = s.weight[i]
	}
	b, nearest := math.Inf(1), int32(-1)
	for j, m := range s.drawn {
		if int32(j) != own && m > 0 && sums[j]/m < b {
			b, nearest = sums[j]/m, int32(j)
		}
	}
	if s.mass[own] <= itself {
		return scored{0, nearest}
	}
	a := sums[own] / (s.mass[own] - itself)
	if !s.all() {
		a = s.inner(i, sums[own], itself)
	}
	if a == 0 && b == 0 {
		return scored{0, nearest}
	}
	return scored{(b - a) / math.Max(a, b), nearest}
}

// inner estimates the mean distance of row i to the others of its cluster from
// the sum of those to the rows that were drawn. Where row i stands for several,
// the others of them are at distance 0.
func (s *silhouette) inner(i int, sum, itself float64) float64 {
	own, w := s.labels[i], s.weight[i]
	drawn := s.drawn[own]
	if _, met := slices.BinarySearch(s.reference, i); met {
		drawn -= w
	}
	rest := s.mass[own] - w
	if !(rest > 0) || !(drawn > 0) {
		return 0
	}
	return sum / drawn * rest / (s.mass[own] - itself)
}
