package chart

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
)

// A Tone is a colour by its name, which is a class of the style sheet.
type Tone string

// RGBA makes a Tone a colour. Nobody looks at it: a canvas takes the name.
func (Tone) RGBA() (r, g, b, a uint32) { return color.Black.RGBA() }

// The tones that are not those of clusters.
const (
	Ink   Tone = "ink"
	Muted Tone = "mut"
	Grid  Tone = "grd"
	Plain Tone = "pln"
	Pick  Tone = "pck"

	paper  Tone = "ppr"
	middle Tone = "m" // of a scale
)

// clusterTones are the colours of Okabe and Ito (2008), which people with any kind of
// colour vision can tell apart, and grey, for light and for dark paper. Yellow, which
// is hardly seen on white, comes late and is darker there.
var clusterTones = [][2]string{
	{"#0072b2", "#3a9bd6"}, {"#d55e00", "#f07b25"}, {"#009e73", "#1bbd90"}, {"#cc79a7", "#dd93bc"},
	{"#56b4e9", "#8fd0f5"}, {"#e69f00", "#ffbf3d"}, {"#7a7a7a", "#a9a9a9"}, {"#b8a800", "#f0e442"},
}

// Colours is the number of clusters that have a colour of their own.
var Colours = len(clusterTones)

// Cluster is the tone of a cluster, the same in every picture. Tones repeat.
func Cluster(j int) Tone { return Tone(fmt.Sprintf("c%d", j%Colours)) }

// steps is the number of tones on each side of the middle of a scale.
const steps = 4

// The sides of the scale of tiles, from the middle outwards, for light and for dark
// paper. Text on them has the colour of ink.
var (
	low  = [steps][2]string{{"#dcebf5", "#1a2e3c"}, {"#b4d6ec", "#1b435f"}, {"#86bee2", "#155a87"}, {"#59a6d8", "#0f6fab"}}
	high = [steps][2]string{{"#faeadd", "#3b2a1d"}, {"#f6cfae", "#5d3718"}, {"#f0b07b", "#864811"}, {"#eb9149", "#ad580a"}}
)

// neutral are the other tones, for light and for dark paper.
var neutral = []struct {
	tone        Tone
	light, dark string
}{
	{Ink, "#1c1c1c", "#ececec"}, {Muted, "#595959", "#b3b3b3"}, {Grid, "#dddddd", "#3c3c3c"}, {Plain, "#6f7f8f", "#93a5b7"},
	{Pick, "#1c1c1c", "#ffffff"}, {paper, "#ffffff", "#17181a"}, {middle, "#f4f4f4", "#26282b"},
}

// Style is the style sheet of all pictures, for the page that they are in.
func Style() string {
	var names, light, dark strings.Builder
	add := func(name Tone, l, d string) {
		fmt.Fprintf(&names, "svg .%s{color:var(--%s)}\n", name, name)
		fmt.Fprintf(&light, "--%s:%s;", name, l)
		fmt.Fprintf(&dark, "--%s:%s;", name, d)
	}
	for _, n := range neutral {
		add(n.tone, n.light, n.dark)
	}
	for j, t := range clusterTones {
		add(Cluster(j), t[0], t[1])
	}
	for i := range steps {
		add(Tone(fmt.Sprintf("n%d", i+1)), low[i][0], low[i][1])
		add(Tone(fmt.Sprintf("p%d", i+1)), high[i][0], high[i][1])
	}
	return ":root{color-scheme:light dark;" + light.String() + "}\n" +
		"@media screen and (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n" + names.String() +
		"svg path,svg circle,svg rect{fill:currentColor}\nsvg .l{fill:none;stroke:currentColor;stroke-linejoin:round}\n" +
		"svg text{fill:currentColor;font-family:\"Liberation Sans\",Arial,Helvetica,sans-serif}\n"
}

// sans is the font by which texts are measured. Browsers without it have one of
// nearly the same width.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// textSize is the size of all texts but titles.
const textSize = 12

// newPlot returns a plot without anything that the theme does not want.
func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Width, a.Padding = Grid, 1, 2
		a.Label.TextStyle.Color, a.Label.TextStyle.Font = Muted, font.From(sans, textSize)
		a.Label.Padding = 4
		a.Tick.Color, a.Tick.Length, a.Tick.Width = Grid, 4, 1
		a.Tick.Label.Color, a.Tick.Label.Font = Ink, font.From(sans, textSize)
		a.Tick.Marker = ticks{}
	}
	return p
}

// style is text of a tone, aligned as draw.XLeft and the like say, and centred on its line.
func style(tone Tone, align draw.XAlignment) draw.TextStyle {
	return draw.TextStyle{Color: tone, Font: font.From(sans, textSize), XAlign: align, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

// text writes text of which a point is the middle of the height.
func text(c draw.Canvas, tone Tone, align draw.XAlignment, x, y vg.Length, s string) {
	// The extents of a font reach further up than letters do.
	c.FillText(style(tone, align), vg.Point{X: x, Y: y + 1.5}, s)
}

// width measures text. Characters that the font does not have are as wide as high.
func width(s string, size float64) float64 {
	known := strings.Map(func(r rune) rune {
		if r >= 0x2e80 {
			return -1
		}
		return r
	}, s)
	face := font.DefaultCache.Lookup(sans, vg.Length(size))
	return float64(face.Width(known)) + size*float64(len([]rune(s))-len([]rune(known)))
}

// short cuts the middle out of a text that is wider than there is room for, since the
// ends of names tell them apart, and remembers it in full.
func (c *canvas) short(s string, room float64) string {
	s = render.Safe(s)
	if width(s, textSize) <= room {
		return s
	}
	runes := []rune(s)
	for n := min(len(runes)-1, int(room)); ; n-- { // a character is wider than a point
		cut := string(runes[:(n+1)/2]) + "…" + string(runes[len(runes)-n/2:])
		if n <= 1 || width(cut, textSize) <= room {
			c.whole[cut] = append(c.whole[cut], s)
			return cut
		}
	}
}

// shortened cuts all of some texts, and returns the room that they take.
func (c *canvas) shortened(all []string, room float64) (cut []string, taken float64) {
	for _, s := range all {
		s = c.short(s, room)
		cut, taken = append(cut, s), max(taken, width(s, textSize))
	}
	return cut, taken
}
