package zoo

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// predicting returns clusterers that need more for new rows than there is.
func predicting() []Animal {
	return []Animal{
		animal("needs rows to measure others", "clusterer/predict", "New refuses", mutation{
			new: func(p framework.Problem) error {
				if p.N < p.K {
					return framework.Faultf(framework.Data, "few-rows", "there are fewer rows than clusters")
				}
				return nil
			}}),
		animal("measures in shares of the mass of all rows", "clusterer/predict", "the distances of predict", mutation{
			distance: func(c *kmeans, x, center []float64) float64 { return square(x, center) / max(c.problem.Mass, 1) }}),
		animal("measures by the spread of the columns", "clusterer/predict", "the distances of predict", mutation{
			distance: func(c *kmeans, x, center []float64) (d float64) {
				for l, v := range x {
					if v == v {
						d += (v - center[l]) * (v - center[l]) / (1 + c.problem.Columns[l].SumSq)
					}
				}
				return d
			}}),
		animal("has a number for each row in its model", "clusterer/predict", "does not fit", mutation{
			begin: func(c *kmeans) *framework.Model {
				return &framework.Model{Centers: framework.NewMatrix(c.k, c.p), Aux: map[string][]float64{"row": make([]float64, c.problem.N)}}
			}}),
		animal("keeps the spread of its rows to itself", "clusterer/predict", "the distances of predict", mutation{
			distances: func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				for i := range b.X.Rows {
					for j := range c.k {
						dst.Row(i)[j] = square(b.X.Row(i), m.Centers.Row(j)) * float64(1+len(c.state.last))
					}
				}
			},
			update: func(c *kmeans, _ *framework.Model, _ *framework.Step, _ framework.Stats) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				c.state.last = []float64{1}
			}}),
	}
}

// preparing returns clusterers that rely on what a driver need not do.
func preparing() []Animal {
	return []Animal{
		animal("knows its centers from Project only", "clusterer/start-centers", "of the start", mutation{
			project: func(c *kmeans, m *framework.Model, at framework.Point) {
				m.Centers.CopyFrom(at.X)
				m.Aux = map[string][]float64{"centers": slices.Clone(at.X.Data)}
			},
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				centers := framework.NewMatrix(c.k, c.p)
				copy(centers.Data, m.Aux["centers"])
				c.nearest(centers, b, labels)
			}}),
		animal("measures in original units", "clusterer/units", "other original units", mutation{
			distance: func(c *kmeans, x, center []float64) (d float64) {
				for l, v := range x {
					if off := (v - center[l]) * c.problem.Columns[l].Scale; v == v {
						d += off * off
					}
				}
				return d
			}}),
	}
}

// columns returns features without anything wrong, where nothing is selected.
func columns(c *kmeans) []framework.Feature {
	all := make([]framework.Feature, c.p)
	for l := range all {
		all[l] = framework.Feature{Column: l, Cluster: -1, Selected: true, Weight: math.NaN()}
	}
	return all
}

func selecting() []Animal {
	selects := func(what, says string, change func(c *kmeans, l int, f *framework.Feature)) Animal {
		return animal(what, "clusterer/features", says, mutation{
			features: func(c *kmeans, _ *framework.Model) []framework.Feature {
				all := columns(c)
				for l := range all {
					change(c, l, &all[l])
				}
				return all
			}})
	}
	var kept []framework.Feature
	return []Animal{
		selects("ranks from the smallest gain", "the larger", func(_ *kmeans, l int, f *framework.Feature) { f.Rank, f.Gain = l+1, float64(l) }),
		selects("has a gain that is no number", "has the gain NaN", func(_ *kmeans, _ int, f *framework.Feature) { f.Gain = math.NaN() }),
		selects("has weights without a model of them", "has the gain", func(_ *kmeans, _ int, f *framework.Feature) { f.Weight = 1 }),
		selects("drops a feature that its centers use", "is not selected, but is",
			func(_ *kmeans, l int, f *framework.Feature) { f.Selected, f.Rank = l > 0, l+1 }),
		animal("has one list of features for all models", "clusterer/features", "before those of another model", mutation{
			features: func(c *kmeans, m *framework.Model) []framework.Feature {
				if len(kept) != c.p {
					kept = columns(c)
				}
				for l := range kept {
					kept[l].Gain = m.Centers.Row(0)[l] * m.Centers.Row(0)[l]
				}
				return kept
			}}),
	}
}

// pathing returns clusterers with a wrong grid of numbers of features.
func pathing() []Animal {
	grid := func(what, says string, values func(c *kmeans, n int) []float64) Animal {
		return animal(what, "clusterer/grid", says, mutation{
			describe: func(d *framework.Description) {
				d.Path, d.Looser = "sparsity", framework.Up
				d.Params = append(d.Params, framework.Param{Name: "sparsity", Type: framework.IntParam, Default: "1", Min: new(1.0), Doc: "unused"})
			},
			features: func(c *kmeans, _ *framework.Model) []framework.Feature { return columns(c) },
			grid:     values,
		})
	}
	down := func(c *kmeans) (all []float64) {
		for s := c.p; s > 0; s-- {
			all = append(all, float64(s))
		}
		return all
	}
	return []Animal{
		grid("begins with the sparsest", "least sparse", func(c *kmeans, n int) []float64 {
			all := down(c)
			slices.Reverse(all)
			return all[:min(n, len(all))]
		}),
		grid("has more values than asked for", "at most", func(c *kmeans, _ int) []float64 { return append(down(c), 1) }),
		grid("goes down to 0 features", "is no value", func(*kmeans, int) []float64 { return []float64{0} }),
		grid("has halves of features", "is no value", func(c *kmeans, _ int) []float64 { return []float64{float64(c.p) + 0.5} }),
		grid("has no values", "is []", func(*kmeans, int) []float64 { return nil }),
	}
}
