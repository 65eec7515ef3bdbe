package conformance_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

var full = conformance.Options{Profile: conformance.Full}

// thorough checks the laws of Core, and in a campaign those of Full.
var thorough = conformance.Options{Profile: conformance.Core}

func init() {
	if clustertest.Campaign {
		thorough.Profile = conformance.Full
	}
}

func TestTheBuiltInAlgorithmsObeyAllLaws(t *testing.T) {
	for _, a := range slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms()) {
		t.Run(a.Describe().Name, func(t *testing.T) { conformance.RunClusterer(t, a, thorough) })
	}
}

func TestTheSparsitySetsObeyAllLaws(t *testing.T) {
	for name, set := range map[string]func(s int) framework.Set{
		"joint":          func(s int) framework.Set { return constraint.Sparsity{S: s} },
		"of each center": func(s int) framework.Set { return constraint.Sparsity{S: s, PerCenter: true} },
	} {
		t.Run(name, func(t *testing.T) { conformance.RunSetTarget(t, sparse(name, set), thorough) })
	}
}

func TestTheSparsitySetsOfGroupsObeyTheLaws(t *testing.T) {
	o := full
	for name, set := range map[string]func(s int, group []int) framework.Set{
		"joint": func(s int, group []int) framework.Set { return constraint.Sparsity{S: s, Groups: group} },
		"of each center": func(s int, group []int) framework.Set {
			return constraint.Sparsity{S: s, PerCenter: true, Groups: group}
		},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.RunSetTarget(t, conformance.SetTarget{Name: name,
				New: func(r *rand.Rand, _, cols int) framework.Set { return set(r.IntN(cols+1), groupsAtRandom(r, cols)) },
				Nested: func(_, cols int) (all []framework.Set) {
					group := groupsAtRandom(rand.New(rand.NewPCG(uint64(cols), 0)), cols)
					for s := range cols + 1 {
						all = append(all, set(s, group))
					}
					return all
				}}, o)
		})
	}
}

// groupsAtRandom draws the group of each column. Groups are numbered in the order
// of their first columns, as in a problem.
func groupsAtRandom(r *rand.Rand, cols int) []int {
	group, n := make([]int, cols), 0
	for l := range group {
		if group[l] = r.IntN(n + 1); group[l] == n {
			n++
		}
	}
	return group
}

func TestTheSetsOfFeatureWeightsObeyAllLaws(t *testing.T) {
	for name, set := range map[string]func(r *rand.Rand, p int) framework.Set{
		"bounded": func(r *rand.Rand, p int) framework.Set {
			return weightset.Bounded{L1: 1 + (math.Sqrt(float64(p))-1)*r.Float64()}
		},
		"grouped": func(r *rand.Rand, p int) framework.Set {
			s := weightset.Grouped{Lambda: 2 * r.Float64(), Groups: make([][]int, 1+r.IntN(p))}
			for l := range p {
				g := r.IntN(len(s.Groups))
				s.Groups[g] = append(s.Groups[g], l)
			}
			for range s.Groups {
				s.Factors = append(s.Factors, float64(r.IntN(3)))
			}
			return s
		},
		"grouped without penalty": func(_ *rand.Rand, p int) framework.Set {
			s := weightset.Grouped{Factors: make([]float64, p)}
			for l := range p {
				s.Groups = append(s.Groups, []int{l})
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			conformance.RunSetTarget(t,
				conformance.SetTarget{Name: name, New: func(r *rand.Rand, _, cols int) framework.Set { return set(r, cols) }}, thorough)
		})
	}
}
