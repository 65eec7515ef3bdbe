package skm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

func TestTheDescriptionIsRight(t *testing.T) {
	for _, a := range skm.Algorithms() {
		must.Do(t, a.Describe().Check())
	}
}

func TestABoundOutsideOneToTheRootOfPIsRefused(t *testing.T) {
	cases := map[string]string{
		"0.9":                "bad-parameter: l1_bound is \"0.9\"; it must be at least 1",
		"-2":                 "bad-parameter: l1_bound is \"-2\"; it must be at least 1",
		"NaN":                "bad-parameter: l1_bound is \"NaN\"; it must be a number",
		"1.7321":             "l1-bound-out-of-range: l1_bound is 1.7321, but with 3 features it must be between 1 and √3 = 1.7320",
		"1":                  "",
		"1.7320508075688772": "", // √3
	}
	for bound, want := range cases {
		t.Run(bound, func(t *testing.T) {
			values, err := skm.SKM{}.Describe().Resolve(map[string]string{"l1_bound": bound})
			if err == nil {
				_, err = skm.SKM{}.New(framework.Problem{N: 5, P: 3, K: 2, Columns: make([]framework.Column, 3), Params: values})
			}
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestMissingCellsAreRefusedWhenAskedFor(t *testing.T) {
	values := must.Get(skm.SKM{}.Describe().Resolve(map[string]string{"l1_bound": "1", "missing": "error"}))(t)
	_, err := skm.SKM{}.New(framework.Problem{N: 5, P: 1, K: 2, Columns: []framework.Column{{Name: "age", Missing: 2}}, Params: values})
	f := framework.AsFault(err)
	if f == nil || f.Code != "missing-values" || len(f.Details) != 1 || f.Details[0] != `column "age": 2 of 5 rows` {
		t.Errorf("got %+v", f)
	}
}

// TestWeightsDoNotDependOnTheUnitOfTheData is what sparcl's bisection, with its
// absolute tolerances, does not meet: it has ‖w‖₁ = 2 for iris × 1e-4 and s = 1.5.
func TestWeightsDoNotDependOnTheUnitOfTheData(t *testing.T) {
	for _, name := range []string{"iris", "wine", "brod_p100"} {
		rows := clustertest.ReadTable(t, unpacked+"/"+name+"/X.csv").Rows(t)
		start := clustertest.ReadTable(t, unpacked+"/"+name+"/init.csv").Labels(t, "label", 0)
		k := int(slices.Max(start)) + 1
		for _, bound := range []string{"1", "1.2", "1.5", "2"} {
			weights := func(unit float64) []float64 {
				r := clustertest.Rows{X: rows.X.Clone(), Size: rows.Size}
				columns := rows.Problem(1).Columns
				for i := range r.X.Data { // scale none: centered only
					l := i % r.X.Cols
					r.X.Data[i] = unit*r.X.Data[i] - unit*columns[l].Mean
				}
				res := r.Fit(t, skm.SKM{}, r.Problem(k), map[string]string{"l1_bound": bound}, fit.Start{Labels: start}, nil)
				return res.Model.FeatureWeights
			}
			want := weights(1)
			if l1 := sum(want); math.Abs(l1-1) < 1e-9 && bound != "1" && name == "iris" {
				t.Errorf("%s, s = %s: only one feature has a weight", name, bound)
			}
			for _, unit := range []float64{1e-4, 1e6} {
				if diff := cmp.Diff(want, weights(unit), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
					t.Errorf("%s × %g, s = %s: %s", name, unit, bound, diff)
				}
			}
		}
	}
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
