package chart

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
)

// A canvas writes what is drawn as SVG. Its colours are names of classes, which a
// style sheet turns into colours, so that the same picture is for light, dark and
// paper. Coordinates have one decimal.
type canvas struct {
	out    bytes.Buffer
	height float64
	now    pen
	saved  []pen
	whole  map[string][]string // texts in full, by what is left of them, in the order in which they are written
}

// pen is what Push and Pop keep.
type pen struct {
	tone   Tone
	width  float64
	dashes string
	turn   float64    // radians
	at     [2]float64 // of the origin
	scale  [2]float64
}

func newCanvas(height float64) *canvas {
	return &canvas{height: height, now: pen{tone: Ink, width: 1, scale: [2]float64{1, 1}}, whole: map[string][]string{}}
}

var _ vg.Canvas = (*canvas)(nil)

func (c *canvas) SetLineWidth(w vg.Length) { c.now.width = float64(w) }

func (c *canvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	parts := make([]string, len(pattern))
	for i, p := range pattern {
		parts[i] = coordinate(float64(p))
	}
	c.now.dashes = strings.Join(parts, " ")
}

// SetColor takes a Tone; anything else is drawn as text is.
func (c *canvas) SetColor(to color.Color) {
	c.now.tone = Ink
	if t, ok := to.(Tone); ok {
		c.now.tone = t
	}
}

func (c *canvas) Rotate(rad float64) { c.now.turn += rad }

func (c *canvas) Translate(pt vg.Point) { c.now.at[0], c.now.at[1] = c.place(pt) }

func (c *canvas) Scale(x, y float64) {
	c.now.scale[0], c.now.scale[1] = c.now.scale[0]*x, c.now.scale[1]*y
}

func (c *canvas) Push() { c.saved = append(c.saved, c.now) }

func (c *canvas) Pop() {
	c.now, c.saved = c.saved[len(c.saved)-1], c.saved[:len(c.saved)-1]
}

// place returns where a point is, from below.
func (c *canvas) place(pt vg.Point) (x, y float64) {
	sin, cos := math.Sincos(c.now.turn)
	x, y = float64(pt.X)*c.now.scale[0], float64(pt.Y)*c.now.scale[1]
	return c.now.at[0] + cos*x - sin*y, c.now.at[1] + sin*x + cos*y
}

// svg writes a point as SVG has it: from above.
func (c *canvas) svg(pt vg.Point) string {
	x, y := c.place(pt)
	return coordinate(x) + " " + coordinate(c.height-y)
}

func (c *canvas) Stroke(p vg.Path) {
	if c.now.width <= 0 {
		return
	}
	dashes := ""
	if c.now.dashes != "" {
		dashes = fmt.Sprintf(` stroke-dasharray="%s"`, c.now.dashes)
	}
	fmt.Fprintf(&c.out, `<path class="l %s" stroke-width="%s"%s d="%s"/>`+"\n", c.now.tone, coordinate(c.now.width), dashes, c.path(p))
}

func (c *canvas) Fill(p vg.Path) {
	fmt.Fprintf(&c.out, `<path class="%s" d="%s"/>`+"\n", c.now.tone, c.path(p))
}

// path writes lines; plots of this package have no curves.
func (c *canvas) path(p vg.Path) string {
	var b strings.Builder
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			b.WriteString("M" + c.svg(part.Pos))
		case vg.CloseComp:
			b.WriteString("Z")
		default:
			b.WriteString("L" + c.svg(part.Pos))
		}
	}
	return b.String()
}

func (c *canvas) FillString(f font.Face, pt vg.Point, text string) {
	x, y := c.place(pt)
	turn := ""
	if c.now.turn != 0 {
		turn = fmt.Sprintf(` transform="rotate(%s %s %s)"`, coordinate(-c.now.turn*180/math.Pi), coordinate(x), coordinate(c.height-y))
	}
	title := ""
	if whole := c.whole[text]; len(whole) > 0 {
		title, c.whole[text] = hover(whole[0]), append(whole[1:], whole[0])
	}
	fmt.Fprintf(&c.out, `<text class="%s" x="%s" y="%s" font-size="%s"%s>%s%s</text>`+"\n", c.now.tone, coordinate(x), coordinate(c.height-y),
		coordinate(float64(f.Font.Size)), turn, escape(text), title)
}

// DrawImage draws nothing: a picture of numbers has no photographs.
func (c *canvas) DrawImage(vg.Rectangle, image.Image) {}

// group puts what is drawn within into one element, with a text where the mouse rests.
func (c *canvas) group(text string, within func()) {
	c.out.WriteString("<g>" + hover(text))
	within()
	c.out.WriteString("</g>\n")
}

// hover is the text that a browser shows where the mouse rests.
func hover(text string) string { return "<title>" + escape(text) + "</title>" }

// escape makes text of strangers safe within an element or an attribute.
func escape(text string) string { return html.EscapeString(render.Safe(text)) }

// coordinate writes a number with one decimal; one that is not finite is 0.
func coordinate(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
