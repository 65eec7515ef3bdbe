package fit

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	ram "github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// limits is what a run with Problem.Labels knows. See the package comment, Sets of
// labels.
type limits struct {
	set    framework.LabelSet
	costs  framework.LabelCosts
	labels []int32              // room for those that are proposed
	before []int32              // room for those before them
	obeys  bool                 // the present labels do
	known  bool                 // some labels have been projected
	point  framework.LabelPoint // of the last projection
}

func newLimits(p framework.Problem, threads int) *limits {
	l := &limits{set: p.Labels, labels: make([]int32, p.N), before: make([]int32, p.N)}
	l.costs = framework.LabelCosts{Costs: framework.NewMatrix(p.N, p.K), Threads: threads}
	return l
}

// restrict puts labels of runs into the problem's set. A round then begins with the labels
// that there are: others could cost more.
func (st *state) restrict(p framework.Problem) {
	if p.Labels == nil {
		return
	}
	st.limits = newLimits(p, st.pool.Workers())
	st.plan.Fresh = false
}

// roomFor refuses costs for which there is no memory: n×k numbers, as many again twice for
// the projection, and two labels of each row.
func roomFor(n, k int) *framework.Fault {
	need := int64(n) * (3*8*int64(k) + 8)
	if free := ram.AvailableFor(need); need > free {
		return framework.Faultf(framework.Data, "no-memory", "limits of clusters need %d MB for what each of %d labels costs each of %d rows, "+
			"and %d MB are available", need>>20, k, n, free>>20)
	}
	return nil
}

// feasible returns an error if a set of labels is known to be empty.
func feasible(ctx context.Context, set framework.LabelSet) error {
	if set == nil {
		return nil
	}
	err := set.Feasible(ctx)
	if _, undecided := errors.AsType[framework.Undecided](err); undecided {
		return nil // Project may still find some
	}
	return err
}

// restart forgets what is known of another run's labels.
func (l *limits) restart() {
	if l != nil {
		l.obeys, l.known, l.point, l.costs.Prices = false, false, framework.LabelPoint{}, nil
	}
}

// resume goes on where another state's run ended with labels that obey, and with this point. So the run
// goes on as it would have in its own state, whose prices are those of a later run by now.
func (l *limits) resume(p *framework.LabelPoint) {
	if l != nil {
		l.obeys, l.known, l.point, l.costs.Prices = true, !math.IsNaN(p.Bound), *p, p.Prices
	}
}

// result returns what is known of the labels that a run ends with.
func (l *limits) result(labels []int32) *framework.LabelPoint {
	if l == nil {
		return nil
	}
	p := l.point // a copy: the next run writes over it
	if p.Cost = l.costs.Total(labels); !l.known {
		p.Cost, p.Bound = math.NaN(), math.NaN()
	}
	return &p
}

// assignTogether gives all rows those labels of the set that cost least, and moves
// statistics. Present labels of the set stay unless others cost less. It returns how many rows have moved.
func (st *state) assignTogether(ctx context.Context) (int, error) {
	l := st.limits
	if err := st.cost(ctx); err != nil {
		return 0, err
	}
	copy(l.labels, st.labels)
	point, err := l.set.Project(ctx, l.labels, l.costs)
	if err != nil {
		return 0, err
	}
	if err := l.check(); err != nil {
		return 0, err
	}
	l.point, l.costs.Prices, l.known = point, point.Prices, true
	if l.obeys {
		if present := l.costs.Total(st.labels); !(l.costs.Total(l.labels) < present) {
			l.point.Cost = present
			return 0, nil
		}
	}
	l.obeys = true
	return st.relabel(ctx, l.labels)
}

// check refuses labels that no set may return.
func (l *limits) check() error {
	for i, j := range l.labels {
		if j < 0 || int(j) >= l.costs.Costs.Cols || math.IsInf(l.costs.Costs.Row(i)[j], 1) {
			return framework.Faultf(framework.Plugin, "set-broken", "the set of labels %s gives row %d the label %d, which it must not have",
				l.set.Properties().Kind, i, j).WithHint("this is a bug in what serves it; please report it to its author")
		}
	}
	return nil
}

// cost writes the costs of all labels.
func (st *state) cost(ctx context.Context) error {
	coster, _ := framework.As[framework.Coster](st.c)
	err := st.eachBlock(ctx, func(worker int, b framework.Block) error {
		dst := st.limits.costs.Costs.Slice(b.Row0, b.Row0+b.X.Rows)
		var err error
		if coster != nil {
			err = coster.Costs(st.model, b, st.labels[b.Row0:b.Row0+b.X.Rows], st.scratch[b.Index], dst)
		} else {
			err = st.c.Distances(st.model, b, dst)
		}
		if err != nil {
			return err
		}
		st.workers[worker].assigned++
		if b.RowWeight == nil {
			return nil
		}
		for t := range dst.Rows {
			for j, d := range dst.Row(t) {
				dst.Row(t)[j] = float64(d * b.RowWeight[t])
			}
		}
		return nil
	})
	if charger, ok := st.limits.set.(framework.LabelCharger); ok && err == nil {
		charger.Charge(st.limits.costs.Costs)
	}
	return err
}

// charged returns an objective with what the set charges for labels.
func (l *limits) charged(objective float64, labels []int32, maximize bool) float64 {
	if l == nil {
		return objective
	}
	charger, ok := l.set.(framework.LabelCharger)
	switch {
	case !ok:
		return objective
	case maximize:
		return objective - charger.Charged(labels)
	}
	return objective + charger.Charged(labels)
}

// relabel gives all rows the labels to, and moves statistics.
func (st *state) relabel(ctx context.Context, to []int32) (int, error) {
	copy(st.limits.before, st.labels)
	copy(st.labels, to)
	return st.gatherMoves(ctx, func(worker, i int) error {
		s, w := st.shards[i], &st.workers[worker]
		for n := s.first; n < s.end; n++ {
			b := st.rows.Block(n)
			before, after := st.limits.before[b.Row0:b.Row0+b.X.Rows], st.labels[b.Row0:b.Row0+b.X.Rows]
			if moved, _ := w.countMoves(b, before, after); moved == 0 {
				continue
			}
			if err := st.c.Collect(b, before, after, st.fold.of(worker, s)); err != nil {
				return err
			}
		}
		return nil
	}, 0)
}

// obeyStart gives rows labels of the set if those of the start are not in it.
func (r *run) obeyStart(ctx context.Context, step framework.Step) (framework.Step, error) {
	l := r.limits
	if l.obeys = l.obeys || l.set.Violation(r.labels) == 0; l.obeys {
		return step, nil
	}
	if _, err := r.project(step, framework.EveryUpdate); err != nil {
		return step, err
	}
	if _, err := r.assign(ctx); err != nil {
		return step, err
	}
	return r.update(ctx)
}

// mayMove reports whether labels stay in the set if row i gets the label to.
func (l *limits) mayMove(labels []int32, i int, to int32) bool {
	if l == nil {
		return true
	}
	from := labels[i]
	labels[i] = to
	defer func() { labels[i] = from }()
	return l.set.Violation(labels) == 0
}

// refuseLabels refuses a set of labels where there is no rule for it together with the
// rest.
func refuseLabels(p framework.Problem, plan framework.Plan, s Settings) error {
	if p.Labels == nil {
		return nil
	}
	refuse := func(code, format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Usage, code, format, args...).At("constraints")
	}
	switch {
	case slices.ContainsFunc(p.Links, framework.Link.Hard):
		return refuse("limits-with-pairs", "rows that must stay together, in clusters whose rows are limited, have to be packed like bins: "+
			"no method finds the best labels in good time").
			WithHint("make one row of those that stay together, with their number as its weight, and limit the sum of that number with capacity; " +
				"for rows that stay apart there is unique_per")
	case len(p.Links) > 0 || plan.Linked:
		return refuse("limits-with-pairs", "what a broken pair costs depends on the labels of both of its rows, and the best labels "+
			"within limits are known only where a row's costs do not depend on labels of others").
			WithHint("leave the pairs or the limits out; rows can be labelled within limits by the centers of a fit with pairs, afterwards")
	case s.Trim > 0:
		return refuse("limits-with-trim", "limits count all rows, and rows that are trimmed have no cluster").
			WithHint("leave %s out", framework.Setting("trim"))
	case plan.Noise:
		return refuse("limits-with-noise", "limits count all rows, and this algorithm leaves rows without a cluster").
			WithHint("use another algorithm")
	}
	return nil
}
