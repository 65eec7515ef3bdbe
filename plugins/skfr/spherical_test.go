package skfr_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// onTheSphere is how the recipe makes rows for spherical k-means.
var onTheSphere = matrix.Scaling{Center: "none", Scale: "none", Norm: matrix.L2}

// directions draws rows of length 1 in blocks, without ties.
func directions(t *rapid.T, n, p int) blocks {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
	for i := range b.X.Data {
		b.X.Data[i] = random.NormFloat64()
	}
	for i := range n {
		(matrix.Recipe{Scaling: onTheSphere}).Normalise(b.X.Row(i))
	}
	return b
}

// bruteSpherical is spherical k-means as the paper has it, from labels: the concept
// vector of a cluster is the sum of its rows by its length, and a row goes to that of the
// largest cosine. It returns the labels and Σ w cos. ok says that no cluster lost its rows.
func bruteSpherical(x framework.Matrix, weights []float64, k int, start []int32) (labels []int32, cosines float64, ok bool) {
	labels = slices.Clone(start)
	for {
		concepts, next := framework.NewMatrix(k, x.Cols), make([]int32, x.Rows)
		for i, j := range labels {
			for l, v := range x.Row(i) {
				concepts.Row(int(j))[l] += weights[i] * v
			}
		}
		cosines = 0
		for i := range next {
			best := math.Inf(-1)
			for j := range k {
				dot, square := 0.0, 0.0
				for l, v := range concepts.Row(j) {
					dot, square = dot+v*x.Row(i)[l], square+v*v
				}
				if square == 0 {
					return labels, 0, false
				}
				if cosine := dot / math.Sqrt(square); cosine > best {
					best, next[i] = cosine, int32(j)
				}
			}
			cosines += weights[i] * best
		}
		for j := range int32(k) {
			if !slices.Contains(next, j) {
				return labels, 0, false
			}
		}
		if slices.Equal(labels, next) {
			return labels, cosines, true
		}
		labels = next
	}
}

func TestSphericalIsTheBruteForceOfThePaper(t *testing.T) {
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		n, p, k := rapid.IntRange(4, 40).Draw(t, "n"), rapid.IntRange(2, 6).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "k")
		b := directions(t, n, p)
		weights := slices.Repeat([]float64{1}, n)
		mass := float64(n)
		if rapid.Bool().Draw(t, "weighted") {
			mass = 0
			for i := range weights {
				weights[i] = 0.5 + float64(rapid.IntRange(0, 5).Draw(t, "weight"))
				mass += weights[i]
			}
			b.Weights = weights
		}
		start := drawLabels(t, n, k)
		for j := range k {
			start.Labels[j] = int32(j) // no empty cluster
		}
		labels, cosines, ok := bruteSpherical(b.X, weights, k, start.Labels)
		if !ok {
			return
		}
		same++
		res := b.run(t, skfr.Spherical{}, k, nil, start, nil)
		if !slices.Equal(labels, res.Labels) {
			t.Fatalf("labels %v; by brute force %v", res.Labels, labels)
		}
		if want := 2 * (mass - cosines); math.Abs(res.Objective-want) > 1e-12*mass {
			t.Fatalf("objective %v; by brute force 2 Σ w (1 − cos) = %v", res.Objective, want)
		}
		gains := 0.0
		for _, f := range res.Clusterer.(framework.Selector).Features(res.Model) {
			gains += f.Gain
		}
		if math.Abs(gains-cosines) > 1e-12*mass {
			t.Fatalf("the gains add up to %v, the cosines to %v", gains, cosines)
		}
	})
	if same == 0 {
		t.Error("no case was compared")
	}
}

func TestCentersOfSphericalHaveLengthOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 20).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "k")
		b := drawBlocks(t, n, 3, false) // rows of zeros and opposite ones among them
		empty := rapid.SampledFrom([]framework.EmptyPolicy{framework.Reseed, framework.Origin}).Draw(t, "empty")
		res := b.run(t, skfr.Spherical{}, k, nil, drawLabels(t, n, k), func(s *fit.Settings) { s.Empty = empty })
		for j := range k {
			squares := 0.0
			for _, v := range res.Model.Centers.Row(j) {
				squares += v * v
			}
			if math.Abs(squares-1) > 1e-14 {
				t.Fatalf("center %d is %v", j, res.Model.Centers.Row(j))
			}
		}
	})
}

func TestACenterWhoseRowsCancelStaysWhereItIs(t *testing.T) {
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{0, 1, 0, -1}}, Size: 2}}
	res := b.run(t, skfr.Spherical{}, 1, nil, fit.Start{Labels: []int32{0, 0}}, nil)
	must.Equal(t, []float64{1, 0}, res.Model.Centers.Data) // it has not been anywhere
	if res.Objective != 4 {                                // 2 (1 − cos 90°) of both
		t.Errorf("objective %v", res.Objective)
	}
	centers := framework.Matrix{Rows: 1, Cols: 2, Data: []float64{0, 3}}
	res = b.run(t, skfr.Spherical{}, 1, nil, fit.Start{Centers: &centers}, nil)
	must.Equal(t, []float64{0, 1}, res.Model.Centers.Data)
}

func TestSphericalRefusesMissingCells(t *testing.T) {
	_, err := skfr.Spherical{}.New(framework.Problem{P: 1, K: 1, Columns: []framework.Column{{Missing: 1}}})
	f := framework.AsFault(err)
	if f == nil || f.Code != "missing-values" || !strings.Contains(f.Hint, "coalesce") {
		t.Errorf("error %v", err)
	}
}

// counted returns rows of counts, many of them 0, of three kinds, dense and sparse.
func counted(t *testing.T, n, p int) (dense, sparse *matrix.Data, d, s framework.Problem) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	x, b := framework.NewMatrix(n, p), matrix.NewSparseBuilder(p, matrix.Options{})
	for i := range n {
		var columns []int32
		var values []float64
		for l := range p {
			if random.IntN(10) == 0 || l%3 == i%3 && random.IntN(2) == 0 {
				v := float64(1 + random.IntN(5))
				x.Row(i)[l] = v
				columns, values = append(columns, int32(l)), append(values, v)
			}
		}
		must.Do(t, b.AppendRow(columns, values))
	}
	sources := make([]matrix.Source, p)
	for l := range sources {
		sources[l].Name = "w" + string(rune('a'+l))
	}
	var err error
	dense, _, d, err = matrix.Prepare(must.Get(matrix.BuilderOf(x, nil, matrix.Options{}))(t), sources, onTheSphere, nil)
	must.Do(t, err)
	t.Cleanup(func() { _ = dense.Close() })
	sparse, _, s, err = matrix.Prepare(b, sources, onTheSphere, nil)
	must.Do(t, err)
	t.Cleanup(func() { _ = sparse.Close() })
	return dense, sparse, d, s
}

// fitted fits spherical k-means to rows of a recipe, from random labels.
func fitted(t *testing.T, rows *matrix.Data, p framework.Problem, threads int) *fit.Result {
	t.Helper()
	p.K, p.Seed = 3, 1
	random, start := rand.New(rand.NewPCG(9, 1)), fit.Start{Labels: make([]int32, p.N)}
	for i := range start.Labels {
		start.Labels[i] = random.Int32N(3)
	}
	s := fit.Settings{Init: "kmeans++", InitSpace: fit.Both, Restarts: 1, MaxIter: 100, Empty: framework.Reseed, Threads: threads}
	return must.Get(fit.Run(t.Context(), must.Get(skfr.Spherical{}.New(p))(t), p, rows, start, s, nil))(t)
}

func TestSparseRowsHaveTheSphericalClustersOfDenseOnes(t *testing.T) {
	dense, sparse, d, s := counted(t, 400, 24)
	if !sparse.IsSparse() || !s.Sparse {
		t.Fatal("the rows are not sparse")
	}
	a, b := fitted(t, dense, d, 1), fitted(t, sparse, s, 1)
	must.Equal(t, a.Labels, b.Labels)
	must.Equal(t, a.Model.Centers, b.Model.Centers, cmpopts.EquateApprox(0, 1e-12))
	must.Equal(t, a.Objective, b.Objective, cmpopts.EquateApprox(1e-12, 0))
	right := 0
	for i, j := range a.Labels {
		if a.Labels[i%3] == j { // each of the first three rows is of a kind of its own
			right++
		}
	}
	if right < 360 {
		t.Errorf("%d of 400 rows are with their kind", right)
	}
}

func TestThreadsChangeNoBitOfASphericalFit(t *testing.T) {
	dense, sparse, d, s := counted(t, 3000, 24)
	for _, c := range []struct {
		rows *matrix.Data
		p    framework.Problem
	}{{dense, d}, {sparse, s}} {
		if diff := cmp.Diff(fitted(t, c.rows, c.p, 1), fitted(t, c.rows, c.p, 3), same); diff != "" {
			t.Error(diff)
		}
	}
}
