package job

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// failing is a set of labels whose calls fail.
type failing struct{ framework.LabelSet }

func (failing) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "failing"}
}
func (failing) Limits([]int32, []float64) []framework.Limit { return nil }
func (failing) Err() error                                  { return framework.Faultf(framework.Plugin, "plugin-crashed", "gone") }
func (failing) Describe() framework.SetDescription          { return framework.SetDescription{Kind: "failing"} }
func (s failing) Make([]framework.ConstraintRow, framework.LabelTable) (framework.LabelSet, error) {
	return s, nil
}

func ofSilent(t *testing.T) *Job {
	set := must.Get(declare.Labels([]framework.ConstraintRow{{Kind: "failing"}}, framework.LabelTable{N: 2, K: 1}, failing{}))(t)
	return &Job{Problem: framework.Problem{N: 2, K: 1, Labels: set}}
}

func TestLimitsThatCannotBeToldAreAnError(t *testing.T) {
	f := &Fitted{Result: &fit.Result{Labels: []int32{0, 0}, Limits: &framework.LabelPoint{}}}
	_, err := ofSilent(t).limits(f)
	must.Fault(t, err, "plugin-crashed")
}

// A bound of 0 bounds nothing.
func TestWhatBetterLabelsCouldSaveIsToldIfItIsBounded(t *testing.T) {
	b := ofSilent(t)
	for bound, want := range map[float64]string{
		math.Inf(-1): "limits: 1 kept, 1 with no slack",
		0:            "limits: 1 kept, 1 with no slack",
		1:            "limits: 1 kept, 1 with no slack; better labels could save 99.5 % of their cost at most, for these centers",
		190:          "limits: 1 kept, 1 with no slack; better labels could save 5 % of their cost at most, for these centers",
		200:          "limits: 1 kept, 1 with no slack",
	} {
		f := &Fitted{Result: &fit.Result{Limits: &framework.LabelPoint{Cost: 200, Bound: bound}}}
		must.Equal(t, want, b.LimitsLine(f, []result.Limit{{Slack: 0}}))
	}
}
