// Package chart draws the pictures of a report: bars, tiles, lines, points and the
// silhouette, as SVG or as the text of a Vega-Lite picture.
//
// All pictures have one theme. A cluster has the same colour everywhere. Colours are
// classes of a style sheet, so that a picture is readable on light and dark paper;
// within a page that has [Style] it needs none of its own. The same numbers give the
// same bytes. Values that are not finite are left out, long names are cut and given
// in full where the mouse rests.
package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Chart is a picture with what a reader needs to understand it.
type Chart struct {
	Name    string // as a user asks for it
	Title   string
	Note    string // how to read it: one sentence
	Picture Picture
}

// A Picture is one of the kinds of this package.
type Picture interface {
	size() (width, height float64)
	draw(c *canvas)
	vega() spec
}

// spec is a part of a Vega-Lite picture.
type spec map[string]any

// usual is the width of most pictures: readable when it is shrunk to a phone.
const usual = 440

// Wide reports whether the picture is wider than a phone, or a column of a page.
func (h *Chart) Wide() bool {
	width, _ := h.Picture.size()
	return width > usual
}

// Inline returns the picture for a page with the style sheet, which says title and
// note itself, too.
func (h *Chart) Inline() string {
	width, height := h.Picture.size()
	c := newCanvas(height)
	h.Picture.draw(c)
	return h.svg(width, height, "", c)
}

// svg wraps what was drawn.
func (h *Chart) svg(width, height float64, within string, c *canvas) string {
	class := ""
	if h.Wide() {
		class = ` class="wide"`
	}
	return fmt.Sprintf(`<svg%s role="img" width="%s" height="%s" viewBox="0 0 %[2]s %[3]s">`+"\n"+
		"<title>%s</title>\n<desc>%s</desc>\n%s%s</svg>\n",
		class, coordinate(width), coordinate(height), escape(h.Title), escape(h.Note), within, c.out.String())
}

// SVG returns the picture as a file, with title and note.
func (h *Chart) SVG() []byte {
	const margin, line = 12, 17
	width, height := h.Picture.size()
	c := newCanvas(height)
	h.Picture.draw(c)
	top := newCanvas(0)
	y := 20
	for _, l := range wrapped(h.Title, width, 15) {
		fmt.Fprintf(&top.out, `<text class="ink" x="0" y="%d" font-size="15" font-weight="bold">%s</text>`+"\n", y, escape(l))
		y += line + 2
	}
	for _, l := range wrapped(h.Note, width, textSize) {
		fmt.Fprintf(&top.out, `<text class="mut" x="0" y="%d" font-size="%d">%s</text>`+"\n", y, textSize, escape(l))
		y += line
	}
	full, tall := width+2*margin, height+float64(y)+2*margin
	style := Style() + "svg{background:var(--ppr)}"
	within := fmt.Sprintf("<style>%s</style>\n"+`<rect class="ppr" width="%s" height="%s"/><g transform="translate(%d %d)">`+"\n%s</g>\n"+
		`<g transform="translate(%[4]d %[7]d)">`+"\n", style, coordinate(full), coordinate(tall), margin, margin, top.out.String(), margin+y)
	c.out.WriteString("</g>\n")
	text := h.svg(full, tall, within, c)
	return []byte(strings.Replace(text, "<svg", `<svg xmlns="http://www.w3.org/2000/svg"`, 1))
}

// wrapped breaks a text into lines that are not wider than there is room for.
func wrapped(text string, room, size float64) (lines []string) {
	at := ""
	for word := range strings.FieldsSeq(text) {
		if next := strings.TrimSpace(at + " " + word); at == "" || width(next, size) <= room {
			at = next
			continue
		}
		lines, at = append(lines, at), word
	}
	return append(lines, at)
}

// Vega returns the picture in Vega-Lite, with its data.
func (h *Chart) Vega() ([]byte, error) {
	all := spec{"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": h.Title, "description": h.Note}
	for name, part := range h.Picture.vega() {
		all[name] = part
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err := e.Encode(all)
	return b.Bytes(), err
}

// field is an encoding of Vega-Lite.
func field(name, kind, title string) spec { return spec{"field": name, "type": kind, "title": title} }

// inOrder is an encoding of names in the order of the data.
func inOrder(name, title string) spec {
	f := field(name, "nominal", title)
	f["sort"] = nil
	return f
}

// number is a value of the data, null where it is not finite.
func number(v float64) any {
	if finite(v) {
		return v
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// inside returns the part of the canvas that a picture of some size draws on.
func inside(c *canvas, p Picture) draw.Canvas {
	width, height := p.size()
	return draw.Crop(draw.NewCanvas(c, vg.Length(width), vg.Length(height)), 1, -8, 1, -4)
}
