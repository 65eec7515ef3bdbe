package chart

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Tiles are a table of values as colours, with the values in them where they have room.
type Tiles struct {
	Rows, Columns []string
	Tones         []Tone      // of the names of columns; nil: none
	Values        [][]float64 // by row and column
	Texts         [][]string  // of the values
	Unit          string      // of the values, with what they are; "": colours need no scale
	Most          float64     // the value of the strongest colour, and its negative
	Positive      bool        // there are no negative values
}

const (
	tileHeight = 22
	leastTile  = 26
	mostTile   = 62
)

// names is the room of the names of rows.
func (t *Tiles) names() float64 {
	_, taken := newCanvas(0).shortened(t.Rows, mostName)
	return taken + 8
}

// tile is the width of a tile: its share of the picture, but its text has room, if it
// is not too long.
func (t *Tiles) tile() float64 {
	least := float64(leastTile)
	for _, row := range t.Texts {
		for _, s := range row {
			least = max(least, width(s, textSize)+6)
		}
	}
	return min(mostTile, max(least, (usual-4-t.names())/float64(max(1, len(t.Columns)))))
}

func (t *Tiles) size() (w, h float64) {
	return max(usual, t.names()+t.tile()*float64(len(t.Columns))+4), tileHeight*float64(len(t.Rows)+1) + t.scaleRoom()
}

// scaleRoom is the height of the scale.
func (t *Tiles) scaleRoom() float64 {
	if t.Unit == "" {
		return 4
	}
	return 44
}

func (t *Tiles) draw(c *canvas) {
	p := newPlot()
	names, _ := c.shortened(t.Rows, mostName)
	p.Y.Tick.Marker, p.Y.Tick.Length = rows(names), 0
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.X.Min, p.X.Max = -0.5, float64(len(t.Columns))-0.5
	p.X.Tick.Marker, p.X.Width, p.Y.Width, p.X.Padding, p.Y.Padding = plot.ConstantTicks(nil), 0, 0, 0, 0
	p.Add(tilePlot{t, c})
	all := inside(c, t)
	all.Max.Y = all.Min.Y + vg.Length(t.scaleRoom()+tileHeight*float64(len(t.Rows)))
	all.Max.X = all.Min.X + vg.Length(t.names()+t.tile()*float64(len(t.Columns)))
	p.Draw(draw.Crop(all, 0, 0, vg.Length(t.scaleRoom()), 0))
	if t.Unit != "" {
		t.scale(c, all)
	}
}

type tilePlot struct {
	*Tiles
	canvas *canvas
}

func (t tilePlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	room := t.tile() - 4
	for j, name := range t.Columns {
		tone := Ink
		if t.Tones != nil {
			tone = t.Tones[j]
		}
		text(c, tone, draw.XCenter, x(float64(j)), c.Max.Y+9, t.canvas.short(name, room))
	}
	for i, row := range t.Values {
		at := float64(len(t.Rows) - 1 - i)
		for j, v := range row {
			label := t.Texts[i][j]
			t.canvas.group(fmt.Sprintf("%s, %s: %s", t.Rows[i], t.Columns[j], label), func() {
				fill(c, t.tone(v), x(float64(j)-0.5)+0.5, y(at-0.5)+0.5, x(float64(j)+0.5)-0.5, y(at+0.5)-0.5)
				if width(label, textSize) <= room {
					text(c, Ink, draw.XCenter, x(float64(j)), y(at), label)
				}
			})
		}
	}
}

// tone is the tone of a value: one of the steps of the scale.
func (t *Tiles) tone(v float64) Tone {
	if !finite(v) {
		return paper
	}
	step := min(steps, int(math.Abs(v)/t.Most*(steps-0.5)+0.5)) // the last one from Most on
	switch {
	case step == 0:
		return middle
	case v < 0:
		return Tone(fmt.Sprintf("n%d", step))
	}
	return Tone(fmt.Sprintf("p%d", step))
}

// scale draws which colour is which value.
func (t *Tiles) scale(c *canvas, on draw.Canvas) {
	const box = 16
	first := -steps
	if t.Positive {
		first = 0
	}
	x, y := on.Min.X+4, on.Min.Y+18
	for s := first; s <= steps; s++ {
		v := float64(s) / (steps - 0.5) * t.Most
		fill(on, t.tone(v), x, y, x+box-1, y+12)
		x += box
	}
	from := "0"
	if first < 0 {
		from = "≤ −" + short(t.Most)
	}
	to := "≥ " + short(t.Most)
	text(on, Muted, draw.XLeft, on.Min.X+4, on.Min.Y+8, from)
	text(on, Muted, draw.XLeft, max(x-box, on.Min.X+4+vg.Length(width(from, textSize))+10), on.Min.Y+8, to)
	room, _ := t.size()
	text(on, Muted, draw.XLeft, x+8, y+6, c.short(t.Unit, room-float64(x)-12))
}

// short writes a number with three digits.
func short(v float64) string { return fmt.Sprintf("%.3g", v) }

func (t *Tiles) vega() spec {
	var values []spec
	for i, row := range t.Values {
		for j, v := range row {
			values = append(values, spec{"row": t.Rows[i], "column": t.Columns[j], "value": number(v), "text": t.Texts[i][j]})
		}
	}
	scale := spec{"domain": []float64{-t.Most, 0, t.Most}, "range": []string{low[steps-1][0], "#f4f4f4", high[steps-1][0]}, "clamp": true}
	if t.Positive {
		scale["domain"], scale["range"] = []float64{0, t.Most}, []string{"#f4f4f4", high[steps-1][0]}
	}
	color := field("value", "quantitative", t.Unit)
	color["scale"] = scale
	place := spec{"y": inOrder("row", ""), "x": inOrder("column", "")}
	return spec{"data": spec{"values": values}, "encoding": place, "layer": []spec{
		{"mark": "rect", "encoding": spec{"color": color}},
		{"mark": "text", "encoding": spec{"text": spec{"field": "text"}}},
	}}
}
