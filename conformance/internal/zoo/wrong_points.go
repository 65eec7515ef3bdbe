package zoo

import (
	"math"
	"runtime"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// pointing returns clusterers that say something wrong of the points to project.
func pointing() []Animal {
	point := func(what, says string, change func(c *kmeans, at *framework.Point, s framework.Stats)) Animal {
		return updater(what, "clusterer/points", says,
			func(c *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) {
				change(c, step.At[framework.Centers], s)
			})
	}
	return []Animal{
		point("has no masses of clusters", "by which sets weigh centers",
			func(_ *kmeans, at *framework.Point, _ framework.Stats) { at.RowMass = nil }),
		point("gives all clusters the same mass", "by which sets weigh centers",
			func(c *kmeans, at *framework.Point, _ framework.Stats) {
				for j := range at.RowMass {
					at.RowMass[j] = c.problem.Mass / float64(c.k)
				}
			}),
		point("divides masses by the mass of all rows", "by which sets weigh centers",
			func(c *kmeans, at *framework.Point, _ framework.Stats) {
				for j := range at.RowMass {
					at.RowMass[j] /= c.problem.Mass
				}
			}),
		point("has no gains of observed cells", "gains",
			func(_ *kmeans, at *framework.Point, _ framework.Stats) { at.Gain = nil }),
		point("forgets masses in gains", "gains",
			func(_ *kmeans, at *framework.Point, _ framework.Stats) {
				at.Gain = nil
				for _, v := range at.X.Data {
					at.Gain = append(at.Gain, v*v)
				}
			}),
		point("divides by the mass of columns without cells", "entry 0 of ColMass",
			func(c *kmeans, at *framework.Point, _ framework.Stats) {
				at.ColMass = slices.Repeat([]float64{math.NaN()}, c.p)
			}),
		point("has a gain for each column", "Gain has",
			func(c *kmeans, at *framework.Point, _ framework.Stats) { at.Gain = make([]float64, c.p/2) }),
		animal("has roots and calls them squares", "clusterer/squared", "grow by 4", mutation{
			distance: func(_ *kmeans, x, center []float64) float64 { return math.Sqrt(square(x, center)) }}),
		animal("has squares and does not say so", "clusterer/squared", "grow by 2", mutation{
			plan: func(_ *kmeans, p *framework.Plan) { p.Squared = false }}),
	}
}

// resting returns clusterers that rest too early, or never.
func resting() []Animal {
	halfway := func(_ *kmeans, m *framework.Model, at framework.Point) {
		for i, v := range at.X.Data {
			m.Centers.Data[i] += (v - m.Centers.Data[i]) / 2
		}
	}
	return []Animal{
		animal("goes half of the way and says that it has come to rest", "clusterer/rests", "moves a center", mutation{project: halfway}),
		animal("does not know how far it has gone", "clusterer/rests", "changed by NaN", mutation{
			outcome: func(_ *kmeans, o *framework.Outcome) { o.Change = math.NaN() }}),
		animal("has moved by less than nothing", "clusterer/rests", "changed by -1", mutation{
			outcome: func(_ *kmeans, o *framework.Outcome) { o.Change = -1 }}),
		animal("always says that it has moved", "clusterer/settles", "still move", mutation{
			outcome: func(_ *kmeans, o *framework.Outcome) { o.Change = 1 }}),
		updater("makes a mistake in the fifth round", "clusterer/monotone", "it got worse",
			func(_ *kmeans, m *framework.Model, step *framework.Step, _ framework.Stats) {
				if m.Round == 5 {
					step.At[framework.Centers].X.Data[0]++
				}
			}),
	}
}

// sharing returns clusterers whose memory is in two hands.
func sharing() []Animal {
	return []Animal{
		updater("has one step for all models", "clusterer/steps-last", "update of another model",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				if c.state.step.Mass == nil {
					c.state.step = *step
					return
				}
				copy(c.state.step.Mass, step.Mass)
				copy(c.state.step.At[framework.Centers].X.Data, step.At[framework.Centers].X.Data)
				step.Mass, step.At = c.state.step.Mass, c.state.step.At
			}),
		updater("returns the statistics as masses", "clusterer/steps-last", "with the statistics",
			func(_ *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) { step.Mass = s[mass] }),
		animal("keeps the point as its centers", "clusterer/steps-last", "with the point", mutation{
			project: func(_ *kmeans, m *framework.Model, at framework.Point) { m.Centers = at.X }}),
	}
}

// caching returns clusterers that remember too much.
func caching() []Animal {
	return []Animal{
		animal("remembers blocks by their numbers", "clusterer/other-rows", "remembers rows", mutation{
			distances: func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				rows, ok := c.state.blocks[b.Index]
				if !ok {
					rows = b.X.Clone()
					if c.state.blocks == nil {
						c.state.blocks = map[int]framework.Matrix{}
					}
					c.state.blocks[b.Index] = rows
				}
				for i := range rows.Rows {
					for j := range c.k {
						dst.Row(i)[j] = square(rows.Row(i), m.Centers.Row(j))
					}
				}
			}}),
		animal("knows centers by their address", "clusterer/caches-vanish", "the scratch kept", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				c.state.mu.Lock()
				if c.state.model != m {
					c.state.model, c.state.last = m, slices.Clone(m.Centers.Data)
				}
				centers := framework.Matrix{Rows: c.k, Cols: c.p, Data: c.state.last}
				c.state.mu.Unlock()
				c.nearest(centers, b, labels)
			}}),
		animal("leaves labels as they are while no center has moved", "clusterer/stale-scratch", "give others", mutation{
			scratch: func(*kmeans) framework.Scratch { return new([]float64) },
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) {
				kept := s.(*[]float64)
				if !slices.Equal(*kept, m.Centers.Data) {
					c.nearest(m.Centers, b, labels)
					*kept = slices.Clone(m.Centers.Data)
				}
			}}),
		animal("knows centers by their round", "clusterer/stale-scratch", "give others", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				c.state.mu.Lock()
				kept, ok := m.Cache.(roundCenters)
				if !ok || kept.round != m.Round {
					kept = roundCenters{m.Round, m.Centers.Clone()}
					m.Cache = kept
				}
				c.state.mu.Unlock()
				c.nearest(kept.centers, b, labels)
			}}),
		animal("measures all rows in one buffer", "clusterer/concurrent", "at the same time", mutation{
			distances: func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix) {
				for i := range b.X.Rows {
					c.state.mu.Lock()
					c.state.last = make([]float64, c.k)
					c.state.mu.Unlock()
					for j := range c.k {
						d := square(b.X.Row(i), m.Centers.Row(j))
						c.state.mu.Lock()
						c.state.last[j] = d
						c.state.mu.Unlock()
						runtime.Gosched()
					}
					c.state.mu.Lock()
					copy(dst.Row(i), c.state.last)
					c.state.mu.Unlock()
				}
			}}),
	}
}

// roundCenters is a cache that is checked by the number of the round only.
type roundCenters struct {
	round   int
	centers framework.Matrix
}

// forgetting are clusterers that are wrong where rows have left, or lack something.
func forgetting() []Animal {
	return []Animal{
		updater("gives the last cluster all mass that is left", "clusterer/unlabelled", "where some have none, they are off",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				left := c.problem.Mass
				masses := step.At[framework.Centers].RowMass
				for _, m := range masses[:c.k-1] {
					left -= m
				}
				masses[c.k-1] = left
			}),
		updater("takes a rest of rounding for rows", "clusterer/empty-cluster", "a rest of rounding is taken for rows",
			func(_ *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) {
				for i, n := range s[cellMass] {
					if n != 0 {
						step.At[framework.Centers].X.Data[i] = s[sums][i] / n
					}
				}
			}),
		animal("has no path for missing cells where the fit had none", "clusterer/predict", "missing cells are left out", mutation{
			distance: func(c *kmeans, x, center []float64) (d float64) {
				if c.problem.N > 0 {
					return square(x, center)
				}
				for l, v := range x {
					d += float64((v - center[l]) * (v - center[l]))
				}
				return d
			}}),
		animal("ranks the last of equal gains first", "clusterer/features", "but the later one has rank", mutation{
			features: func(c *kmeans, _ *framework.Model) []framework.Feature {
				all := make([]framework.Feature, c.p)
				for l := range all {
					all[l] = framework.Feature{Column: l, Cluster: -1, Rank: c.p - l, Gain: 1, Weight: math.NaN(), Selected: true}
				}
				return all
			}}),
	}
}
