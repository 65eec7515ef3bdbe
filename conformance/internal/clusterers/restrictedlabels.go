package clusterers

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// twoByTwo is a set of labels that keeps rows 2i and 2i+1 together.
type twoByTwo struct{}

// Properties implements framework.LabelSet.
func (twoByTwo) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "two_by_two", Exact: true}
}

// Feasible implements framework.LabelSet.
func (twoByTwo) Feasible(context.Context) error { return nil }

// Limits implements framework.LabelSet.
func (twoByTwo) Limits([]int32, []float64) []framework.Limit { return nil }

// Project implements framework.LabelSet.
func (twoByTwo) Project(_ context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	for i := 0; i < len(labels); i += 2 {
		sum := slices.Clone(at.Costs.Row(i))
		if i+1 < len(labels) {
			for j, v := range at.Costs.Row(i + 1) {
				sum[j] += v
			}
		}
		best := int32(slices.Index(sum, slices.Min(sum)))
		labels[i], labels[min(i+1, len(labels)-1)] = best, best
	}
	cost := at.Total(labels)
	return framework.LabelPoint{Cost: cost, Bound: cost}, nil
}

// Violation implements framework.LabelSet.
func (twoByTwo) Violation(labels []int32) (off float64) {
	for i, j := range labels {
		if j < 0 || j != labels[i&^1] {
			off++
		}
	}
	return off
}

// withLabels draws a problem of an algorithm whose labels can be restricted.
func withLabels(c *judge.Trial, s testbed.Subject) *testbed.Bed {
	if !testbed.Describe(c, s).Labels {
		c.Skipf("the description does not say that labels can be restricted")
	}
	return testbed.Draw(c, s, testbed.Want{})
}

func restrictedLabels(c *judge.Trial, s testbed.Subject) {
	b := withLabels(c, s)
	if len(b.Links) > 0 {
		c.Skipf("rows are linked")
	}
	b.Problem.Labels = twoByTwo{}
	st := b.Settings(1)
	st.Empty = framework.Origin // a row that is reseeded does not count as moved, which hides where the first round ends
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), st)
	if res.Stop == framework.AllZero {
		c.Skipf("no feature has weight")
	}
	if off := b.Problem.Labels.Violation(res.Labels); off != 0 {
		c.Failf("rows are to be together two by two, but the labels are %v", res.Labels)
	}
	first := firstRound(b.Plan, res.Trace)
	for i := 1; b.Plan.Monotone && i < len(res.Trace); i++ {
		worse := res.Trace[i].Objective - res.Trace[i-1].Objective
		if b.Plan.Maximize {
			worse = -worse
		}
		if i != first && worse > 1e-9*b.Total() {
			c.Failf("with rows together two by two, iteration %d has the objective %v after %v: it got worse by %.3g",
				res.Trace[i].Iteration, res.Trace[i].Objective, res.Trace[i-1].Objective, worse)
		}
	}
}

// labelCosts compares costs with what Assign does.
func labelCosts(c *judge.Trial, s testbed.Subject) {
	b := withLabels(c, s)
	coster, ok := framework.As[framework.Coster](b.Clusterer)
	if !ok || b.Plan.Linked {
		c.Skipf("the algorithm has no costs of its own, or rows are linked")
	}
	m := b.Model(b.Labels)
	assigned := b.Assign(m, b.Labels)
	for n := range b.Data.Blocks() {
		block := b.Data.Block(n)
		dst := framework.NewMatrix(block.X.Rows, b.K)
		own := slices.Clone(b.Labels[block.Row0 : block.Row0+block.X.Rows])
		if err := coster.Costs(m, block, own, b.Clusterer.Scratch(block.X.Rows), dst); err != nil {
			c.Failf("Costs fails with %v", err)
		}
		for i := range own {
			costs := dst.Row(i)
			least, j := slices.Min(costs), assigned[block.Row0+i]
			if !(least >= 0) || math.IsInf(slices.Max(costs), 1) {
				c.Failf("the costs of row %d are %v; they must be finite, and 0 or more", block.Row0+i, costs)
			}
			if j >= 0 && costs[j]-least > 1e-9*b.Total() {
				c.Failf("Assign gives row %d the label %d, but its costs are %v", block.Row0+i, j, costs)
			}
		}
	}
}
