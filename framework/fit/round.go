package fit

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// round is what is known since the objective last changed its scale: since the
// start, or since the targets for settled labels were projected.
type round struct {
	began      int     // iterations before it
	last       float64 // objective of the last iteration
	reseeds    bool    // empty clusters are still reseeded
	reseededAt float64 // objective at the last reseeding; NaN before the first
	best       float64 // objective of the best iteration
	stalled    int     // iterations with moves since then
}

// begins starts a round at the given objective.
func (r *run) begins(objective float64) {
	r.round = round{began: r.iteration, last: objective, reseeds: r.settings.Empty == framework.Reseed, reseededAt: math.NaN()}
}

// endRound projects the targets for settled labels and says whether the run
// stops: there are none, nothing changed, or nothing more is allowed to. They
// are projected at the limit of iterations too, so that feature weights always
// belong to the labels. A reason of the algorithm's own ends the run as it is.
func (r *run) endRound(ctx context.Context, step *framework.Step, why string) (string, error) {
	if !r.rounds || why != Settled && why != Tolerance && why != MaxIter {
		return why, nil
	}
	var err error
	if !r.fresh {
		if *step, err = r.anew(ctx); err != nil {
			return "", err
		}
	}
	rest, err := r.project(*step, framework.WhenSettled)
	if err != nil {
		return "", err
	}
	if *step, err = r.update(ctx); err != nil {
		return "", err
	}
	stop := r.stopsAfter(rest, why, step.Objective)
	if stop != "" && stop != framework.AllZero && r.tied {
		if err := r.nearest(ctx, step); err != nil {
			return "", err
		}
	}
	r.held.Objective, r.held.Selected = step.Objective, r.selected()
	r.weighed = step.Objective
	r.begins(step.Objective)
	return stop, nil
}

// stopsAfter says why the run stops after a round that ended for the given
// reason, with the objective after its projection, or nothing.
func (r *run) stopsAfter(rest framework.Outcome, why string, objective float64) string {
	switch {
	case rest.Stop != "":
		return rest.Stop
	case rest.Change <= atRest:
		return why
	case r.iteration >= r.settings.MaxIter:
		return MaxIter
	case r.settings.Tol > 0 && math.Abs(objective-r.weighed) <= r.settings.Tol*math.Abs(objective):
		return Tolerance
	}
	return ""
}

// nearest projects the centers once more, and updates. The weights that a round
// ends with are the best for its centers; where these depend on the weights, the
// next round begins with other centers, and so must a result end with them.
func (r *run) nearest(ctx context.Context, step *framework.Step) error {
	last := framework.Step{}
	last.At[framework.Centers] = step.At[framework.Centers]
	_, err := r.project(last, framework.EveryUpdate)
	if err == nil {
		*step, err = r.update(ctx)
	}
	return err
}

// say reports the iteration that is held.
func (r *run) say() {
	if r.holds {
		r.report(r.held)
		r.holds = false
	}
}

// patience is how many iterations with moves may pass without an improvement:
// rows at equal distances may move that long.
const patience = 8

// improves reports whether the objective is better than another by more than
// rounding.
func (r *run) improves(objective, than float64) bool {
	if r.plan.Maximize {
		return objective > than+float64(1e-12*math.Abs(than))
	}
	return objective < than-float64(1e-12*math.Abs(than))
}

// isStalled reports whether rounding alone keeps the round going.
func (r *run) isStalled(moved int, objective float64) bool {
	if !r.plan.Monotone || moved == 0 {
		return false
	}
	at := &r.round
	if r.iteration == at.began+1 || r.improves(objective, at.best) {
		at.best, at.stalled = objective, 0
		return false
	}
	if at.stalled++; at.stalled <= patience {
		return false
	}
	wasCareful := r.careful
	r.careful, at.stalled = true, 0
	return wasCareful
}
