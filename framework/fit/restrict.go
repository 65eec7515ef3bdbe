package fit

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// Restrict returns the clusterer with its centers kept in a set of k×p centers.
// The clusterer knows nothing of the set: it was made for a problem without
// Centers. The set may be one that only the driver's own process can project onto.
//
// Each point is projected onto the set first. The clusterer's own Project gets the
// result, with what each entry gains there (see constraint.HeldBack) as Gain.
//
//   - A clusterer whose centers are free takes the point as it is. It is the nearest
//     center, and the step has the same bits as that of a k-means that has the set
//     in its problem.
//   - A clusterer with a set of its own, T, does so too as long as the point is in
//     T, where it is the nearest one in both sets. Otherwise Project returns a
//     Fault: there is no rule for both sets together.
//   - For a clusterer that weighs features, Project always returns a Fault: the
//     weights would be for centers that are free.
//
// framework.As finds the clusterer's optional interfaces. They stay true, since they
// read models that the restricted Project has written. Only the Selector and Pather
// of a clusterer that weighs features are hidden, for the reason of the Fault.
func Restrict(c framework.Clusterer, set framework.Set) framework.Clusterer {
	p := c.Plan()
	return &restricted{Clusterer: c, set: set, squared: p.Squared, weighs: p.Cadence[framework.FeatureWeights] != framework.Never}
}

type restricted struct {
	framework.Clusterer
	set     framework.Set
	squared bool // the loss is
	weighs  bool // features have weights
}

// Prepare implements framework.Preparer.
func (r *restricted) Prepare(m *framework.Model) {
	if p, ok := framework.As[framework.Preparer](r.Clusterer); ok {
		p.Prepare(m)
	}
}

// Unwrap returns the clusterer that is restricted, for framework.As.
func (r *restricted) Unwrap() framework.Clusterer {
	linker, links := framework.As[framework.Linker](r.Clusterer)
	switch {
	case !r.weighs:
		return r.Clusterer
	case links:
		return struct {
			framework.Clusterer
			framework.Linker
		}{r.Clusterer, linker}
	}
	return struct{ framework.Clusterer }{r.Clusterer}
}

// Project implements framework.Clusterer.
func (r *restricted) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t != framework.Centers {
		return r.Clusterer.Project(m, t, at)
	}
	if r.weighs {
		return framework.Outcome{}, framework.Faultf(framework.Data, "set-needs-equal-weights",
			"this algorithm weighs features, and does not know a set that another plugin serves: the weights would be for other centers").
			At("constraints").WithHint("use the kinds of constraints that are built in, or an algorithm whose features have equal weights")
	}
	if at.Gain != nil && !constraint.TakesGains(r.set, !r.squared) {
		return framework.Outcome{}, framework.Faultf(framework.Data, "set-needs-means",
			"the nearest centers in this set are known for means of complete rows only, not for medians or means of observed cells").
			At("constraints").WithHint("use %s where cells are missing", framework.SettingTo("nulls", "drop"))
	}
	at = constraint.KeepEmpty(r.set, m, at)
	held := at
	held.Gain = constraint.EntryGains(r.set, at)
	held.X = framework.NewMatrix(at.X.Rows, at.X.Cols)
	if err := r.set.Project(held.X, at); err != nil {
		return framework.Outcome{}, err
	}
	if !constraint.Selects(r.set) && r.squared {
		constraint.HeldBack(held.Gain, at.X.Data, held.X.Data)
	}
	theta := held.X.Clone() // the clusterer may write to its point
	held.RowMass = occupied(at.RowMass)
	o, err := r.Clusterer.Project(m, t, held)
	if err != nil {
		return o, err
	}
	if !slices.Equal(m.Centers.Data, theta.Data) {
		return o, framework.Faultf(framework.Data, "cannot-intersect",
			"the algorithm restricts its centers itself, and the nearest centers in its set and in that of the constraints have no formula").
			At("constraints").WithHint("use an algorithm whose centers are free")
	}
	return o, nil
}

// occupied returns the masses, with 1 for clusters without rows: their centers go
// where the set has them, like all others. Their gains are 0 already.
func occupied(mass []float64) []float64 {
	all := slices.Clone(mass)
	for j, n := range all {
		if n == 0 {
			all[j] = 1
		}
	}
	return all
}
