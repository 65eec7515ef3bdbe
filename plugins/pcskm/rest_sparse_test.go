package pcskm_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// TestCentersAndObjectiveOfPCSKMAreThoseOfItsWeights holds whatever ended the run,
// where the nearest centers depend on the weights.
func TestCentersAndObjectiveOfPCSKMAreThoseOfItsWeights(t *testing.T) {
	for name := range tyings {
		if name == "box" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, p := drawTied(t, name)
				params := map[string]string{"l1_bound": "1.3", "penalty_in_weights": rapid.SampledFrom([]string{"false", "true"}).Draw(t, "penalty")}
				res, _ := b.fitTied(t, pcskm.PCSKM{}, &p, params, rapid.SampledFrom([]int{0, 1, 3, 300}).Draw(t, "max iter"), nil)
				if res == nil || res.Stop == framework.AllZero {
					return
				}
				for j := range p.K {
					if !slices.Contains(res.Labels, int32(j)) {
						return // the center of a cluster without rows has no one place
					}
				}
				m := res.Model
				s := b.sumsOf(p, res.Labels, m.Centers)
				objective, size := 0.0, 0.0
				for l, w := range m.FeatureWeights {
					objective += w * (p.Columns[l].SumSq - s.within[l] - s.costs[l])
					size += w * (p.Columns[l].SumSq + s.within[l] + s.costs[l])
				}
				if !near(res.Objective, objective, size) {
					t.Errorf("stop %s: the objective is %v; of labels, centers and weights it is %v", res.Stop, res.Objective, objective)
				}
				for i, v := range s.nearest(t, p, m).Data {
					// What a ball leaves to a feature of weight 0 is the root of a rounding error.
					if w := m.FeatureWeights[i%p.P]; w > 0 && math.Abs(v-m.Centers.Data[i]) > 1e-7 {
						t.Errorf("centers %v; the nearest with their weights are another %v at %d", m.Centers.Data, v, i)
					}
				}
			})
		})
	}
}
