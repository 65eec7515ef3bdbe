package seeding

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// dkmRows chooses k rows by density k-means++: rows in dense places, far from
// each other. With distances divided by the largest one,
//
//	ε   = min(largest edge, Q3 + 3 (Q3 − Q1)) of a minimum spanning tree
//	ρ_i = Σ over the other rows within ε of exp(−d_ij / ε), scaled to [0, 1]
//
// The first row is the one of largest ρ, each further one the one of largest
// ρ_i · distance to the nearest chosen row. Quartiles are interpolated between
// the points (i − ½)/n. Edges of length 0 are not in the tree. Of equal rows,
// and when nothing else tells rows apart, the lowest not yet chosen is taken.
// Row weights count in ρ only, where a row of weight 2 is two rows.
//
// The time is of order n² p, the memory of order n.
//
// Source: Nidheesh, Abdul Nazeer and Ameer (2017),
// https://doi.org/10.1016/j.compbiomed.2017.10.014.
func dkmRows(ctx context.Context, rows framework.Rows, o Options) ([]int, error) {
	c, err := newCloud(ctx, rows, o, "dkm++")
	if err != nil {
		return nil, err
	}
	largest, err := c.largest()
	if err != nil {
		return nil, err
	}
	if math.IsInf(largest, 1) {
		return nil, tooLarge()
	}
	edges, err := c.tree(largest)
	if err != nil {
		return nil, err
	}
	density, err := c.densities(largest, reach(edges))
	if err != nil {
		return nil, err
	}
	scaleToOne(density)
	nearest := slices.Repeat([]float64{1}, len(c.at)) // distance to the nearest chosen row
	var chosen []int
	for range o.K {
		best := -1
		for i, d := range density {
			if !slices.Contains(chosen, i) && (best < 0 || d*nearest[i] > density[best]*nearest[best]) {
				best = i
			}
		}
		first := len(chosen) == 0
		chosen = append(chosen, best)
		if err := c.each(func(i int) {
			if d := c.distance(i, best) / largest; first || d < nearest[i] {
				nearest[i] = d
			}
		}); err != nil {
			return nil, err
		}
	}
	return c.numbers(chosen), nil
}

// largest returns the largest distance of two rows, or 1 if all are equal.
func (c *cloud) largest() (float64, error) {
	far := make([]float64, len(c.at))
	err := c.each(func(i int) {
		for j := range i {
			far[i] = math.Max(far[i], c.distance(i, j))
		}
	})
	if d := slices.Max(far); d > 0 {
		return d, err
	}
	return 1, err
}

// tree returns the edges of a minimum spanning tree, divided by unit, in
// increasing order (Prim's algorithm). Rows at distance 0 are not joined to
// each other.
func (c *cloud) tree(unit float64) ([]float64, error) {
	n := len(c.at)
	near, in := slices.Repeat([]float64{math.Inf(1)}, n), make([]bool, n)
	var edges []float64
	for at := 0; at >= 0; {
		in[at] = true
		if err := c.each(func(i int) {
			if !in[i] {
				if d := c.distance(i, at); d > 0 && d < near[i] {
					near[i] = d
				}
			}
		}); err != nil {
			return nil, err
		}
		at = -1
		for i, d := range near {
			if !in[i] && !math.IsInf(d, 1) && (at < 0 || d < near[at]) {
				at = i
			}
		}
		if at >= 0 {
			edges = append(edges, near[at]/unit)
		}
	}
	slices.Sort(edges)
	return edges, nil
}

// reach returns ε of a tree's sorted edges; 0 if there are none.
func reach(edges []float64) float64 {
	if len(edges) == 0 {
		return 0
	}
	low, high := quantile(edges, 0.25), quantile(edges, 0.75)
	return math.Min(edges[len(edges)-1], 3*(high-low)+high)
}

// quantile interpolates sorted values, the i-th (from 1) of which is the
// quantile (i − ½)/n.
func quantile(sorted []float64, q float64) float64 {
	at := q*float64(len(sorted)) - 0.5
	i := int(math.Floor(at))
	switch {
	case i < 0:
		return sorted[0]
	case i+1 >= len(sorted):
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// densities returns ρ before it is scaled.
func (c *cloud) densities(unit, reach float64) ([]float64, error) {
	density := make([]float64, len(c.at))
	if reach == 0 {
		return density, nil
	}
	err := c.each(func(i int) {
		sum := c.weight[i] - 1 // the row's copies
		for j := range c.at {
			if d := c.distance(i, j) / unit; j != i && d <= reach {
				sum += c.weight[j] * math.Exp(-d/reach)
			}
		}
		density[i] = sum
	})
	return density, err
}

// scaleToOne maps values to [0, 1]; equal ones to 1.
func scaleToOne(v []float64) {
	low, high := slices.Min(v), slices.Max(v)
	for i := range v {
		if high > low {
			v[i] = (v[i] - low) / (high - low)
		} else {
			v[i] = 1
		}
	}
}
