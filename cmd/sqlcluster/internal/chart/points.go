package chart

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Points are rows in two directions, with the colours of their clusters.
type Points struct {
	X, Y    []float64
	Cluster []int32
	Centers []Point
	XName   string // what the axes are, with units
	YName   string
}

// A Point is the center of a cluster.
type Point struct {
	X, Y    float64
	Cluster int
	Name    string
}

func (*Points) size() (w, h float64) { return usual, 400 }

func (s *Points) draw(c *canvas) {
	p := newPlot()
	p.X.Label.Text, p.Y.Label.Text = c.short(s.XName, usual-80), c.short(s.YName, 340)
	for i, x := range s.X {
		if finite(x) && finite(s.Y[i]) {
			p.X.Min, p.X.Max = min(p.X.Min, x), max(p.X.Max, x)
			p.Y.Min, p.Y.Max = min(p.Y.Min, s.Y[i]), max(p.Y.Max, s.Y[i])
		}
	}
	p.X.Padding, p.Y.Padding = 6, 6
	p.Add(pointPlot{s, c})
	p.Draw(draw.Crop(inside(c, s), 0, -4, 0, -4))
}

type pointPlot struct {
	*Points
	canvas *canvas
}

func (s pointPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	radius := vg.Length(3.2)
	if len(s.X) > 500 {
		radius = 2.2
	}
	for i, v := range s.X {
		if !finite(v) || !finite(s.Y[i]) || s.Cluster[i] < 0 {
			continue
		}
		j := int(s.Cluster[i])
		c.SetColor(Cluster(j))
		s.canvas.dot(vg.Point{X: x(v), Y: y(s.Y[i])}, radius, j/Colours)
	}
	var taken []vg.Rectangle // by names, so that none is written over another
	for _, at := range s.Centers {
		if !finite(at.X) || !finite(at.Y) {
			continue
		}
		half := vg.Length(max(9, width(at.Name, textSize)/2+4)) // of the disk that the name is on
		px, py := min(max(x(at.X), c.Min.X+half), c.Max.X-half), min(max(y(at.Y), c.Min.Y+half), c.Max.Y-half)
		if box := (vg.Rectangle{Min: vg.Point{X: px - half, Y: py - half}, Max: vg.Point{X: px + half, Y: py + half}}); free(box, taken) {
			taken = append(taken, box)
			c.SetColor(paper)
			s.canvas.dot(vg.Point{X: px, Y: py}, half, 0)
			s.canvas.ring(Cluster(at.Cluster), px, py, half)
			text(c, Ink, draw.XCenter, px, py, at.Name)
		}
	}
}

// free reports whether a rectangle touches none of others.
func free(r vg.Rectangle, taken []vg.Rectangle) bool {
	for _, t := range taken {
		if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
			return false
		}
	}
	return true
}

// dot draws a point in the tone of the canvas; the kind tells clusters apart whose
// tones are the same.
func (c *canvas) dot(at vg.Point, radius vg.Length, kind int) {
	x, y := c.place(at)
	r := float64(radius)
	px, py := coordinate(x), coordinate(c.height-y)
	switch kind % 3 {
	case 0:
		fmt.Fprintf(&c.out, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`+"\n", c.now.tone, px, py, coordinate(r))
	case 1:
		d := coordinate(1.8 * r)
		fmt.Fprintf(&c.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`+"\n", c.now.tone, coordinate(x-0.9*r),
			coordinate(c.height-y-0.9*r), d, d)
	default:
		fmt.Fprintf(&c.out, `<path class="%s" d="M%s %sl%s %sh%sz"/>`+"\n", c.now.tone, px, coordinate(c.height-y-1.2*r), coordinate(1.2*r),
			coordinate(2.1*r),
			coordinate(-2.4*r))
	}
}

// ring draws a circle around a point.
func (c *canvas) ring(tone Tone, px, py, radius vg.Length) {
	x, y := c.place(vg.Point{X: px, Y: py})
	fmt.Fprintf(&c.out, `<circle class="l %s" stroke-width="2" cx="%s" cy="%s" r="%s"/>`+"\n", tone, coordinate(x), coordinate(c.height-y),
		coordinate(float64(radius)))
}

func (s *Points) vega() spec {
	values := make([]spec, len(s.X))
	for i := range s.X {
		values[i] = spec{"x": number(s.X[i]), "y": number(s.Y[i]), "cluster": s.Cluster[i], "tone": Cluster(max(0, int(s.Cluster[i])))}
	}
	centers := make([]spec, len(s.Centers))
	for i, at := range s.Centers {
		centers[i] = spec{"x": number(at.X), "y": number(at.Y), "name": at.Name}
	}
	x, y := field("x", "quantitative", s.XName), field("y", "quantitative", s.YName)
	x["scale"], y["scale"] = spec{"zero": false}, spec{"zero": false}
	return spec{"layer": []spec{
		{"data": spec{"values": values}, "mark": "point", "encoding": spec{"x": x, "y": y, "color": toneColors()}},
		{"data": spec{"values": centers}, "mark": spec{"type": "text", "fontWeight": "bold"},
			"encoding": spec{"x": x, "y": y, "text": spec{"field": "name"}}},
	}}
}
