package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines are values against a number, one line for each series, with its name beside.
type Lines struct {
	Series []Series
	X, Y   string // what the axes are, with units
	Whole  bool   // X is counted: its ticks are whole numbers
	Marks  []Mark
	Wide   bool // the picture is as wide as the page
}

// A Series is a line. What is not finite interrupts it.
type Series struct {
	Name   string
	X, Y   []float64
	Errors []float64 // of Y, up and down; nil: none
	Tone   Tone
	Bare   bool // without points
}

// A Mark is a point that has been chosen, and as what.
type Mark struct {
	X, Y float64
	Name string
}

const (
	lineHeight   = 300
	legendRoom   = 118
	legendHeight = 17
)

func (l *Lines) size() (w, h float64) {
	w, h = usual, lineHeight
	if l.Wide {
		w = 640
	}
	return w, max(h, legendHeight*float64(len(l.named()))+40)
}

// named are the series that have a name.
func (l *Lines) named() (all []Series) {
	for _, s := range l.Series {
		if s.Name != "" {
			all = append(all, s)
		}
	}
	return all
}

// reach returns the ends of both axes.
func (l *Lines) reach() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	for _, s := range l.Series {
		for i, v := range s.Y {
			if !finite(v) || !finite(s.X[i]) {
				continue
			}
			e := 0.0
			if s.Errors != nil && finite(s.Errors[i]) {
				e = s.Errors[i]
			}
			x[0], x[1] = min(x[0], s.X[i]), max(x[1], s.X[i])
			y[0], y[1] = min(y[0], v-e), max(y[1], v+e)
		}
	}
	if v := y[0]; v == y[1] { // a level line: a part of 1 is one of 0 to 1
		if y = [2]float64{0, 1}; v < 0 || v > 1 {
			y = [2]float64{v - math.Abs(v)/10, v + math.Abs(v)/10}
		}
	}
	return x, y
}

func (l *Lines) draw(c *canvas) {
	p := newPlot()
	x, y := l.reach()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
	p.X.Padding, p.Y.Padding = 6, 6
	if x[0] > 0 && x[1]/x[0] > 100 && !l.Whole {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, labelled{plot.LogTicks{Prec: -1}}
	}
	if l.Whole {
		p.X.Tick.Marker = ticks{least: 1}
	}
	all := inside(c, l)
	legend := vg.Length(0)
	if len(l.named()) > 1 {
		_, room := c.shortened(names(l.named()), legendRoom-30)
		legend = vg.Length(room) + 30
	}
	p.X.Label.Text, p.Y.Label.Text = c.short(l.X, float64(all.Max.X-all.Min.X-legend)-60), c.short(l.Y, lineHeight-50)
	p.Add(linePlot{l, c})
	top := vg.Length(12)
	if len(l.Marks) > 0 {
		top = twoNames
	}
	p.Draw(draw.Crop(all, 0, -legend-4, 0, -top))
	if legend > 0 {
		l.legend(c, draw.Crop(all, all.Max.X-all.Min.X-legend, 0, 0, 0))
	}
}

func names(all []Series) []string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.Name
	}
	return list
}

// dashes tell the lines apart that have the same tone.
func dashes(i int) []vg.Length { return [][]vg.Length{nil, {6, 3}, {2, 3}}[i/Colours%3] }

func (l *Lines) legend(c *canvas, on draw.Canvas) {
	y := on.Max.Y - 12
	for i, s := range l.named() {
		on.StrokeLine2(draw.LineStyle{Color: s.Tone, Width: 2, Dashes: dashes(i)}, on.Min.X+4, y, on.Min.X+22, y)
		text(on, Ink, draw.XLeft, on.Min.X+27, y, c.short(s.Name, legendRoom-30))
		y -= legendHeight
	}
}

type linePlot struct {
	*Lines
	canvas *canvas
}

func (l linePlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, s := range l.Series {
		l.canvas.group(s.Name, func() { l.series(c, x, y, s, dashes(i)) })
	}
	var taken []vg.Rectangle // by names of marks
	for _, m := range l.Marks {
		if !finite(m.X) || !finite(m.Y) {
			continue
		}
		l.canvas.ring(Pick, x(m.X), y(m.Y), 7)
		c.StrokeLine2(draw.LineStyle{Color: Pick, Width: 1, Dashes: []vg.Length{2, 3}}, x(m.X), y(m.Y)+7, x(m.X), c.Max.Y+2)
		taken = above(c, taken, Ink, x(m.X), m.Name)
	}
}

func (l linePlot) series(c draw.Canvas, x, y func(float64) vg.Length, s Series, dashes []vg.Length) {
	var part []vg.Point
	style := draw.LineStyle{Color: s.Tone, Width: 2, Dashes: dashes}
	for i, v := range s.Y {
		if !finite(v) || !finite(s.X[i]) {
			c.StrokeLines(style, part)
			part = nil
			continue
		}
		at := vg.Point{X: x(s.X[i]), Y: y(v)}
		part = append(part, at)
		if s.Errors != nil && finite(s.Errors[i]) && s.Errors[i] > 0 {
			whisker(c, at.X, y(v-s.Errors[i]), at.X, y(v+s.Errors[i]))
		}
		if !s.Bare {
			c.SetColor(s.Tone)
			l.canvas.dot(at, 3, 0)
		}
	}
	c.StrokeLines(style, part)
}

func (l *Lines) vega() spec {
	var values []spec
	for _, s := range l.Series {
		for i, v := range s.Y {
			one := spec{"series": s.Name, "x": number(s.X[i]), "y": number(v)}
			if s.Errors != nil {
				one["low"], one["high"] = number(v-s.Errors[i]), number(v+s.Errors[i])
			}
			values = append(values, one)
		}
	}
	x, y := field("x", "quantitative", l.X), field("y", "quantitative", l.Y)
	y["scale"] = spec{"zero": false}
	layers := []spec{
		{"mark": spec{"type": "line", "point": true}, "encoding": spec{"x": x, "y": y, "color": inOrder("series", "")}},
		{"mark": "rule", "encoding": spec{"x": x, "y": field("low", "quantitative", l.Y), "y2": spec{"field": "high"}}},
	}
	for _, m := range l.Marks {
		layers = append(layers, spec{"data": spec{"values": []spec{{"x": number(m.X), "y": number(m.Y), "name": m.Name}}},
			"mark": spec{"type": "text", "dy": -10}, "encoding": spec{"x": x, "y": y, "text": spec{"field": "name"}}})
	}
	return spec{"data": spec{"values": values}, "layer": layers}
}
