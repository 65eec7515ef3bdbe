package zoo

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// measurer is a clusterer whose distances are wrong, in Assign too.
func measurer(what, law, says string, distance func(c *kmeans, x, center []float64) float64) Animal {
	return animal(what, law, says, mutation{distance: distance})
}

// teller is a clusterer of which Distances alone is wrong.
func teller(what, law, says string, change func(c *kmeans, x, d []float64)) Animal {
	return animal(what, law, says, mutation{
		distances: func(c *kmeans, m *framework.Model, b framework.Block, dst framework.Matrix) {
			for i := range b.X.Rows {
				for j := range c.k {
					dst.Row(i)[j] = square(b.X.Row(i), m.Centers.Row(j))
				}
				change(c, b.X.Row(i), dst.Row(i))
			}
		}})
}

// sizing returns clusterers that are right for few features, or distances around 1.
func sizing() []Animal {
	return []Animal{
		measurer("drops what is left after eight features", "clusterer/objective", "add up to",
			func(_ *kmeans, x, center []float64) float64 {
				if n := len(x); n > 8 {
					return square(x[:n/8*8], center)
				}
				return square(x, center)
			}),
		measurer("has room for 64 features", "clusterer/objective", "add up to",
			func(_ *kmeans, x, center []float64) float64 { return square(x[:min(len(x), 64)], center) }),
		measurer("reads the seventh feature twice", "clusterer/objective", "add up to",
			func(_ *kmeans, x, center []float64) float64 {
				if len(x) < 8 {
					return square(x, center)
				}
				return square(x, center) + square(x[6:7], center[6:7]) - square(x[7:8], center[7:8])
			}),
		measurer("takes small distances for 0", "clusterer/objective", "add up to",
			func(_ *kmeans, x, center []float64) float64 {
				if d := square(x, center); d > 1e-12 {
					return d
				}
				return 0
			}),
		measurer("takes large distances for equal", "clusterer/objective", "add up to",
			func(_ *kmeans, x, center []float64) float64 { return min(square(x, center), 1e15) }),
	}
}

// counting returns clusterers that are right for few clusters and rows.
func counting() []Animal {
	return []Animal{
		assigner("compares eight centers at a time", "clusterer/nearest", "has the label",
			func(c *kmeans, m *framework.Model, b framework.Block, labels []int32) {
				if c.k <= 8 {
					return
				}
				for i := range labels {
					labels[i] = min(labels[i], int32(c.k/8*8-1))
				}
			}),
		assigner("has room for 64 centers", "clusterer/nearest", "has the label",
			func(_ *kmeans, _ *framework.Model, _ framework.Block, labels []int32) {
				for i := range labels {
					labels[i] %= 64
				}
			}),
		assigner("keeps labels in a signed byte", "clusterer/labels", "the label -",
			func(_ *kmeans, _ *framework.Model, _ framework.Block, labels []int32) {
				for i := range labels {
					labels[i] = int32(int8(labels[i]))
				}
			}),
		animal("has a buffer of 512 rows", "clusterer/labels", "with the label −1", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				for i := range min(b.X.Rows, 512) {
					labels[i] = c.nearestOf(m.Centers, b.X.Row(i))
				}
			}}),
		animal("collects 1024 rows of a block", "clusterer/merge", "do not give the statistics of one block", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				c.move(b, from, to[:min(len(to), 1024)], s, b.Weight)
			}}),
		animal("forgets the last row of long blocks", "clusterer/merge", "do not give the statistics of one block", mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				n := len(to)
				if n > 500 {
					n--
				}
				c.move(b, from, to[:n], s, b.Weight)
			}}),
	}
}

// rounding returns clusterers whose arithmetic is right for numbers around 1.
func rounding() []Animal {
	return []Animal{
		assigner("computes in single precision", "clusterer/nearest", "has the label",
			func(c *kmeans, m *framework.Model, b framework.Block, labels []int32) {
				for i := range labels {
					best := float32(math.Inf(1))
					for j := range c.k {
						var d float32
						for l, v := range b.X.Row(i) {
							if off := float32(v) - float32(m.Centers.Row(j)[l]); v == v {
								d += off * off
							}
						}
						if d < best {
							best, labels[i] = d, int32(j)
						}
					}
				}
			}),
		teller("takes no distance above a million", "clusterer/nearest", "has the label",
			func(_ *kmeans, x, d []float64) {
				for j := range d {
					if d[j] > 1e6 {
						d[j] = 1e6 + float64(len(d)-j)
					}
				}
			}),
		measurer("expands the square and hides what is below 0", "clusterer/far-from-zero", "subtract before you square",
			func(_ *kmeans, x, center []float64) float64 {
				var xx, xc, cc float64
				for l, v := range x {
					if v == v {
						xx, xc, cc = xx+float64(v*v), xc+float64(v*center[l]), cc+float64(center[l]*center[l])
					}
				}
				return math.Abs(float64(xx-2*xc) + cc)
			}),
		animal("compares in two lanes, of which the second wins ties", "clusterer/ties", "has the lower index", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				c.nearest(m.Centers, b, labels)
				for i := range labels {
					for j := 4; j < c.k; j += 8 {
						if c.k > 8 && c.between(b.X.Row(i), m.Centers.Row(j)) <= c.between(b.X.Row(i), m.Centers.Row(int(labels[i]))) {
							labels[i] = int32(j)
						}
					}
				}
			}}),
		assigner("takes almost equal distances for ties", "clusterer/near-ties", "only equal distances are a tie",
			func(c *kmeans, m *framework.Model, b framework.Block, labels []int32) {
				for i := range labels {
					least := square(b.X.Row(i), m.Centers.Row(int(labels[i])))
					for j := c.k - 1; j >= 0; j-- {
						if square(b.X.Row(i), m.Centers.Row(j)) <= least*(1+1e-3) {
							labels[i] = int32(j)
						}
					}
				}
			}),
	}
}

// collector is a clusterer that collects rows with other weights.
func collector(what, law, says string, weight func(w float64) float64) Animal {
	return animal(what, law, says, mutation{
		collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
			c.move(b, from, to, s, func(i int) float64 { return weight(b.Weight(i)) })
		}})
}

// weighing returns clusterers that are right for small whole row weights.
func weighing() []Animal {
	return []Animal{
		collector("counts weights in whole numbers", "clusterer/mass", "the mass of cluster", math.Floor),
		collector("counts weights below 1 as 1", "clusterer/split-rows", "divided rows",
			func(w float64) float64 {
				if w > 0 {
					return max(w, 1)
				}
				return 0
			}),
		animal("forgets the base of sparse rows", "clusterer/sparse", "sparse rows, and of their cells", mutation{
			describe: func(d *framework.Description) { d.Sparse = true },
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				if b.Sparse != nil {
					rows := *b.Sparse
					rows.Base = make([]float64, b.X.Cols)
					b.Sparse = &rows
				}
				c.move(b, from, to, s, b.Weight)
			}}),
		collector("takes no weight above 1000", "clusterer/split-rows", "divided rows", func(w float64) float64 { return min(w, 1000) }),
		collector("keeps weights in single precision", "clusterer/split-rows", "divided rows",
			func(w float64) float64 { return float64(float32(w)) }),
		updater("counts rows where it should weigh them", "clusterer/split-rows", "divided rows",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				for i := range step.At[framework.Centers].X.Data {
					step.At[framework.Centers].X.Data[i] *= float64(c.problem.N) / float64(c.problem.N+1)
				}
			}),
		updater("divides by a mass of at least 1", "clusterer/points", "gains",
			func(c *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) {
				for i, n := range s[cellMass] {
					step.At[framework.Centers].X.Data[i] = s[sums][i] / max(n, 1)
				}
			}),
	}
}

// fillingIn returns clusterers that assign rows with missing cells in their own way.
func fillingIn() []Animal {
	observed := func(what string, label func(c *kmeans, m *framework.Model, x []float64) int32) Animal {
		return assigner(what, "clusterer/observed", "over its observed cells",
			func(c *kmeans, m *framework.Model, b framework.Block, labels []int32) {
				for i := range labels {
					if x := b.X.Row(i); missing(x) > 0 {
						labels[i] = label(c, m, x)
					}
				}
			})
	}
	return []Animal{
		measurer("makes up for missing cells", "clusterer/missing", "nothing makes up for them",
			func(_ *kmeans, x, center []float64) float64 {
				return square(x, center) * float64(len(x)) / float64(max(1, len(x)-missing(x)))
			}),
		observed("gives rows with missing cells to the first cluster", func(*kmeans, *framework.Model, []float64) int32 { return 0 }),
		observed("assigns with 0 in the place of missing cells", func(c *kmeans, m *framework.Model, x []float64) int32 {
			full := make([]float64, len(x))
			for l, v := range x {
				if v == v {
					full[l] = v
				}
			}
			return c.nearestOf(m.Centers, full)
		}),
		observed("stops at the first missing cell", func(c *kmeans, m *framework.Model, x []float64) int32 {
			for l, v := range x {
				if v != v {
					return c.nearestOf(m.Centers, x[:l])
				}
			}
			return 0
		}),
	}
}

// missing counts the missing cells of a row.
func missing(x []float64) (n int) {
	for _, v := range x {
		if v != v {
			n++
		}
	}
	return n
}
