package groupskm_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
)

func TestTheDescriptionIsRight(t *testing.T) {
	for _, a := range groupskm.Algorithms() {
		must.Do(t, a.Describe().Check())
	}
}

func TestANegativeLambdaIsRefused(t *testing.T) {
	_, err := groupskm.GroupSKM{}.Describe().Resolve(map[string]string{"lambda": "-0.1"})
	if want := "bad-parameter: lambda is \"-0.1\"; it must be at least 0"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// two has two groups of one column and of two columns, and rows that lie apart
// in all columns alike.
func two(weights ...float64) (clustertest.Rows, framework.Problem) {
	r := clustertest.Rows{Size: 3, X: framework.Matrix{Rows: 4, Cols: 3, Data: []float64{
		1, 1, 1,
		1, 1, 1,
		-1, -1, -1,
		-1, -1, -1,
	}}}
	p := r.Problem(2)
	setGroups(&p, []float64{1, 2, 2})
	for g, w := range weights {
		p.Groups[g].Weight = w
	}
	return r, p
}

// TestThePenaltyOfAGroupHasItsFactor has all gains 1: ‖b_g‖ is 1 and √2, so that
// by hand the norms of the weights are as 1 − λa_1 and √2 − λa_2.
func TestThePenaltyOfAGroupHasItsFactor(t *testing.T) {
	unit := func(a, b float64) []float64 { return []float64{a / math.Hypot(a, b), b / math.Hypot(a, b)} }
	cases := map[string]struct {
		penalty string
		weights []float64
		want    []float64
	}{
		"sqrt_size": {"sqrt_size", nil, unit(0.5, math.Sqrt2/2)},
		"one":       {"one", nil, unit(0.5, math.Sqrt2-0.5)},
		"weights":   {"weights", []float64{0, 2}, unit(1, math.Sqrt2-1)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r, p := two(c.weights...)
			res := r.Fit(t, groupskm.GroupSKM{}, p, map[string]string{"lambda": "0.5", "group_penalty": c.penalty},
				fit.Start{Labels: []int32{0, 0, 1, 1}}, nil)
			must.Equal(t, c.want, norms(p, res.Model.FeatureWeights), cmpopts.EquateApprox(0, 1e-14))
		})
	}
}

func TestWeightsOfGroupsThatAreNotThereAreAskedFor(t *testing.T) {
	cases := map[string]struct {
		weights []float64
		want    string
	}{
		"none": {nil, "group-weight-missing: group_penalty is weights, but no group has a weight"},
		"some": {[]float64{1}, "group-weight-missing: group_penalty is weights, but group \"2\" has none"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, p := two(c.weights...)
			var err error
			if p.Params, err = (groupskm.GroupSKM{}).Describe().Resolve(map[string]string{"lambda": "1", "group_penalty": "weights"}); err != nil {
				t.Fatal(err)
			}
			_, err = (groupskm.GroupSKM{}).New(p)
			must.Fail(t, err, c.want)
			// A stored model has its weights, and needs no factors to label rows.
			later := framework.Problem{P: 3, K: 2, Columns: p.Columns, Groups: p.Groups, Params: p.Params}
			if _, err = (groupskm.GroupSKM{}).New(later); err != nil {
				t.Errorf("to label new rows: %v", err)
			}
		})
	}
}

func TestGroupsOfOneColumnAreTheColumnsWithoutGroups(t *testing.T) {
	for _, r := range references(t) {
		if r.Name != "iris_single_k3" {
			continue
		}
		free := r.problem
		free.Groups = nil
		for point := range r.Lambda {
			grouped := r.rows.Fit(t, groupskm.GroupSKM{}, r.problem, r.params(point), fit.Start{}, nil)
			alone := r.rows.Fit(t, groupskm.GroupSKM{}, free, r.params(point), fit.Start{}, nil)
			if diff := cmp.Diff(grouped.Model.FeatureWeights, alone.Model.FeatureWeights); diff != "" {
				t.Errorf("λ = %v: %s", r.Lambda[point], diff)
			}
		}
		return
	}
	t.Fatal("the case is not there")
}
