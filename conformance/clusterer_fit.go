package conformance

import (
	"context"
	"errors"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

func startFrom(labels []int32) fit.Start { return fit.Start{Labels: labels} }

func monotone(c *trial, s subject) {
	w := want{}
	if c.size >= grownSize/2 && c.index%2 == 0 { // a run of many iterations
		w = want{smooth: true, shape: func(c *trial) (int, int, int) { return 15 * c.size, 2, 5 }}
	}
	b := c.bed(s, w)
	if !b.plan.Monotone {
		c.skipf("the plan does not say that the objective is monotone")
	}
	st := b.settings(1)
	if b.d.Trims {
		st.Trim = 0.25 * float64(c.rand.IntN(2))
		c.given("trim %g", st.Trim)
	}
	res := b.fitOrSkip(startFrom(b.labels), st)
	first := firstRound(b.plan, res.Trace)
	for i := 1; i < len(res.Trace); i++ {
		if i == first {
			continue
		}
		worse := res.Trace[i].Objective - res.Trace[i-1].Objective
		if b.plan.Maximize {
			worse = -worse
		}
		if worse > 1e-9*b.total() {
			c.failf("the plan says Monotone, but iteration %d has the objective %v after %v: it got worse by %.3g; at most %.3g is rounding",
				res.Trace[i].Iteration, res.Trace[i].Objective, res.Trace[i-1].Objective, worse, 1e-9*b.total())
		}
	}
}

func settles(c *trial, s subject) {
	b := c.bed(s, want{})
	res := b.fitOrSkip(startFrom(b.labels), b.settings(1))
	if !res.Converged && b.plan.Passes > 0 && res.Iterations >= b.plan.Passes {
		c.skipf("the plan ends a round after %d passes", b.plan.Passes)
	}
	if !res.Converged {
		c.failf("rows still move after %d iterations: %d in the last, objective %v",
			res.Iterations, res.Trace[len(res.Trace)-1].Moved, res.Objective)
	}
	if res.Stop != fit.Settled || !b.plan.Monotone || slices.Contains(b.plan.Cadence[:], framework.WhenSettled) {
		return // what is projected when rows rest may move them, by less than a tolerance of the method
	}
	d := b.distances(res.Model.Clone())
	for i, j := range b.assign(res.Model.Clone(), res.Labels) {
		if was := res.Labels[i]; j != was && d.Row(i)[was]-d.Row(i)[j] > 1e-9*b.total() {
			c.failf("the fit has settled, but row %d moves from %d to %d when it is assigned once more", i, was, j)
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
func threads(c *trial, s subject) {
	b := c.bed(s, want{smooth: true,
		shape: func(c *trial) (int, int, int) { return 3*1024 + c.between(1, 600), c.between(2, 4), c.between(2, 5) }})
	b.cutInto(c.between(100, 300))
	st := b.settings(1)
	st.MaxIter = 12
	one := b.fitOrSkip(startFrom(b.labels), st)
	if s.served() { // the driver in the host makes one call after the other
		st.MaxIter = 6
		one = b.again().fitOrSkip(startFrom(b.labels), st)
	}
	busy := 0
	for _, threads := range []int{2, 5} {
		st.Threads = threads
		more := b.again().fitOrSkip(startFrom(b.labels), st)
		b.sameResults(more, one, "with more than one thread")
		for _, blocks := range more.BlocksByWorker {
			if blocks > 0 {
				busy++
			}
		}
	}
	if busy <= 2 {
		c.skipf("one worker took all blocks: the machine is too busy")
	}
}

func (b *bed) cutInto(size int) { *b = *b.cut(size) }

func cancels(c *trial, s subject) {
	b := c.bed(s, want{})
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	if b.plan.NeedsRows {
		m, stats := b.c.Begin(), b.collect(b.labels)
		if _, err := b.c.Update(ctx, m, stats, b.data, b.labels); !errors.Is(err, context.Canceled) {
			c.failf("Update passes over the rows, but does not look at its context: it was cancelled, and the error is %v", err)
		}
	}
	_, err := fit.Run(ctx, b.c, b.p, b.data, startFrom(b.labels), b.settings(1), nil)
	if !errors.Is(err, context.Canceled) {
		c.failf("a fit whose context was cancelled ends with %v", err)
	}
	ctx, cancel = context.WithCancel(c.ctx)
	defer cancel()
	iterations := 0
	st := b.settings(1)
	_, err = fit.Run(ctx, b.c, b.p, b.data, startFrom(b.labels), st, func(fit.Iteration) { iterations++; cancel() })
	if !errors.Is(err, context.Canceled) || iterations > 1 {
		if f := framework.AsFault(err); f == nil || iterations > 1 {
			c.failf("a fit that was cancelled in its first iteration makes %d and ends with %v", iterations, err)
		}
	}
	if res, err := b.again().fit(startFrom(b.labels), st); err == nil && res.Iterations == 0 {
		c.failf("after a cancelled fit, the next one does nothing")
	}
}

func complete(c *trial, s subject) {
	b := c.bed(s, want{smooth: true, complete: true})
	if !b.d.Missing {
		c.skipf("the algorithm takes no missing cells")
	}
	other := *b
	other.p.Columns = slices.Clone(b.p.Columns)
	other.p.Columns[c.rand.IntN(b.p.P)].Missing = 1
	if err := other.rebind(); err != nil {
		c.skipf("missing cells are refused: %v", err)
	}
	m, n := b.model(b.labels), other.model(b.labels)
	b.close(n.Centers.Data, m.Centers.Data, "the centers with a missing cell announced, and without")
	b.close(n.FeatureWeights, m.FeatureWeights, "the feature weights with a missing cell announced, and without")
	b.close(other.distances(n).Data, b.distances(m).Data, "the distances with a missing cell announced, and without")
}

func clusterOrder(c *trial, s subject) {
	b := c.bed(s, want{smooth: true})
	renamed := c.rand.Perm(b.p.K)
	labels := make([]int32, b.p.N)
	for i, j := range b.labels {
		labels[i] = int32(renamed[j])
	}
	c.given("the same start with the clusters called %v", renamed)
	m, n := b.model(b.labels), b.again().model(labels)
	for j, to := range renamed {
		b.close(n.Centers.Row(to), m.Centers.Row(j), "a center under its new number and its old one")
	}
	b.close(n.FeatureWeights, m.FeatureWeights, "the feature weights with the clusters in another order")
}

// knownAnswer has two groups around ±10 in every feature, so that any selection
// of features, and any sensible distance, tells them apart.
func knownAnswer(c *trial, s subject) {
	b := c.bed(s, want{plain: true, complete: true,
		shape: func(c *trial) (int, int, int) { return 2 * c.between(4, 4+c.size), c.between(1, 5), 2 }})
	rows := sample{framework.NewMatrix(b.p.N, b.p.P), nil, b.rows.blockRows}
	for i := range rows.x.Data {
		rows.x.Data[i] = 10*float64(1-i/b.p.P%2*2) + c.rand.NormFloat64()
	}
	far := b.with(rows)
	st := far.settings(1)
	st.Init, st.Restarts = "kmeans++", 10
	res := far.fitOrSkip(fit.Start{}, st)
	for i, j := range res.Labels {
		if (j == res.Labels[0]) != (i%2 == 0) {
			c.failf("rows of even numbers are near 10 in every feature, those of odd ones near −10, but the labels are %v", res.Labels)
		}
	}
}
