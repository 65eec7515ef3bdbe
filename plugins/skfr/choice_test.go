package skfr_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// chosenK returns the number of clusters that the gap along the principal axes chooses
// from 1 to most, of standardised rows.
func chosenK(t *testing.T, rows clustertest.Rows, most, draws int) int {
	t.Helper()
	rows.Standardise()
	data, p := matrix.FromMatrix(rows.X, nil, 0), rows.Problem(1)
	study := tune.Study{Methods: []tune.Method{tune.MethodGapAxes}, Draws: draws, Seed: 1, Threads: 2}
	for k := 1; k <= most; k++ {
		study.Candidates = append(study.Candidates, tune.Candidate{K: k, Params: must.Get(skfr.KMeans{}.Describe().Resolve(nil))(t)})
	}
	must.Do(t, study.Run(func(s tune.Sweep, each func(tune.Trial) error) error {
		s.Settings = fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 300, Empty: framework.Reseed, Threads: 2}
		return s.Run(t.Context(), tune.Here(skfr.KMeans{}, nil), p, data, each)
	}, nil))
	j := must.Get(study.Judge(t.Context(), data))(t)
	return study.Candidates[j[0].OneSE].K
}

// mixtures are ten designs of 2 to 8 clusters, in 2 to 20 columns.
func mixtures() (all []clustertest.Mixture) {
	for i := range 10 {
		all = append(all, clustertest.Mixture{K: 2 + i%7, P: []int{2, 4, 8, 15, 20}[i/2%5], N: []int{200, 400, 800}[i%3], Seed: uint64(i + 1)})
	}
	return all
}

// blobs are ten designs without clusters, of one kind.
func blobs(uniform, correlated bool) (all []clustertest.Blob) {
	for i := range 10 {
		all = append(all, clustertest.Blob{P: []int{2, 4, 8, 15, 20}[i%5], N: []int{200, 400, 800}[i%3], Uniform: uniform, Correlated: correlated,
			Seed: uint64(i + 1)})
	}
	return all
}

func TestTheGapAlongPrincipalAxesFindsTheClustersOfAMixture(t *testing.T) {
	for _, i := range []int{1, 3} {
		m := mixtures()[i]
		rows, _ := m.Rows()
		must.Equal(t, m.K, chosenK(t, rows, m.K+2, 15))
	}
}

func TestTheGapAlongPrincipalAxesFindsNoClustersWhereColumnsAreOnlyCorrelated(t *testing.T) {
	for _, uniform := range []bool{true, false} {
		must.Equal(t, 1, chosenK(t, blobs(uniform, true)[3].Rows(), 4, 15))
	}
}
