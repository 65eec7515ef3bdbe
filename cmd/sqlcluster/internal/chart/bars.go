package chart

import (
	"cmp"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars are horizontal bars with names, the first on top.
type Bars struct {
	Names  []string
	Values []float64
	Texts  []string  // at the end of each bar
	Errors []float64 // of the values, up and down; nil: none
	Tones  []Tone    // nil: Plain for all
	Unit   string    // of the values, with what they are
	Lines  []Line
	From   float64 // where bars begin, unless the axis does so earlier
	To     float64 // least end of the axis
}

// A Line is a value that others are compared with.
type Line struct {
	At   float64
	Name string
}

const (
	barHeight = 22
	mostName  = 130 // of the width of a picture
	mostText  = 150
)

func (b *Bars) size() (w, h float64) { return usual, barHeight*float64(len(b.Names)) + 46 + b.top() }

// top is room for names of lines.
func (b *Bars) top() float64 {
	if len(b.Lines) > 0 {
		return 16
	}
	return 0
}

// ends returns the ends of the axis.
func (b *Bars) ends() (from, to float64) {
	from, to = b.From, max(b.From, b.To)
	for i, v := range b.Values {
		if !finite(v) {
			continue
		}
		e := 0.0
		if b.Errors != nil && finite(b.Errors[i]) {
			e = b.Errors[i]
		}
		from, to = min(from, v-e), max(to, v+e)
	}
	for _, l := range b.Lines {
		from, to = min(from, l.At), max(to, l.At)
	}
	if from == to {
		to = from + 1
	}
	return from, to
}

func (b *Bars) draw(c *canvas) {
	p := newPlot()
	names, _ := c.shortened(b.Names, mostName)
	p.Y.Tick.Marker = rows(names)
	p.Y.Tick.Length, p.Y.Width = 0, 0
	p.Y.Min, p.Y.Max = -0.6, float64(len(names))-0.4
	p.X.Label.Text = c.short(b.Unit, usual-mostName)
	p.X.Min, p.X.Max = b.ends()
	p.Add(barPlot{b, c})
	_, room := c.shortened(b.Texts, mostText)
	p.Draw(draw.Crop(inside(c, b), 0, -vg.Length(room), 0, -vg.Length(b.top())))
}

// rows are ticks of names, the first on top.
func rows(names []string) plot.ConstantTicks {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(len(names) - 1 - i), Label: cmp.Or(name, " ")}
	}
	return ticks
}

type barPlot struct {
	*Bars
	canvas *canvas
}

func (b barPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, l := range b.Lines {
		c.StrokeLine2(draw.LineStyle{Color: Muted, Width: 1, Dashes: []vg.Length{4, 3}}, x(l.At), c.Min.Y, x(l.At), c.Max.Y)
		text(c, Muted, alignAt(x(l.At), c), x(l.At), c.Max.Y+8, l.Name)
	}
	for i, v := range b.Values {
		middle := y(float64(len(b.Names) - 1 - i))
		if !finite(v) {
			text(c, Muted, draw.XLeft, x(b.From)+4, middle, b.textOf(i))
			continue
		}
		tone, end := Plain, x(v)
		if b.Tones != nil {
			tone = b.Tones[i]
		}
		b.canvas.group(b.Names[i]+": "+b.textOf(i), func() {
			fill(c, tone, x(b.From), middle-barHeight*0.36, end, middle+barHeight*0.36)
		})
		end = max(end, x(b.From))
		if b.Errors != nil && finite(b.Errors[i]) && b.Errors[i] > 0 {
			from, to := x(v-b.Errors[i]), x(v+b.Errors[i])
			whisker(c, from, middle, to, middle)
			end = max(end, to)
		}
		text(c, Muted, draw.XLeft, end+4, middle, b.textOf(i))
	}
}

func (b *Bars) textOf(i int) string {
	if b.Texts == nil {
		return ""
	}
	return b.Texts[i]
}

// alignAt aligns a text at x so that it stays within the canvas.
func alignAt(x vg.Length, c draw.Canvas) draw.XAlignment {
	switch at := float64((x - c.Min.X) / (c.Max.X - c.Min.X)); {
	case at < 0.2:
		return draw.XLeft
	case at > 0.8:
		return draw.XRight
	}
	return draw.XCenter
}

// fill draws a rectangle.
func fill(c draw.Canvas, tone Tone, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(tone, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// whisker draws a line with ends, level or upright.
func whisker(c draw.Canvas, x0, y0, x1, y1 vg.Length) {
	line := draw.LineStyle{Color: Ink, Width: 1}
	c.StrokeLine2(line, x0, y0, x1, y1)
	dx, dy := vg.Length(0), vg.Length(3)
	if x0 == x1 {
		dx, dy = 3, 0
	}
	c.StrokeLine2(line, x0-dx, y0-dy, x0+dx, y0+dy)
	c.StrokeLine2(line, x1-dx, y1-dy, x1+dx, y1+dy)
}

func (b *Bars) vega() spec {
	values := make([]spec, len(b.Names))
	for i, name := range b.Names {
		values[i] = spec{"name": name, "value": number(b.Values[i])}
		if b.Errors != nil {
			values[i]["low"], values[i]["high"] = number(b.Values[i]-b.Errors[i]), number(b.Values[i]+b.Errors[i])
		}
		if b.Tones != nil {
			values[i]["tone"] = b.Tones[i]
		}
	}
	names := inOrder("name", "")
	layers := []spec{{"mark": "bar", "encoding": spec{"y": names, "x": field("value", "quantitative", b.Unit)}}}
	if b.Tones != nil {
		layers[0]["encoding"].(spec)["color"] = toneColors()
	}
	if b.Errors != nil {
		layers = append(layers, spec{"mark": "rule", "encoding": spec{"y": names, "x": field("low", "quantitative", b.Unit),
			"x2": spec{"field": "high"}}})
	}
	for _, l := range b.Lines {
		layers = append(layers, spec{"mark": spec{"type": "rule", "strokeDash": []int{4, 3}}, "encoding": spec{"x": spec{"datum": l.At}}})
	}
	return spec{"data": spec{"values": values}, "layer": layers}
}

// toneColors is the encoding of tones as colours for light paper.
func toneColors() spec {
	domain, colors := []Tone{Plain}, []string{neutral[3].light}
	for j, t := range clusterTones {
		domain, colors = append(domain, Cluster(j)), append(colors, t[0])
	}
	return spec{"field": "tone", "type": "nominal", "legend": nil, "scale": spec{"domain": domain, "range": colors}}
}
