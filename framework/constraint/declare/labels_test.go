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
