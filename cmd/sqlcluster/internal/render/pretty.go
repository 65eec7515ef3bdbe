package render

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// pageRows is the number of rows that are laid out together where rows come one
// after the other. The columns are as wide as those of the first page need.
const pageRows = 1000

// writePretty writes a table for people.
func writePretty(w io.Writer, t Table, markdown bool) error {
	p := newPage(t, markdown)
	if !markdown {
		p.limit = WidthOf(w)
	}
	err := t.EachRow(func(row []any) error {
		p.add(row)
		if t.Each != nil && len(p.rows) == pageRows {
			return p.flush(w)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.widths == nil || len(p.rows) > 0 {
		if err := p.flush(w); err != nil {
			return err
		}
	}
	if rest := p.missing(t.Columns); len(rest) > 0 {
		_, err = fmt.Fprintln(w, unseen(t, rest, p.limit))
	}
	return err
}

// A page is a part of a table that is laid out.
type page struct {
	layout
	markdown, whole bool
	limit           int   // characters of a line; 0: unlimited
	widths          []int // of the columns that are shown; nil until the first page is written
}

func newPage(t Table, markdown bool) *page {
	p := &page{markdown: markdown, whole: markdown || t.Prose}
	p.prose = t.Prose
	for _, name := range t.Least {
		if i := slices.Index(t.Columns, name); i >= 0 {
			p.least = append(p.least, i)
		}
	}
	for _, c := range t.Columns {
		p.header, p.number = append(p.header, cell(Safe(c), p.whole)), append(p.number, true)
	}
	return p
}

// add takes a row. Those of the first page say which columns are of numbers.
func (p *page) add(row []any) {
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = cell(Rounded(v), p.whole)
		if p.widths == nil {
			p.number[i] = p.number[i] && isNumber(v)
		}
	}
	p.rows = append(p.rows, cells)
}

// flush writes the rows, and the header above the first of them.
func (p *page) flush(w io.Writer) error {
	first := p.widths == nil
	switch {
	case first:
		if len(p.rows) == 0 {
			clear(p.number)
		}
		if p.limit > 0 {
			p.fit(p.limit)
		}
		p.widths = p.layout.widths()
	case p.limit > 0:
		p.leaveOut()
		p.cut(p.widths)
	}
	t := p.writer(first)
	p.rows = p.rows[:0]
	out := ""
	if p.markdown {
		out = t.RenderMarkdown()
	} else {
		out = t.Render()
	}
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// writer returns the rows as go-pretty lays them out.
func (p *page) writer(header bool) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.Options{SeparateHeader: true}
	t.Style().Format.Header = text.FormatDefault
	t.Style().Box.PaddingLeft = ""
	t.Style().Box.PaddingRight = strings.Repeat(" ", columnGap)
	configs := make([]table.ColumnConfig, len(p.number))
	for i, number := range p.number {
		configs[i].Number = i + 1
		if number {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
		if !header {
			configs[i].WidthMin = p.widths[i]
		}
	}
	t.SetColumnConfigs(configs)
	row := func(cells []string) table.Row {
		r := make(table.Row, len(cells))
		for i, c := range cells {
			r[i] = c
		}
		return r
	}
	if header {
		t.AppendHeader(row(p.header))
	}
	for _, cells := range p.rows {
		t.AppendRow(row(cells))
	}
	return t
}

// cell shortens a text for a terminal. Markdown is laid out by what shows it.
func cell(text string, whole bool) string {
	if whole {
		return text
	}
	return Short(text, longestCell)
}

func isNumber(v any) bool {
	switch v.(type) {
	case nil, int, int32, int64, uint64, float64, json.Number:
		return true
	}
	return false
}
