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
	objective, before := step.Objective, r.weighed
	r.held.Objective, r.held.Selected = objective, r.selected()
	r.weighed = objective
	r.begins(objective)
	switch {
	case rest.Stop != "":
		return rest.Stop, nil
	case rest.Change <= atRest:
		return why, nil
	case r.iteration >= r.settings.MaxIter:
		return MaxIter, nil
	case r.settings.Tol > 0 && math.Abs(objective-before) <= r.settings.Tol*math.Abs(objective):
		return Tolerance, nil
	}
	return "", nil
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
