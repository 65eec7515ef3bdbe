package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawSparse draws a table as dense and as sparse rows, with labels −1 to 4. Equal says
// that the rows of a cluster are equal.
func drawSparse(seed uint64, equal bool) (clustertest.Rows, clustertest.SparseRows, []int32) {
	r := rand.New(rand.NewPCG(seed, 5))
	n, p := 20+r.IntN(150), 3+r.IntN(30)
	dense := clustertest.Rows{X: clustertest.DrawSparse(r, n, p, 0.05+0.3*r.Float64(), false), Size: 1 + r.IntN(40)}
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(r.IntN(6)) - 1
	}
	var base []float64
	for l := range p {
		base = append(base, 3*r.NormFloat64())
		for i := range n {
			dense.X.Row(i)[l] += base[l]
		}
	}
	if equal {
		from := dense.X.Clone()
		for i, j := range labels {
			copy(dense.X.Row(i), from.Row(int(j)+1))
		}
	}
	if r.IntN(2) == 0 {
		for i := range dense.X.Data {
			if r.IntN(20) == 0 {
				dense.X.Data[i] = math.NaN()
			}
		}
		for l := range p { // a column of which a cluster has no cell
			if i := r.IntN(n); labels[i] == int32(l%5) {
				for o, j := range labels {
					if j == labels[i] {
						dense.X.Row(o)[l] = math.NaN()
					}
				}
			}
		}
	}
	if kind := r.IntN(3); kind > 0 {
		for range n {
			w := float64(r.IntN(4))
			if kind == 2 {
				w *= 0.3
			}
			dense.Weights = append(dense.Weights, w)
		}
	}
	return dense, dense.Sparse(base), labels
}

func alike(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a))
}

func TestScoresOfSparseRowsAreThoseOfDenseOnes(t *testing.T) {
	for seed := range uint64(300) {
		dense, sparse, labels := drawSparse(seed, seed%4 == 0)
		weights := make([]float64, dense.X.Cols)
		for l := range weights {
			weights[l] = float64(l % 3)
		}
		check := func(what string, got, want float64) {
			if !alike(got, want) {
				t.Errorf("case %d: %s of sparse rows is %v, of dense ones %v", seed, what, got, want)
			}
		}
		check("explained variance", score.ExplainedVariance(sparse, labels, weights), score.ExplainedVariance(dense, labels, weights))
		check("Caliński–Harabasz", score.CalinskiHarabasz(sparse, labels), score.CalinskiHarabasz(dense, labels))
		check("Davies–Bouldin", score.DaviesBouldin(sparse, labels), score.DaviesBouldin(dense, labels))
		of, got := score.SumsOfSquares(dense, labels), score.SumsOfSquares(sparse, labels)
		for l := range of.Between {
			check("a sum of squares between", got.Between[l], of.Between[l])
			check("a sum of squares within", got.Within[l], of.Within[l])
		}
		for _, o := range []score.SilhouetteOptions{{}, {Weights: weights, Threads: 2}, {Sample: 15, Reference: 40, Seed: seed}} {
			want, got := must.Get(score.Silhouettes(t.Context(), dense, labels, o))(t), must.Get(score.Silhouettes(t.Context(), sparse, labels,
				o))(t)
			check("the mean silhouette", got.Mean, want.Mean)
			for i := range labels {
				check("a silhouette", got.Values[i], want.Values[i])
			}
		}
	}
}

func TestSparseRowsThatEqualTheirClusterHaveNoSpread(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for i := range 50 {
		of, labels := clustertest.DrawSparse(r, 3, 10, 0.4, false), make([]int32, 30)
		rows := clustertest.Rows{X: clustertest.DrawSparse(r, 30, 10, 0, false), Size: 8}
		for i := range labels {
			labels[i] = int32(r.IntN(3))
			copy(rows.X.Row(i), of.Row(int(labels[i])))
			rows.Weights = append(rows.Weights, 0.1+r.Float64())
		}
		if v := score.CalinskiHarabasz(rows.Sparse(nil), labels); !math.IsInf(v, 1) {
			t.Errorf("case %d: the variance ratio is %v", i, v)
		}
		if v := score.DaviesBouldin(rows.Sparse(nil), labels); v != 0 {
			t.Errorf("case %d: Davies–Bouldin is %v", i, v)
		}
	}
}
