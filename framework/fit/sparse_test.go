package fit_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAFitOfSparseRowsIsThatOfDenseOnes(t *testing.T) {
	const cases = 150
	other := 0
	for seed := range uint64(cases) {
		r := rand.New(rand.NewPCG(seed, 8))
		n, p, k := 40+r.IntN(100), 3+r.IntN(20), 2+r.IntN(5)
		dense := clustertest.Rows{X: clustertest.DrawSparse(r, n, p, 0.1+0.3*r.Float64(), false), Size: 1 + r.IntN(40)}
		if r.IntN(3) == 0 {
			dense.Weights = make([]float64, n)
			for i := range dense.Weights {
				dense.Weights[i] = 0.5 * float64(r.IntN(4))
			}
		}
		if r.IntN(3) == 0 {
			for i := range dense.X.Data {
				if r.IntN(40) == 0 {
					dense.X.Data[i] = math.NaN()
				}
			}
		}
		start, few := fit.Start{}, r.IntN(2) == 0
		switch r.IntN(4) {
		case 0:
			for range k {
				start.Rows = append(start.Rows, r.IntN(n))
			}
		case 1: // all in one cluster: the others are reseeded
			start.Labels = make([]int32, n)
		}
		change := func(s *fit.Settings) {
			s.Restarts, s.Init = 2, []string{"kmeans++", "maximin", "random"}[seed%3]
			if few {
				s.Trim = 0.1
			}
			if start.Given() {
				s.Restarts = 1
			}
		}
		sparse := dense.Sparse(nil)
		of := dense.Run(t, means.NewLloyd(dense.Problem(k), means.Squared), dense.Problem(k), start, change)
		got := sparse.Run(t, means.NewLloyd(sparse.Problem(k), means.Squared), sparse.Problem(k), start, change)
		if !slices.Equal(of.Labels, got.Labels) {
			other++ // where two rows or two centers are nearly as far
		} else if math.Abs(of.Objective-got.Objective) > 1e-9*of.Objective {
			t.Errorf("case %d: the objective is %v, not %v", seed, got.Objective, of.Objective)
		}
	}
	if other > cases/50 {
		t.Errorf("%d of %d fits have other labels", other, cases)
	}
}

func TestReseedingFillsAsManyClustersAsThereAreDistinctSparseRows(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		of := clustertest.DrawSparse(r, 4, 12, 0.4, false)
		rows := clustertest.Rows{X: framework.NewMatrix(30, 12), Size: 7}
		for i := range rows.X.Rows {
			copy(rows.X.Row(i), of.Row(i%4))
		}
		sparse := rows.Sparse(nil)
		p := sparse.Problem(6)
		f := sparse.Run(t, means.NewLloyd(p, means.Squared), p, fit.Start{Labels: make([]int32, 30)}, nil)
		used := slices.Compact(slices.Sorted(slices.Values(f.Labels)))
		if len(used) != 4 || f.Objective > 1e-12 {
			t.Errorf("case %d: %d clusters have rows, and the objective is %v", seed, len(used), f.Objective)
		}
	}
}

func TestTheRowsOfAStartAreItsCentersWhereRowsAreSparse(t *testing.T) {
	x := framework.Matrix{Rows: 4, Cols: 2, Data: []float64{0, 0, 0, 1, 5, 0, 6, 0}}
	sparse := clustertest.Rows{X: x, Size: 3}.Sparse([]float64{0, 1})
	p := sparse.Problem(2)
	f := sparse.Run(t, means.NewLloyd(p, means.Squared), p, fit.Start{Rows: []int{3, 1}}, func(s *fit.Settings) { s.MaxIter = 0 })
	must.Equal(t, []int32{1, 1, 0, 0}, f.Labels)
}
