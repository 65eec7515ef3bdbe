package tune

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework/score"
)

// The limits of a Jaccard coefficient: below the first, a cluster counts as dissolved,
// above the second as recovered.
//
// Source: Hennig (2007), sections 4 and 6; fpc::clusterboot in R.
const (
	dissolved = 0.5
	recovered = 0.75
)

// A Stability says how well the clusters of a fit are found again in draws of its rows.
//
// Source: Hennig (2007), Cluster-wise assessment of cluster stability,
// https://doi.org/10.1016/j.csda.2006.11.025.
type Stability struct {
	Clusters []Recovery   // by cluster of the fit
	Draws    []Comparison // by draw

	// Features is the part of the draws in which each feature is selected, in one row
	// for all clusters. Where features are selected for each cluster, it has a row for
	// each: what is selected for the cluster of the draw that matches it, over the
	// draws that have rows of it. NaN where there is no draw.
	Features [][]float64
}

// A Recovery sums the Jaccard coefficients of a cluster up. Draws without a row of the
// cluster do not count.
type Recovery struct {
	Jaccard   float64 // mean; NaN if there is no draw
	Error     float64 // standard error of it; NaN if there are fewer than two
	Dissolved float64 // part of the draws in which the cluster is dissolved; NaN as Jaccard
	Recovered float64 // and recovered
}

// A Comparison is of one draw with the fit. Jaccards is nil where the draw failed.
type Comparison struct {
	ARI      float64   // adjusted Rand index of the drawn rows; NaN where the draw failed
	Jaccards []float64 // by cluster of the fit; NaN where none of its rows was drawn
}

// NewStability compares a fit of k clusters and p features with draws of its rows. All
// have labels, but for those that failed.
func NewStability(k, p int, own Trial, draws []Trial) Stability {
	s := Stability{Draws: make([]Comparison, len(draws))}
	of := make([][]float64, k)
	selected := newShares(1, p)
	if own.Local != nil {
		selected = newShares(k, p)
	}
	for b, t := range draws {
		s.Draws[b].ARI = math.NaN()
		if t.Err != nil {
			continue
		}
		found, match := Jaccards(k, own.Labels, t.Rows, t.Labels)
		s.Draws[b] = Comparison{ARI: drawnARI(own.Labels, t), Jaccards: found}
		for j, v := range found {
			if v == v {
				of[j] = append(of[j], v)
			}
		}
		if own.Local == nil {
			selected.add(0, t.Columns)
			continue
		}
		for j, m := range match {
			if m >= 0 && m < len(t.Local) {
				selected.add(j, t.Local[m])
			}
		}
	}
	for _, values := range of {
		s.Clusters = append(s.Clusters, recoveryOf(values))
	}
	s.Features = selected.parts()
	return s
}

// drawnARI compares the labels of a draw with those that its rows have in the fit.
func drawnARI(labels []int32, t Trial) float64 {
	own := make([]int32, len(t.Rows))
	for i, row := range t.Rows {
		own[i] = labels[row]
	}
	return score.NewTable(own, t.Labels).ARI()
}

func recoveryOf(values []float64) Recovery {
	mean, sd := meanAndDeviation(values)
	n := float64(len(values))
	below, above := 0.0, 0.0
	for _, v := range values {
		if v < dissolved {
			below++
		}
		if v > recovered {
			above++
		}
	}
	return Recovery{Jaccard: mean, Error: sd / math.Sqrt(n), Dissolved: below / n, Recovered: above / n}
}

// shares count how often features are selected.
type shares struct {
	counts [][]float64
	of     []float64 // draws, by row of counts
}

func newShares(rows, p int) *shares {
	s := &shares{make([][]float64, rows), make([]float64, rows)}
	for i := range s.counts {
		s.counts[i] = make([]float64, p)
	}
	return s
}

func (s *shares) add(row int, columns []int) {
	s.of[row]++
	for _, l := range columns {
		s.counts[row][l]++
	}
}

// parts turns the counts into parts of the draws.
func (s *shares) parts() [][]float64 {
	for i, row := range s.counts {
		for l := range row {
			row[l] /= s.of[i]
		}
	}
	return s.counts
}
