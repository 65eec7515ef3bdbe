package declare_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAKindThatIsNotThereIsToldWithThoseOfLimits(t *testing.T) {
	for kind, want := range map[string]string{
		"sizes":     "bad-constraints: the constraints cannot be used: sizes: there is no such kind; did you mean size",
		"capacitiy": "bad-constraints: the constraints cannot be used: capacitiy: there is no such kind; did you mean capacity",
		"zzzzzzzzz": "bad-constraints: the constraints cannot be used: zzzzzzzzz: there is no such kind; there are box, nonnegative, fixed, " +
			"halfspace, simplex, l1_ball, l2_ball, monotone, sparsity, balance, capacity, share, size, unique_per",
	} {
		_, err := declare.Rows([]framework.ConstraintRow{{Kind: kind, Lo: new(60.0)}}, framework.Problem{K: 2, Columns: people()})
		must.Fail(t, err, want)
	}
}

func TestWhatIsWrongWithALimitIsSaidOnceWithItsName(t *testing.T) {
	table := framework.LabelTable{N: 3, K: 2}
	for want, row := range map[string]framework.ConstraintRow{
		"size: needs lo or hi, or both":                                         {Kind: "size"},
		`size "vans": needs lo or hi, or both`:                                  {Kind: "size", Name: "vans"},
		`share "a": lo and hi are parts of all rows, from 0 to 1, and one is 2`: {Kind: "share", Name: "a", Hi: new(2.0)},
		"size: it takes no feature; leave that NULL":                            {Kind: "size", Lo: new(1.0), Feature: new("")},
	} {
		_, err := declare.Labels([]framework.ConstraintRow{row}, table)
		must.Fail(t, err, "bad-constraints: the constraints cannot be used: "+want)
	}
	for want, row := range map[string]framework.ConstraintRow{ // no labels of 3 rows and 2 clusters obey
		`size "vans", each cluster: at most 1 row`:         {Kind: "size", Name: "vans", Lo: new(0.0), Hi: new(1.0)},
		"size, cluster 1: at least 4 rows":                 {Kind: "size", Cluster: new(1), Lo: new(4.0)},
		`share "b", each cluster: at most 0.3 of all rows`: {Kind: "share", Name: "b", Lo: new(0.0), Hi: new(0.3)},
	} {
		set := must.Get(declare.Labels([]framework.ConstraintRow{row}, table))(t)
		must.Equal(t, []string{want}, must.Fault(t, set.Feasible(t.Context()), "infeasible-labels").Details)
	}
}

func TestARowWithoutAKindIsToldToHaveOne(t *testing.T) {
	_, err := declare.Rows([]framework.ConstraintRow{{Lo: new(60.0)}}, framework.Problem{K: 2, Columns: people()})
	must.Fail(t, err, "bad-constraints: the constraints cannot be used: "+
		"a row without a kind: give it one; there are box, nonnegative, fixed, "+
		"halfspace, simplex, l1_ball, l2_ball, monotone, sparsity, balance, capacity, share, size, unique_per")
}

func TestALowerLimitAboveTheUpperOneIsRefusedBeforeLabelsAreSought(t *testing.T) {
	table := framework.LabelTable{N: 3, K: 2, Columns: []framework.LabelColumn{
		{Name: "c", Numbers: []float64{1, 2, 3}, Codes: []int32{0, 0, 1}, Values: []string{"a", "b"}}}}
	for _, kind := range []string{"size", "share", "capacity", "balance"} {
		row := framework.ConstraintRow{Kind: kind, Lo: new(0.75), Hi: new(0.5)}
		if kind == "capacity" || kind == "balance" {
			row.Feature = new("c")
		}
		_, err := declare.Labels([]framework.ConstraintRow{row}, table)
		must.Fail(t, err, "bad-constraints: the constraints cannot be used: "+kind+": lo is 0.75, above hi, which is 0.5")
	}
	_, err := declare.Labels([]framework.ConstraintRow{{Kind: "size", Lo: new(1.0), Hi: new(1.0)}}, table)
	must.Equal(t, nil, err)
}
