package zoo

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
)

// state is what mutations remember between calls.
type state struct {
	mu      sync.Mutex
	largest int // block
	calls   atomic.Int64
	model   *framework.Model
	centers map[int]framework.Matrix // by round
	last    []float64
	weights []float64 // of rows, the largest so far
	worker  string
	step    framework.Step
	blocks  map[int]framework.Matrix // distances, by number of block
}

// An Animal is a clusterer of the zoo.
type Animal struct {
	What      string // what is wrong with it
	Law       string // the law that catches it
	Says      string // part of the message
	Algorithm framework.Algorithm
}

// Right is k-means without any mutation: it obeys every law.
func Right() framework.Algorithm { return Algorithm{} }

// Penalised is k-means whose objective has a penalty on its centers, and which
// therefore does not say that the objective is the sum of distances. Of no paper, it
// obeys every law too.
func Penalised() framework.Algorithm {
	return Algorithm{mutation{
		describe: func(d *framework.Description) {
			d.Trims, d.Constraints, d.Paper, d.Empty = false, false, "", framework.Origin
		},
		update: func(_ *kmeans, m *framework.Model, step *framework.Step, s framework.Stats) {
			for i, n := range s[cellMass] {
				step.At[framework.Centers].X.Data[i] = s[sums][i] / (n + 1) // the least of n (x − mean)² + x²
				step.Objective += m.Centers.Data[i] * m.Centers.Data[i]
			}
		}}}
}

// Huber has distances that are squares near a center and grow like the difference far
// from it, so that they are neither squares nor not.
func Huber() framework.Algorithm {
	return Algorithm{mutation{
		describe: func(d *framework.Description) { d.Trims = false },
		plan:     func(_ *kmeans, p *framework.Plan) { p.Squared = false },
		distance: func(_ *kmeans, x, center []float64) float64 {
			near := square(x, center)
			if near <= 1 {
				return near
			}
			return 2*math.Sqrt(near) - 1
		}}}
}

// Clusterers returns the wrong clusterers.
func Clusterers() []Animal {
	return slices.Concat(forgetting(), sizing(), counting(), rounding(), weighing(), fillingIn(), pointing(), resting(), sharing(),
		caching(), predicting(), preparing(), pathing(), describing(), collecting(), assigning(), placing(), measuring(), updating(), hiding(),
		remembering(), selecting(), linking(), grouping(), restricting(), mistaking())
}

func animal(what, law, says string, m mutation) Animal {
	return Animal{what, law, says, Algorithm{m}}
}

// assigner is a clusterer that changes the right labels of a block.
func assigner(what, law, says string, change func(c *kmeans, m *framework.Model, b framework.Block, labels []int32)) Animal {
	return animal(what, law, says, mutation{
		assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
			c.nearest(m.Centers, b, labels)
			change(c, m, b, labels)
		}})
}

// updater is a clusterer that changes the right step.
func updater(what, law, says string, change func(c *kmeans, m *framework.Model, step *framework.Step, s framework.Stats)) Animal {
	return animal(what, law, says, mutation{update: change})
}

func describing() []Animal {
	return []Animal{
		animal("has no version", "clusterer/describe", "Version is empty", mutation{
			describe: func(d *framework.Description) { d.Version = "" }}),
		animal("panics when a parameter is bad", "clusterer/parameters", "panicked", mutation{
			new: func(p framework.Problem) error {
				_ = make([]byte, max(p.Params.Int("shift"), -1))
				return nil
			},
			describe: func(d *framework.Description) { d.Params[0].Max = new(10.0) }}),
		animal("says nothing of itself after an update", "clusterer/plan", "Plan says", mutation{
			plan:   func(c *kmeans, p *framework.Plan) { p.Squared = c.state.calls.Load() == 0 },
			update: func(c *kmeans, _ *framework.Model, _ *framework.Step, _ framework.Stats) { c.state.calls.Add(1) }}),
		animal("has one model for all", "clusterer/begin", "share memory", mutation{
			begin: func(c *kmeans) *framework.Model {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				if c.state.model == nil {
					c.state.model = &framework.Model{Centers: framework.NewMatrix(c.k, c.p)}
				}
				return c.state.model
			}}),
		animal("moves the columns of the problem", "clusterer/plan", "New writes to the problem", mutation{
			new: func(p framework.Problem) error {
				for l := range p.Columns {
					p.Columns[l].Mean = 0
				}
				return nil
			}}),
		animal("fills in the parameters of the problem", "clusterer/plan", "New writes to the problem", mutation{
			new: func(p framework.Problem) error {
				p.Params["rows"] = p.N
				return nil
			}}),
		animal("needs two features", "clusterer/degenerate", "panicked", mutation{
			new: func(p framework.Problem) error {
				_ = p.Columns[1]
				return nil
			}}),
	}
}

func collecting() []Animal {
	return []Animal{
		animal("drops the last, partial block", "clusterer/merge", "do not give the statistics of one block", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				c.state.mu.Lock()
				c.state.largest = max(c.state.largest, b.X.Rows)
				partial := b.X.Rows < c.state.largest
				c.state.mu.Unlock()
				if !partial {
					c.move(b, from, to, s, b.Weight)
				}
			}}),
		animal("counts rows as heavy as they once were", "clusterer/parts", "with a part of a row", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				if c.state.weights == nil {
					c.state.weights = make([]float64, c.problem.N)
				}
				w := c.state.weights[b.Row0:]
				for i := range b.X.Rows {
					w[i] = max(w[i], b.Weight(i))
				}
				c.move(b, from, to, s, func(i int) float64 { return w[i] })
			}}),
		animal("sums a random part of each cell, and says that it collects in common", "clusterer/common", "with other parameters", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				part := framework.Rand(c.problem.Seed, "part").Float64()
				c.move(b, from, to, s, func(i int) float64 { return part * b.Weight(i) })
			}}),
		animal("measures distances to the second nearest center that are a rounding too long", "clusterer/measure", "is measured as", mutation{
			measure: func(to []framework.Measured) {
				for i := range to {
					to[i].Other = math.Nextafter(to[i].Other, math.Inf(1))
				}
			}}),
		animal("replaces what it should add to", "clusterer/collect-adds", "does not give twice", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				s.Zero()
				c.move(b, from, to, s, b.Weight)
			}}),
		animal("forgets where rows came from", "clusterer/moved-sums", "moving from the labels", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				for i, j := range to {
					if from == nil || from[i] != j {
						c.add(b.X.Row(i), j, b.Weight(i), s)
					}
				}
			}}),
		animal("ignores row weights", "clusterer/weights", "weighted rows, and of repeated", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				c.move(b, from, to, s, func(int) float64 { return 1 })
			}}),
		animal("counts rows of weight 0", "clusterer/weights", "weighted rows, and of repeated", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				c.move(b, from, to, s, func(i int) float64 { return max(1, b.Weight(i)) })
			}}),
	}
}

func measuring() []Animal {
	return []Animal{
		animal("assigns by squares and measures by absolute values", "clusterer/nearest", "has the label", mutation{
			distances: func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix) {
				for i := range b.X.Rows {
					for j := range c.k {
						dst.Row(i)[j] = 0
						for l, v := range b.X.Row(i) {
							if v == v {
								dst.Row(i)[j] += math.Abs(v - m.Centers.Row(j)[l])
							}
						}
					}
				}
			}}),
		animal("takes a missing cell as 0", "clusterer/missing", "has no cell", mutation{
			distance: func(_ *kmeans, x, center []float64) float64 {
				full := slices.Clone(x)
				for l, v := range full {
					if v != v {
						full[l] = 0
					}
				}
				return square(full, center)
			}}),
		animal("lets a missing cell spoil the distance", "clusterer/finite", "distance NaN", mutation{
			distance: func(_ *kmeans, x, center []float64) (d float64) {
				for l, v := range x {
					d += (v - center[l]) * (v - center[l])
				}
				return d
			}}),
		animal("expands the square", "clusterer/finite", "is at distance -", mutation{
			distance: func(_ *kmeans, x, center []float64) float64 {
				var xx, xc, cc float64
				for l, v := range x {
					if v == v {
						xx, xc, cc = xx+float64(v*v), xc+float64(v*center[l]), cc+float64(center[l]*center[l])
					}
				}
				return float64(xx-2*xc) + cc
			}}),
		animal("centers each block by itself", "clusterer/blocks", "than one block of", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				b.X = b.X.Clone()
				var mean float64
				for i := range b.X.Rows {
					if v := b.X.Row(i)[0]; v == v {
						mean += v / float64(b.X.Rows)
					}
				}
				for i := range b.X.Rows {
					b.X.Row(i)[0] -= mean
				}
				c.nearest(m.Centers, b, labels)
			}}),
		animal("measures otherwise once a missing cell is announced", "clusterer/complete", "announced, and without", mutation{
			distance: func(c *kmeans, x, center []float64) float64 {
				if framework.HasMissing(c.problem.Columns) {
					return 2 * square(x, center)
				}
				return square(x, center)
			}}),
	}
}

func updating() []Animal {
	return []Animal{
		animal("passes over the rows and ignores cancellation", "clusterer/cancellation", "does not look at its context", mutation{
			plan: func(_ *kmeans, p *framework.Plan) { p.NeedsRows = true }}),
		updater("forgets a cluster's mass", "clusterer/mass", "the mass of cluster",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) { step.Mass[c.k-1] = 0 }),
		updater("halves the objective", "clusterer/objective", "add up to",
			func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) { step.Objective /= 2 }),
		updater("goes beyond the means", "clusterer/monotone", "it got worse",
			func(_ *kmeans, m *framework.Model, step *framework.Step, _ framework.Stats) {
				x := step.At[framework.Centers].X
				for i, v := range m.Centers.Data {
					x.Data[i] += 1.5 * (x.Data[i] - v)
				}
			}),
		updater("divides by the mass of an empty cluster", "clusterer/empty-cluster", "must be finite",
			func(c *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) {
				for i, n := range s[cellMass] {
					step.At[framework.Centers].X.Data[i] = s[sums][i] / n
				}
			}),
		updater("writes to the model when it updates", "clusterer/project-alone", "Update writes to the model",
			func(_ *kmeans, m *framework.Model, _ *framework.Step, _ framework.Stats) { m.Round++ }),
		updater("divides the statistics in place", "clusterer/project-alone", "Update writes to the statistics",
			func(_ *kmeans, _ *framework.Model, _ *framework.Step, s framework.Stats) {
				for i, n := range s[cellMass] {
					s[sums][i] /= max(n, 1)
				}
			}),
		updater("gives every cluster the mean of all rows", "clusterer/known-answer", "the labels are",
			func(c *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) {
				for l := range c.p {
					var sum, n float64
					for j := range c.k {
						sum, n = sum+s[sums][j*c.p+l], n+s[cellMass][j*c.p+l]
					}
					for j := range c.k {
						step.At[framework.Centers].X.Row(j)[l] = sum / max(n, 1)
					}
				}
			}),
		updater("likes low cluster numbers", "clusterer/cluster-order", "under its new number",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				x := step.At[framework.Centers].X
				for i := range x.Data {
					x.Data[i] /= 1 + 0.01*float64(i/c.p)
				}
			}),
	}
}

func remembering() []Animal {
	return []Animal{
		animal("keeps the labels in its scratch", "clusterer/caches-vanish", "a fresh one each time", mutation{
			scratch: func(*kmeans) framework.Scratch { return new([]int32) },
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) {
				if kept := s.(*[]int32); *kept != nil {
					copy(labels, *kept)
				} else {
					c.nearest(m.Centers, b, labels)
					*kept = slices.Clone(labels)
				}
			}}),
		animal("caches across models", "clusterer/models-apart", "took turns with another one", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				c.state.mu.Lock()
				centers, ok := c.state.centers[m.Round]
				if !ok {
					centers = m.Centers.Clone()
					c.state.centers = map[int]framework.Matrix{m.Round: centers} // of this round, as if there were no other model
				}
				c.state.mu.Unlock()
				c.nearest(centers, b, labels)
			}}),
		updater("remembers the means of the update before", "clusterer/two-places", "two clusterers that share the steps",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				x := step.At[framework.Centers].X
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				before := c.state.last
				c.state.last = slices.Clone(x.Data)
				for i := range before {
					x.Data[i] = (x.Data[i] + before[i]) / 2
				}
			}),
	}
}
