package pcskm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// tyings are sets that tie features together, and for comparison one that does
// not, for k centers of p ≥ 2 features. Limits are drawn such that some rows are
// on either side.
var tyings = map[string]func(random *rand.Rand, k, p int) []framework.Set{
	"halfspace": func(random *rand.Rand, k, p int) []framework.Set {
		return []framework.Set{constraint.HalfSpace{Where: someClusters(random, k), Coef: normals(random, p), Bound: random.NormFloat64() - 1}}
	},
	"sum": func(random *rand.Rand, k, p int) []framework.Set {
		low, coef, against := random.NormFloat64(), slices.Repeat([]float64{1}, p), slices.Repeat([]float64{-1}, p)
		return []framework.Set{constraint.HalfSpace{Coef: coef, Bound: low + 0.3}, constraint.HalfSpace{Coef: against, Bound: -low}}
	},
	"halfspace, box": func(random *rand.Rand, k, p int) []framework.Set {
		return []framework.Set{
			constraint.HalfSpace{Coef: slices.Repeat([]float64{1}, p), Bound: random.Float64() - 1},
			constraint.Box{Lo: slices.Repeat([]float64{-1}, p), Hi: slices.Repeat([]float64{0.5}, p)},
		}
	},
	"box": func(random *rand.Rand, k, p int) []framework.Set {
		return []framework.Set{constraint.Box{Lo: slices.Repeat([]float64{-0.5}, p), Hi: slices.Repeat([]float64{0.3}, p)}}
	},
	"between clusters": func(random *rand.Rand, k, p int) []framework.Set {
		coef := framework.NewMatrix(k, p)
		copy(coef.Data, normals(random, k*p))
		return []framework.Set{constraint.JointHalfSpace{Coef: coef, Bound: -random.Float64()}}
	},
	"simplex": func(*rand.Rand, int, int) []framework.Set { return []framework.Set{constraint.Simplex{Radius: 1}} },
	"l2_ball": func(*rand.Rand, int, int) []framework.Set { return []framework.Set{constraint.L2Ball{Radius: 0.5}} },
	"order": func(random *rand.Rand, _, p int) []framework.Set {
		return []framework.Set{constraint.Monotone{Where: constraint.Where{Features: random.Perm(p)}}}
	},
}

func normals(random *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = random.NormFloat64()
	}
	return v
}

func someClusters(random *rand.Rand, k int) constraint.Where {
	if random.IntN(2) == 0 {
		return constraint.Where{}
	}
	return constraint.Where{Clusters: []int{random.IntN(k)}}
}

// drawTied draws rows about k points, links, and a set.
func drawTied(t *rapid.T, name string) (blocks, framework.Problem) {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rows"), 2))
	k, p := rapid.IntRange(1, 4).Draw(t, "k"), rapid.IntRange(2, 5).Draw(t, "p")
	n := rapid.IntRange(3*k+3, 24).Draw(t, "n")
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, p), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
	centers := normals(random, k*p)
	for i := range b.X.Data {
		b.X.Data[i] = 2*centers[i%(k*p)] + random.NormFloat64()
	}
	if rapid.Bool().Draw(t, "weighted") {
		b.Weights = make([]float64, n)
		for i := range b.Weights {
			b.Weights[i] = 0.5 * float64(1+random.IntN(4))
		}
	}
	problem := b.problem(k, drawLinks(t, n, 8, 0.5, 1, math.Inf(1)))
	sets := tyings[name](random, k, p)
	set, err := intersect.Sets(k, p, sets, intersect.Names{})
	must.Do(t, err)
	problem.Centers = set
	return b, problem
}

// sums are the sums of squares of each feature about centers, and what the broken
// links cost in it, from the rows; and the weight and the mean of each cluster.
type sums struct {
	within, costs, mass []float64
	means               framework.Matrix
}

func (b blocks) sumsOf(p framework.Problem, labels []int32, theta framework.Matrix) sums {
	s := sums{within: make([]float64, p.P), costs: make([]float64, p.P), mass: make([]float64, p.K), means: framework.NewMatrix(p.K, p.P)}
	for i, j := range labels {
		w := 1.0
		if b.Weights != nil {
			w = b.Weights[i]
		}
		s.mass[j] += w
		for l, v := range b.X.Row(i) {
			s.means.Row(int(j))[l] += w * v
			s.within[l] += w * (v - theta.Row(int(j))[l]) * (v - theta.Row(int(j))[l])
		}
	}
	for i := range s.means.Data {
		if m := s.mass[i/p.P]; m > 0 {
			s.means.Data[i] /= m
		}
	}
	for _, k := range largest(p.Links) {
		for l := range s.costs {
			if k.Broken(labels) && !k.Hard() {
				unit := make([]float64, p.P)
				unit[l] = 1
				s.costs[l] += b.cost(k, unit)
			}
		}
	}
	return s
}

// largest returns the links with those that are given again once, with the
// largest weight.
func largest(all []framework.Link) map[[3]int32]framework.Link {
	once := map[[3]int32]framework.Link{}
	for _, k := range all {
		at := [3]int32{k.A, k.B, map[bool]int32{true: 1}[k.Cannot]}
		if k.Weight > once[at].Weight {
			once[at] = k
		}
	}
	return once
}

// again assigns all rows once more.
func (b blocks) again(t *rapid.T, c framework.Clusterer, m *framework.Model, labels []int32) []int32 {
	m, labels = m.Clone(), slices.Clone(labels)
	c.(framework.Preparer).Prepare(m)
	for i := range b.Blocks() {
		block := b.Block(i)
		must.Do(t, c.Assign(m, block, labels[block.Row0:][:block.X.Rows], c.Scratch(block.X.Rows)))
	}
	if c.Plan().Linked {
		must.Do(t, c.(framework.Linker).AssignLinked(t.Context(), m, b, labels))
	}
	return labels
}

// fitTied fits, and returns nil where the links cannot be kept.
func (b blocks) fitTied(t *rapid.T, a framework.Algorithm, p *framework.Problem, params map[string]string, most int,
	progress func(fit.Iteration)) (*fit.Result, framework.Clusterer) {
	var err error
	if p.Params, err = a.Describe().Resolve(params); err != nil {
		t.Fatal(err)
	}
	c, err := a.New(*p)
	if f := framework.AsFault(err); f != nil && f.Class == framework.Data {
		return nil, nil
	}
	must.Do(t, err)
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: most, Empty: framework.Origin, Threads: 1}
	res, err := fit.Run(t.Context(), c, *p, b, fit.Start{}, s, progress)
	must.Do(t, err)
	return res, c
}

// nearest returns the centers of the set that are nearest to the means in a
// metric, for a model of the given centers.
func (s sums) nearest(t *rapid.T, p framework.Problem, m *framework.Model) framework.Matrix {
	theta := framework.NewMatrix(p.K, p.P)
	at := framework.Point{X: s.means, RowMass: s.mass, ColMass: m.FeatureWeights}
	must.Do(t, p.Centers.Project(theta, constraint.KeepEmpty(p.Centers, m, at)))
	return theta
}

func near(x, y, scale float64) bool { return math.Abs(x-y) <= 1e-9*(1+scale) }

// TestOfASettledMetricNoStepChangesAnything is what converged means for mpckm:
// the centers are the nearest ones in the metric, the metric is the best one for
// the centers, no row moves, and the objective is that of what is stored.
func TestOfASettledMetricNoStepChangesAnything(t *testing.T) {
	for name := range tyings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, p := drawTied(t, name)
				most := rapid.SampledFrom([]int{0, 1, 3, 300, 300, 300}).Draw(t, "max iter")
				res, c := b.fitTied(t, pcskm.MPCKM{}, &p, map[string]string{"passes": "300"}, most, nil)
				if res == nil {
					return
				}
				m := res.Model
				s := b.sumsOf(p, res.Labels, m.Centers)
				objective, size := 0.0, 0.0
				for l, w := range m.FeatureWeights {
					sum, log := w*(s.within[l]+s.costs[l]), p.Mass*math.Log(w)
					objective, size = objective+sum-log, size+sum+math.Abs(log)
				}
				if (name != "box" || res.Converged) && !near(res.Objective, objective, size) {
					t.Errorf("stop %s: the objective is %v; of labels, centers and metric it is %v", res.Stop, res.Objective, objective)
				}
				if !res.Converged {
					return
				}
				for i, v := range s.nearest(t, p, m).Data {
					if s.mass[i/p.P] > 0 && !near(v, m.Centers.Data[i], math.Abs(v)) {
						t.Errorf("centers %v; the nearest in their metric are another %v at %d", m.Centers.Data, v, i)
					}
				}
				for l, w := range m.FeatureWeights {
					if best := p.Mass / max(s.within[l]+s.costs[l], 1e-9*p.Columns[l].SumSq); !near(w/best, 1, 0) {
						t.Errorf("weight %d is %v; the best for labels and centers is %v", l, w, best)
					}
				}
				if labels := b.again(t, c, m, res.Labels); !slices.Equal(labels, res.Labels) {
					t.Errorf("labels %v become %v", res.Labels, labels)
				}
			})
		})
	}
}

// TestTheObjectiveOfATiedMetricNeverGetsWorse needs that no cluster is reseeded,
// which may make it worse for an iteration.
func TestTheObjectiveOfATiedMetricNeverGetsWorse(t *testing.T) {
	for name := range tyings {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, p := drawTied(t, name)
				last := math.Inf(1)
				b.fitTied(t, pcskm.MPCKM{}, &p, nil, 300, func(it fit.Iteration) {
					if it.Objective > last+1e-9*(1+math.Abs(last)) {
						t.Errorf("iteration %d: the objective rises from %v to %v", it.Iteration, last, it.Objective)
					}
					last = it.Objective
				})
			})
		})
	}
}
