package clustertest

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A SparseTable is cells in original units, most of them 0.
type SparseTable struct {
	X       framework.Matrix
	Weights []float64
}

// Prepared scales the table and describes it, as sparse rows or with all cells.
func (s SparseTable) Prepared(t T, scaling matrix.Scaling, sparse bool) (*matrix.Data, framework.Problem) {
	t.Helper()
	sources := make([]matrix.Source, s.X.Cols)
	for l := range sources {
		sources[l].Name = "x" + strconv.Itoa(l)
	}
	b := must.Get(matrix.BuilderOf(s.X, s.Weights, matrix.Options{}))(t)
	if sparse {
		b = matrix.NewSparseBuilder(s.X.Cols, matrix.Options{})
		for i := range s.X.Rows {
			var columns []int32
			var values []float64
			for l, v := range s.X.Row(i) {
				if v != 0 {
					columns, values = append(columns, int32(l)), append(values, v)
				}
			}
			must.Do(t, b.AppendRow(columns, values))
		}
		must.Do(t, b.SetWeights(slices.Clone(s.Weights)))
	}
	data, _, p, err := matrix.Prepare(b, sources, scaling, nil)
	must.Do(t, err)
	return data, p
}

// DrawSparseTable draws a table of a few clusters, each of which has columns of its own that
// are not 0 more often, with columns of all densities.
func DrawSparseTable(r *rand.Rand, missing, weighted bool) SparseTable {
	n, p, clusters := 20+r.IntN(200), 2+r.IntN(60), 2+r.IntN(4)
	s := SparseTable{X: framework.NewMatrix(n, p)}
	share, far := make([]float64, clusters*p), make([]float64, p)
	for i := range share {
		share[i] = []float64{0.02, 0.1, 0.6}[r.IntN(3)]
	}
	for l := range far {
		far[l] = []float64{0, 1, 100}[r.IntN(3)]
		if r.IntN(8) == 0 {
			for j := range clusters {
				share[j*p+l] = 1 // every row has an entry
			}
			if r.IntN(2) == 0 {
				far[l] = 1e6
			}
		}
	}
	for i := range n {
		j := r.IntN(clusters)
		for l := range p {
			switch {
			case r.Float64() >= share[j*p+l]:
			case missing && r.IntN(10) == 0:
				s.X.Row(i)[l] = math.NaN()
			default:
				s.X.Row(i)[l] = far[l] + float64(j) + r.NormFloat64()
			}
		}
		if weighted {
			s.Weights = append(s.Weights, 0.1+r.Float64())
		}
	}
	return s
}

// SparseAsDense checks on drawn tables that a fit of sparse rows finds what that of the
// same cells finds: labels, selected features and, to 1e-9, all numbers. Rows are drawn
// from continuous numbers, so that ties are rare; a run that meets one may end elsewhere.
func SparseAsDense(t T, a framework.Algorithm, cases int, params func(r *rand.Rand, p int) map[string]string, links bool) {
	t.Helper()
	differ := 0
	for seed := range cases {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		table := DrawSparseTable(r, a.Describe().Missing && seed&1 != 0, seed&2 != 0)
		scaling := matrix.Scaling{Center: []string{"mean", "none"}[r.IntN(2)], Scale: []string{"sd", "sd_n", "none"}[r.IntN(3)]}
		k := 2 + r.IntN(5) // with one cluster, the gain of a feature is rounding alone
		values := params(r, table.X.Cols)
		start := fit.Start{Labels: make([]int32, table.X.Rows)}
		for i := range start.Labels {
			start.Labels[i] = int32(r.IntN(k))
		}
		var pairs []framework.Link
		for i := range table.X.Rows / 10 * map[bool]int{true: 1}[links] {
			pairs = append(pairs, framework.Link{A: int32(2 * i), B: int32(2*i + 1), Cannot: i%2 == 1, Weight: 1})
		}
		var both [2]*fit.Result
		for i, sparse := range []bool{false, true} {
			data, p := table.Prepared(t, scaling, sparse)
			p.K, p.Seed, p.Links = k, 1, pairs
			p.Params = must.Get(a.Describe().Resolve(values))(t)
			c := must.Get(a.New(p))(t)
			s := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 100, Empty: framework.Reseed, Threads: 1 + i}
			both[i] = must.Get(fit.Run(context.Background(), c, p, data, start, s, nil))(t)
		}
		want, got := both[0], both[1]
		if !slices.Equal(want.Labels, got.Labels) || !slices.Equal(want.Model.Selected, got.Model.Selected) {
			differ++
			continue
		}
		for _, v := range []struct {
			what      string
			want, got []float64
		}{
			{"objective", []float64{want.Objective, want.Inertia}, []float64{got.Objective, got.Inertia}},
			{"centers", want.Model.Centers.Data, got.Model.Centers.Data},
			{"feature weights", want.Model.FeatureWeights, got.Model.FeatureWeights},
			{"distances", want.Distance, got.Distance},
			{"margins", want.Margin, got.Margin},
		} {
			largest := 0.0
			for _, x := range v.want {
				if !math.IsInf(x, 0) {
					largest = max(largest, math.Abs(x))
				}
			}
			for i, x := range v.want {
				if math.Abs(x-v.got[i]) > 1e-9*(1+largest) && !math.IsInf(x, 1) {
					t.Fatalf("case %d: %s %d is %v, want %v", seed, v.what, i, v.got[i], x)
				}
			}
		}
	}
	if differ > cases/50 {
		t.Fatalf("%d of %d fits end with other labels", differ, cases)
	}
}
