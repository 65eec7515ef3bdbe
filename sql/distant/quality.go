package distant

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

// Labelled is rows as an algorithm labels them: those of a problem, by its clusterer.
type Labelled struct {
	Problem   framework.Problem
	Clusterer framework.Clusterer
	Rows      Bound
}

// Squares returns the sums of squares of each feature, between clusters and within.
func (r Labelled) Squares(s *result.Summary) score.Squares {
	p := r.Problem.P
	all := score.Squares{Between: make([]float64, p), Within: make([]float64, p)}
	for l, c := range r.Problem.Columns {
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

// Silhouette returns that of a sample of the rows by a model, and how many it has measured;
// 0: all.
func (r Labelled) Silhouette(ctx context.Context, m *framework.Model, seed uint64, threads int) (value float64, measured int, err error) {
	o := score.SilhouetteOptions{Seed: seed, Threads: threads}.Quick(r.Problem.N, r.Problem.P, r.Problem.K)
	if len(m.FeatureWeights) > 0 {
		o.Weights = m.FeatureWeights
	}
	size := r.Problem.N
	if o.Sample > 0 {
		size = min(size, o.Reference)
	}
	x, weights, err := r.Rows.Sample(ctx, size, seed)
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
	labelled, err := fit.Predict(ctx, r.Clusterer, m, rows, threads)
	if err != nil {
		return math.NaN(), 0, err
	}
	measured = o.Sample
	if measured >= rows.Len() { // fewer rows have weight
		o.Sample, o.Reference = 0, 0
	} else if measured > 0 {
		o.Reference = rows.Len()
	}
	value, err = score.Silhouette(ctx, rows, labelled.Labels, o)
	return value, measured, err
}

// CalinskiHarabasz is score.CalinskiHarabasz. Row weights that are not whole numbers are not
// told apart from those that are.
func (r Labelled) CalinskiHarabasz(s *result.Summary) float64 {
	var over, under, between, within float64
	for l, c := range r.Problem.Columns {
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
	all := r.Squares(s)
	for l := range all.Between {
		between, within = between+all.Between[l], within+all.Within[l]
	}
	return between / over / (within / under)
}

// DaviesBouldin is score.DaviesBouldin, NaN where cells are missing.
func (r Labelled) DaviesBouldin(ctx context.Context, m *framework.Model, s *result.Summary) (float64, error) {
	spread, err := r.Rows.Spread(ctx, m, s.Means())
	if err != nil || spread == nil {
		return math.NaN(), err
	}
	k := s.Sum.Rows
	worst := slices.Repeat([]float64{math.NaN()}, k)
	for i := range k {
		for j := range i {
			d := apart(s, i, j)
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
func apart(s *result.Summary, i, j int) float64 {
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
