package job

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
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

// squaresOf returns the sums of squares of each feature, between clusters and within, of
// rows that are elsewhere.
func (b *Job) squaresOf(s *result.Summary) score.Squares {
	p := b.Problem.P
	all := score.Squares{Between: make([]float64, p), Within: make([]float64, p)}
	for l, c := range b.Problem.Columns {
		for j := range s.Sum.Rows {
			if m := s.CellWeight(j, l); m > 0 {
				d := s.Sum.Row(j)[l]/m - c.Mean
				all.Between[l] += float64(m * d * d)
			}
		}
		all.Within[l] = max(0, c.SumSq-all.Between[l])
	}
	return all
}

// Measure sets the quality of a fit: the explained variance of all rows, and the
// silhouette of a sample.
func (e *Elsewhere) Measure(ctx context.Context, f *Fitted) error {
	q := &Quality{Weighted: len(f.Model.FeatureWeights) > 0, Silhouette: math.NaN()}
	squares := e.squaresOf(f.sums)
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
	q.Silhouette, q.Measured, err = e.silhouette(ctx, e.passes, f.Model, e.Problem.Seed)
	return err
}

// silhouette measures that of a sample of the rows, and says how many it has measured; 0:
// all.
func (e *Elsewhere) silhouette(ctx context.Context, p passes, m *framework.Model, seed uint64) (value float64, measured int, err error) {
	most := min(qualityRows, int(math.Sqrt(qualityProducts/float64(p.problem.P+16))))
	size := p.problem.N
	if most < p.problem.N {
		measured, size = most, min(p.problem.N, max(most, qualityNear*p.problem.K))
	}
	x, weights, err := p.rows.Sample(ctx, size, seed)
	if err != nil {
		return math.NaN(), 0, err
	}
	b, err := matrix.BuilderOf(x, weights, matrix.Options{Storage: matrix.NoFile})
	if err != nil {
		return math.NaN(), 0, err
	}
	rows, err := b.Seal()
	if err != nil {
		return math.NaN(), 0, err
	}
	defer func() { _ = rows.Close() }()
	labelled, err := fit.Predict(ctx, p.c, m, rows, e.Settings.Threads)
	if err != nil {
		return math.NaN(), 0, err
	}
	o := score.SilhouetteOptions{Seed: seed, Threads: e.Settings.Threads}
	if len(m.FeatureWeights) > 0 {
		o.Weights = m.FeatureWeights
	}
	if measured > 0 && measured < rows.Len() {
		o.Sample, o.Reference = measured, rows.Len()
	}
	value, err = score.Silhouette(ctx, rows, labelled.Labels, o)
	return value, measured, err
}

// calinskiHarabasz is score.CalinskiHarabasz of rows that are elsewhere. Row weights that
// are not whole numbers are not told apart from those that are.
func (b *Job) calinskiHarabasz(s *result.Summary) float64 {
	var over, under, between, within float64
	for l, c := range b.Problem.Columns {
		clusters := 0.0
		for j := range s.Sum.Rows {
			if s.CellWeight(j, l) > 0 {
				clusters++
			}
		}
		if clusters > 0 {
			over, under = over+clusters-1, under+c.Mass-clusters
		}
	}
	if over <= 0 || under <= 0 {
		return math.NaN()
	}
	all := b.squaresOf(s)
	for l := range all.Between {
		between, within = between+all.Between[l], within+all.Within[l]
	}
	return between / over / (within / under)
}

// daviesBouldin is score.DaviesBouldin of rows that are elsewhere, NaN where cells are
// missing.
func (b *Job) daviesBouldin(ctx context.Context, rows Bound, m *framework.Model, s *result.Summary) (float64, error) {
	spread, err := rows.Spread(ctx, m, s.Means())
	if err != nil || spread == nil {
		return math.NaN(), err
	}
	k := s.Sum.Rows
	worst := slices.Repeat([]float64{math.NaN()}, k)
	for i := range k {
		for j := range i {
			d := b.apart(s, i, j)
			if d != d {
				continue
			}
			ratio := spread[i]/s.Mass[i] + spread[j]/s.Mass[j]
			if ratio > 0 {
				ratio /= d
			}
			for _, of := range []int{i, j} {
				if !(worst[of] >= ratio) {
					worst[of] = ratio
				}
			}
		}
	}
	sum, n := 0.0, 0.0
	for _, v := range worst {
		if v == v {
			sum, n = sum+v, n+1
		}
	}
	return sum / n, nil
}

// apart is the distance of the means of two clusters, NaN where they have no common
// feature. A feature that one of them lacks is as far apart as the others are.
func (b *Job) apart(s *result.Summary, i, j int) float64 {
	sum, common := 0.0, 0.0
	for l := range s.Sum.Cols {
		m, n := s.CellWeight(i, l), s.CellWeight(j, l)
		if m > 0 && n > 0 {
			d := s.Sum.Row(i)[l]/m - s.Sum.Row(j)[l]/n
			sum, common = sum+float64(d*d), common+1
		}
	}
	return math.Sqrt(sum * float64(s.Sum.Cols) / common)
}
