package chart

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Silhouette is the silhouette of rows: a band for each cluster, in which a line
// is a row, the best on top.
type Silhouette struct {
	Bands []Band
	Mean  float64 // over all rows
}

// A Band has the silhouettes of the rows of a cluster.
type Band struct {
	Name    string
	Cluster int
	Values  []float64
}

const (
	bandGap   = 6
	leastBand = 3
)

// heights are those of the bands: by their rows, but none so small that it is not seen.
func (s *Silhouette) heights() (all []float64, sum float64) {
	rows := 0
	for _, b := range s.Bands {
		rows += len(b.Values)
	}
	for _, b := range s.Bands {
		h := max(leastBand, 300*float64(len(b.Values))/float64(max(1, rows)))
		all, sum = append(all, h), sum+h+bandGap
	}
	return all, sum
}

func (s *Silhouette) size() (w, h float64) {
	_, sum := s.heights()
	return usual, sum + 62
}

func (s *Silhouette) draw(c *canvas) {
	p := newPlot()
	lowest := 0.0
	for _, b := range s.Bands {
		for _, v := range b.Values {
			if finite(v) {
				lowest = min(lowest, v)
			}
		}
	}
	if lowest < 0 { // down to a tick
		lowest = math.Floor(lowest*5) / 5
	}
	p.X.Min, p.X.Max = lowest, 1
	p.X.Label.Text = "silhouette of a row"
	heights, sum := s.heights()
	p.Y.Min, p.Y.Max, p.Y.Padding = 0, sum, 0
	p.Y.Tick.Length, p.Y.Width = 0, 0
	var ticks plot.ConstantTicks
	top, free := sum, math.Inf(1) // free is where the next name has room
	for i, b := range s.Bands {
		if middle := top - heights[i]/2; middle <= free {
			ticks, free = append(ticks, plot.Tick{Value: middle, Label: c.short(b.Name, mostName)}), middle-legendHeight
		}
		top -= heights[i] + bandGap
	}
	p.Y.Tick.Marker = ticks
	p.Add(bandPlot{s, c})
	p.Draw(draw.Crop(inside(c, s), 0, -4, 0, -20))
}

type bandPlot struct {
	*Silhouette
	canvas *canvas
}

func (s bandPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	heights, top := s.heights()
	for i, b := range s.Bands {
		values := slices.DeleteFunc(slices.Clone(b.Values), func(v float64) bool { return !finite(v) })
		slices.SortFunc(values, func(a, b float64) int {
			if a > b {
				return -1
			}
			if a < b {
				return 1
			}
			return 0
		})
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		s.canvas.group(fmt.Sprintf("%s: mean silhouette %.2f", b.Name, mean), func() {
			each := heights[i] / float64(max(1, len(values)))
			outline := []vg.Point{{X: x(0), Y: y(top)}}
			for r, v := range values {
				at := top - float64(r)*each
				outline = append(outline, vg.Point{X: x(v), Y: y(at)}, vg.Point{X: x(v), Y: y(at - each)})
			}
			c.FillPolygon(Cluster(b.Cluster), append(outline, vg.Point{X: x(0), Y: y(top - heights[i])}))
		})
		top -= heights[i] + bandGap
	}
	c.StrokeLine2(draw.LineStyle{Color: Ink, Width: 1, Dashes: []vg.Length{4, 3}}, x(s.Mean), c.Min.Y, x(s.Mean), c.Max.Y)
	above(c, nil, Ink, x(s.Mean), fmt.Sprintf("mean %.2f", s.Mean))
}

func (s *Silhouette) vega() spec {
	var values []spec
	for _, b := range s.Bands {
		for i, v := range b.Values {
			values = append(values, spec{"cluster": b.Name, "row": i, "silhouette": number(v), "tone": Cluster(b.Cluster)})
		}
	}
	return spec{"data": spec{"values": values}, "mark": "bar", "encoding": spec{
		"row":   inOrder("cluster", ""),
		"y":     spec{"field": "row", "type": "ordinal", "axis": nil, "sort": spec{"field": "silhouette", "order": "descending"}},
		"x":     field("silhouette", "quantitative", "silhouette of a row"),
		"color": toneColors()}}
}
