package means_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestCentersWeightsAndObjectiveOfAResultBelongToOneState is about sets in which
// the nearest centers depend on the weights of features, whatever ended the run.
// A run that came to rest to 1e-12 is a fixed point of every step.
func TestCentersWeightsAndObjectiveOfAResultBelongToOneState(t *testing.T) {
	for name, set := range restrictions(t, 2) {
		if set.Properties().Separable {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r, p, w := drawRestricted(t, name)
				w.Tol = rapid.SampledFrom([]float64{1e-12, 1e-4, 0.1}).Draw(t, "tol")
				most := rapid.SampledFrom([]int{0, 1, 3, 400, 400}).Draw(t, "max iter")
				settings := fit.Settings{Restarts: 1, MaxIter: most, Threads: 1, InitSpace: "fitted", Empty: framework.Origin}
				c := means.NewWeighted(p, w)
				res := must.Get(fit.Run(t.Context(), c, p, r, drawStart(t, r.X.Rows, p.K), settings, nil))(t)
				for j := range p.K {
					if !slices.Contains(res.Labels, int32(j)) {
						return // the center of a cluster without rows has no one place
					}
				}
				m := res.Model
				want := criterion(r, w, res.Labels, m.Centers, m.FeatureWeights)
				if math.Abs(res.Objective-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("stop %s: the objective is %v; of labels, centers and weights it is %v", res.Stop, res.Objective, want)
				}
				again := res.Model.Clone()
				step := updated(t, c, again, r, res.Labels)
				must.Get(c.Project(again, framework.Centers, *step.At[framework.Centers]))(t)
				for i, v := range again.Centers.Data {
					if math.Abs(v-m.Centers.Data[i]) > 1e-9*(1+math.Abs(v)) {
						t.Errorf("stop %s: centers %v; the nearest to the means with their weights are %v", res.Stop, m.Centers.Data, again.Centers.Data)
						break
					}
				}
				if w.Tol > 1e-12 || res.Stop != fit.Settled {
					return
				}
				must.Get(c.Project(again, framework.FeatureWeights, *step.At[framework.FeatureWeights]))(t)
				for l, v := range again.FeatureWeights {
					if math.Abs(v-m.FeatureWeights[l]) > 1e-9 {
						t.Errorf("weights %v become %v", m.FeatureWeights, again.FeatureWeights)
						break
					}
				}
			})
		})
	}
}

// updated collects the rows of the labels and updates.
func updated(t *rapid.T, c framework.Clusterer, m *framework.Model, r framework.Rows, labels []int32) framework.Step {
	stats := framework.NewStats(c.Plan().Stats)
	for i := range r.Blocks() {
		b := r.Block(i)
		must.Do(t, c.Collect(b, nil, labels[b.Row0:][:b.X.Rows], stats))
	}
	return must.Get(c.Update(t.Context(), m, stats, r, labels))(t)
}
