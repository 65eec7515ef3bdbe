package clusterers

import (
	"context"
	"errors"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

func monotone(c *judge.Trial, s testbed.Subject) {
	w := testbed.Want{}
	if c.Size >= cases.GrownSize/2 && c.Index%2 == 0 { // a run of many iterations
		w = testbed.Want{Smooth: true, Shape: func(c *judge.Trial) (int, int, int) { return 15 * c.Size, 2, 5 }}
	}
	b := testbed.Draw(c, s, w)
	if !b.Plan.Monotone {
		c.Skipf("the plan does not say that the objective is monotone")
	}
	st := b.Settings(1)
	if b.Description.Trims {
		st.Trim = 0.25 * float64(c.Rand.IntN(2))
		c.Given("trim %g", st.Trim)
	}
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), st)
	first := firstRound(b.Plan, res.Trace)
	for i := 1; i < len(res.Trace); i++ {
		if i == first {
			continue
		}
		worse := res.Trace[i].Objective - res.Trace[i-1].Objective
		if b.Plan.Maximize {
			worse = -worse
		}
		if worse > 1e-9*b.Total() {
			c.Failf("the plan says Monotone, but iteration %d has the objective %v after %v: it got worse by %.3g; at most %.3g is rounding",
				res.Trace[i].Iteration, res.Trace[i].Objective, res.Trace[i-1].Objective, worse, 1e-9*b.Total())
		}
	}
}

func settles(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	if !res.Converged && b.Plan.Passes > 0 && res.Iterations >= b.Plan.Passes {
		c.Skipf("the plan ends a round after %d passes", b.Plan.Passes)
	}
	if !res.Converged {
		c.Failf("rows still move after %d iterations: %d in the last, objective %v",
			res.Iterations, res.Trace[len(res.Trace)-1].Moved, res.Objective)
	}
	if res.Stop != fit.Settled || !b.Plan.Monotone || slices.Contains(b.Plan.Cadence[:], framework.WhenSettled) {
		return // what is projected when rows rest may move them, by less than a tolerance of the method
	}
	d := b.Distances(res.Model.Clone())
	for i, j := range b.Assign(res.Model.Clone(), res.Labels) {
		if was := res.Labels[i]; j != was && d.Row(i)[was]-d.Row(i)[j] > 1e-9*b.Total() {
			c.Failf("the fit has settled, but row %d moves from %d to %d when it is assigned once more", i, was, j)
		}
	}
}

// firstRound returns the entry of a trace that ends the first round, or −1 if the
// plan has no rounds.
func firstRound(p framework.Plan, trace []fit.Iteration) int {
	if !slices.Contains(p.Cadence[:], framework.WhenSettled) {
		return -1
	}
	return slices.IndexFunc(trace, func(it fit.Iteration) bool { return it.Moved == 0 })
}

// threads needs several shards, hence thousands of rows.
func threads(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true,
		Shape: func(c *judge.Trial) (int, int, int) {
			return 3*1024 + c.Between(1, 600), c.Between(2, 4), c.Between(2, 5)
		}})
	cutInto(b, c.Between(100, 300))
	st := b.Settings(1)
	st.MaxIter = 12
	if s.Served() { // each step is a call
		st.MaxIter = 6
	}
	one := b.FitOrSkip(testbed.StartFrom(b.Labels), st)
	busy := 0
	for _, threads := range []int{2, 5} {
		st.Threads = threads
		more := b.Again().FitOrSkip(testbed.StartFrom(b.Labels), st)
		b.SameResults(more, one, "with more than one thread")
		for _, blocks := range more.BlocksByWorker {
			if blocks > 0 {
				busy++
			}
		}
	}
	if busy <= 2 {
		c.Skipf("one worker took all blocks: the machine is too busy")
	}
}

func cutInto(b *testbed.Bed, size int) { *b = *b.Cut(size) }

func cancels(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	ctx, cancel := context.WithCancel(c.Ctx)
	cancel()
	if b.Plan.NeedsRows {
		m, stats := b.Clusterer.Begin(), b.Collect(b.Labels)
		if _, err := b.Clusterer.Update(ctx, m, stats, b.Data, b.Labels); !errors.Is(err, context.Canceled) {
			c.Failf("Update passes over the rows, but does not look at its context: it was cancelled, and the error is %v", err)
		}
	}
	_, err := fit.Run(ctx, b.Clusterer, b.Problem, b.Data, testbed.StartFrom(b.Labels), b.Settings(1), nil)
	if !errors.Is(err, context.Canceled) {
		c.Failf("a fit whose context was cancelled ends with %v", err)
	}
	ctx, cancel = context.WithCancel(c.Ctx)
	defer cancel()
	iterations := 0
	st := b.Settings(1)
	_, err = fit.Run(ctx, b.Clusterer, b.Problem, b.Data, testbed.StartFrom(b.Labels), st, func(fit.Iteration) { iterations++; cancel() })
	if !errors.Is(err, context.Canceled) || iterations > 1 {
		if f := framework.AsFault(err); f == nil || iterations > 1 {
			c.Failf("a fit that was cancelled in its first iteration makes %d and ends with %v", iterations, err)
		}
	}
	if res, err := b.Again().Fit(testbed.StartFrom(b.Labels), st); err == nil && res.Iterations == 0 {
		c.Failf("after a cancelled fit, the next one does nothing")
	}
}

func clusterOrder(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Smooth: true})
	renamed := c.Rand.Perm(b.K)
	labels := make([]int32, b.N)
	for i, j := range b.Labels {
		labels[i] = int32(renamed[j])
	}
	c.Given("the same start with the clusters called %v", renamed)
	m, n := b.Model(b.Labels), b.Again().Model(labels)
	for j, to := range renamed {
		b.Near(n.Centers.Row(to), m.Centers.Row(j), "a center under its new number and its old one")
	}
	b.Near(n.FeatureWeights, m.FeatureWeights, "the feature weights with the clusters in another order")
}

// knownAnswer has two groups around ±10 in every feature, so that any selection
// of features, and any sensible distance, tells them apart.
func knownAnswer(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Plain: true, Complete: true,
		Shape: func(c *judge.Trial) (int, int, int) { return 2 * c.Between(4, 4+c.Size), c.Between(1, 5), 2 }})
	rows := cases.Sample{X: framework.NewMatrix(b.N, b.P), BlockRows: b.Rows.BlockRows}
	for i := range rows.X.Data {
		rows.X.Data[i] = 10*float64(1-i/b.P%2*2) + c.Rand.NormFloat64()
	}
	far := b.With(rows)
	st := far.Settings(1)
	st.Init, st.Restarts = "kmeans++", 4
	res := far.FitOrSkip(fit.Start{}, st)
	first := slices.IndexFunc(res.Labels, func(j int32) bool { return j >= 0 })
	if first < 0 {
		c.Failf("rows of even numbers are near 10 in every feature, those of odd ones near −10, but all of them are noise")
	}
	for i, j := range res.Labels {
		if j >= 0 && (j == res.Labels[first]) != (i%2 == first%2) {
			c.Failf("rows of even numbers are near 10 in every feature, those of odd ones near −10, but the labels are %v", res.Labels)
		}
	}
}
