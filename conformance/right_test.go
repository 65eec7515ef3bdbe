package conformance_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

var full = conformance.Options{Profile: conformance.Full}

// exempt says by algorithm which laws it breaks, and why.
var exempt = map[string]map[string]string{
	"mpckm": {"clusterer/objective": "the objective has the logarithm of the metric too, without which a metric of 0 would be best"},
}

func TestTheBuiltInAlgorithmsObeyAllLaws(t *testing.T) {
	for _, a := range slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms()) {
		name := a.Describe().Name
		t.Run(name, func(t *testing.T) {
			o := full
			o.Expected = exempt[name]
			conformance.RunClusterer(t, a, o)
		})
	}
}

func TestTheSparsitySetsObeyAllLaws(t *testing.T) {
	for name, set := range map[string]func(s int) framework.Set{
		"TopColumns": func(s int) framework.Set { return constraint.TopColumns{S: s} },
		"TopEntries": func(s int) framework.Set { return constraint.TopEntries{S: s} },
	} {
		t.Run(name, func(t *testing.T) { conformance.RunSetTarget(t, sparse(name, set), full) })
	}
}

func TestTheSetsOfFeatureWeightsObeyAllLaws(t *testing.T) {
	for name, set := range map[string]func(r *rand.Rand, p int) framework.Set{
		"BoundedWeights": func(r *rand.Rand, p int) framework.Set {
			return constraint.BoundedWeights{L1: 1 + (math.Sqrt(float64(p))-1)*r.Float64()}
		},
		"GroupedWeights": func(r *rand.Rand, p int) framework.Set {
			s := constraint.GroupedWeights{Lambda: 2 * r.Float64(), Groups: make([][]int, 1+r.IntN(p))}
			for l := range p {
				g := r.IntN(len(s.Groups))
				s.Groups[g] = append(s.Groups[g], l)
			}
			for range s.Groups {
				s.Factors = append(s.Factors, float64(r.IntN(3)))
			}
			return s
		},
		"GroupedWeights without penalty": func(_ *rand.Rand, p int) framework.Set {
			s := constraint.GroupedWeights{Factors: make([]float64, p)}
			for l := range p {
				s.Groups = append(s.Groups, []int{l})
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.RunSetTarget(t, conformance.SetTarget{Name: name, New: func(r *rand.Rand, _, cols int) framework.Set { return set(r, cols) }}, full)
		})
	}
}
