package pcskm

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
)

// pairs holds what breaking each link costs, without its weight. It is measured
// once for given feature weights, so that a pass costs a look-up a link.
type pairs struct {
	measured bool
	weights  []float64 // of the features; nil: all 1
	cost     []float64 // by link: d_w, or far_w − d_w of a cannot-link
}

// measure makes the costs those of the given feature weights.
func (p *pairs) measure(c *clusterer, w []float64, rows framework.Rows) {
	if p.measured && (w == nil) == (p.weights == nil) && slices.Equal(w, p.weights) {
		return
	}
	p.measured, p.weights = true, slices.Clone(w)
	p.cost = slices.Grow(p.cost[:0], len(c.links))[:len(c.links)]
	far := 0.0
	for l, r := range c.ranges {
		far = math.FMA(weightOf(w, l)*r, r, far)
	}
	at := cellsOf(rows)
	for i, link := range c.links {
		x, y := at(link)
		d := 0.0
		for l, v := range x {
			e := v - y[l]
			d = math.FMA(weightOf(w, l)*e, e, d)
		}
		if link.Cannot {
			d = math.Max(0, far-d) // rounding
		}
		p.cost[i] = d
	}
}

func weightOf(w []float64, l int) float64 {
	if w == nil {
		return 1
	}
	return w[l]
}

// cellsOf returns a function that returns the cells of the two rows of a link, until it
// is called again.
func cellsOf(rows framework.Rows) func(l framework.Link) (x, y []float64) {
	p := 0
	if rows.Blocks() > 0 {
		p = rows.Block(0).X.Cols
	}
	room := framework.NewMatrix(2, p)
	cells := func(i int32, side int) []float64 {
		b, at := framework.Locate(rows, int(i))
		return b.Cells(at, room.Row(side))
	}
	return func(l framework.Link) (x, y []float64) { return cells(l.A, 0), cells(l.B, 1) }
}

// penalty returns what the broken links cost.
func (c *clusterer) penalty(p *pairs, labels []int32) (sum float64) {
	for i, l := range c.links {
		if l.Broken(labels) && !l.Hard() {
			sum += float64(l.Weight * p.cost[i])
		}
	}
	return sum
}

// penalties adds to dst (p), for each feature, sign times what the broken links
// cost at a feature weight of 1.
func (c *clusterer) penalties(dst []float64, sign float64, rows framework.Rows, labels []int32) {
	at := cellsOf(rows)
	for _, link := range c.links {
		if !link.Broken(labels) || link.Hard() {
			continue
		}
		x, y := at(link)
		for l, v := range x {
			e := v - y[l]
			cost := float64(e * e)
			if link.Cannot {
				cost = float64(c.ranges[l]*c.ranges[l]) - cost
			}
			dst[l] += float64(sign * link.Weight * cost)
		}
	}
}

// LinkCosts implements framework.Linker. What a pair that was given several
// times costs is said of the first.
func (c *clusterer) LinkCosts(_ context.Context, m *framework.Model, rows framework.Rows, labels []int32) ([]float64, error) {
	costs := make([]float64, len(c.place))
	if len(costs) == 0 {
		return costs, nil
	}
	p := new(pairs)
	p.measure(c, m.FeatureWeights, rows)
	said := make([]bool, len(c.links))
	for i, at := range c.place {
		if l := c.links[at]; l.Broken(labels) && !l.Hard() && !said[at] {
			costs[i], said[at] = float64(l.Weight*p.cost[at]), true
		}
	}
	return costs, nil
}

// halves lists the soft links of each unit: those of unit u are at[from[u]:from[u+1]].
type halves struct {
	from []int
	at   []half
}

// A half is a link as one of its two units sees it.
type half struct {
	link  int32
	other int32 // unit
}

// newHalves leaves out hard links, and links within a unit, which a move of the
// unit neither breaks nor mends.
func newHalves(g *links.Graph, all []framework.Link) halves {
	h := halves{from: make([]int, len(g.Units)+1)}
	each := func(do func(i int, a, b int32)) {
		for i, l := range all {
			if a, b := g.Of[l.A], g.Of[l.B]; !l.Hard() && a != b {
				do(i, a, b)
			}
		}
	}
	each(func(_ int, a, b int32) { h.from[a+1]++; h.from[b+1]++ })
	for u := range g.Units {
		h.from[u+1] += h.from[u]
	}
	h.at = make([]half, h.from[len(g.Units)])
	next := slices.Clone(h.from)
	each(func(i int, a, b int32) {
		h.at[next[a]] = half{int32(i), b}
		h.at[next[b]] = half{int32(i), a}
		next[a]++
		next[b]++
	})
	return h
}
