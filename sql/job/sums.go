package job

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// nobody is the summary of a fit without clusters.
func nobody(p framework.Problem) *result.Summary {
	return &result.Summary{Sizes: make([]int, p.K), Mass: make([]float64, p.K), Inertia: make([]float64, p.K),
		Sum: framework.NewMatrix(p.K, p.P)}
}

// clustersOf lists the clusters of rows that are elsewhere.
func (b *Job) clustersOf(s *result.Summary, squared bool) []result.Cluster {
	all := make([]result.Cluster, b.Problem.K)
	for j := range all {
		all[j] = result.Cluster{Cluster: j, Size: s.Sizes[j], Weight: s.Mass[j], Inertia: s.Inertia[j]}
		if squared {
			all[j].Inertia = silent(all[j].Inertia, b.squares())
		}
	}
	return all
}

// frequenciesOf returns, of rows that are elsewhere, what frequencies counts. A sum of
// scaled indicators, scaled back, is a weight but for rounding, whose least and most are 0
// and that of all rows.
func (b *Job) frequenciesOf(s *result.Summary) (count framework.Matrix, mass []float64) {
	if !b.Recipe.HasCategories() {
		return framework.Matrix{}, s.Mass // which nobody asks for
	}
	count = framework.NewMatrix(b.Problem.K, b.Problem.P)
	for j := range count.Rows {
		for l, sum := range s.Sum.Row(j) {
			f, m := b.Recipe.Features[l], s.CellWeight(j, l)
			if !f.IsCategory() {
				continue
			}
			v, noise := float64(m*f.Location)+float64(sum*f.Scale), float64(m*float64(b.Problem.N+4)*unit)
			switch {
			case !b.Problem.Weighted:
				v = math.Round(v)
			case math.Abs(v) <= noise:
				v = 0
			case math.Abs(v-m) <= noise:
				v = m
			}
			count.Row(j)[l] = v
		}
	}
	return count, s.Mass
}

// wholeOf is wholeCategories of rows that are elsewhere.
func (b *Job) wholeOf(first, end int, s *result.Summary) (clusters, categories int) {
	count, mass := b.frequenciesOf(s)
	seen := map[int]bool{}
	for l := first; l <= end; l++ {
		in, of := 0, 0 // clusters that have rows of it
		for j := range count.Rows {
			rows := mass[j] // with end, of no category
			if l < end {
				rows = count.Row(j)[l]
			} else {
				for _, n := range count.Row(j)[first:end] {
					rows -= n
				}
			}
			if rows > float64(mass[j]*float64(b.Problem.N)*unit) {
				in, of = in+1, j
			}
		}
		switch {
		case in > 1:
			return 0, 0
		case in == 1:
			categories++
			seen[of] = true
		}
	}
	return len(seen), categories
}

// Measure sets the quality of a fit: the explained variance of all rows, and the
// silhouette of a sample.
func (e *Elsewhere) Measure(ctx context.Context, f *Fitted) error {
	q := &Quality{Weighted: len(f.Model.FeatureWeights) > 0, Silhouette: math.NaN()}
	squares := e.rows.Squares(f.sums)
	q.Explained = squares.Explained(nil)
	weights := e.selectedWeights(f)
	for _, w := range weights {
		if w > 0 {
			q.Selected++
		}
	}
	q.OfSelected = squares.Explained(weights)
	f.Quality = q
	if f.Stop == framework.AllZero {
		return nil
	}
	var err error
	q.Silhouette, q.Measured, err = e.rows.Silhouette(ctx, f.Model, e.Problem.Seed, e.Settings.Threads)
	return err
}
