package render

import (
	"fmt"
	"io"
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
	err := t.each(func(row []any) error {
		p.add(row)
		if t.Each != nil && len(p.rows) == pageRows {
			return p.flush(w)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.header == nil && len(p.rows) == 0 {
		return nil
	}
	return p.flush(w)
}

// A page is a part of a table that is laid out.
type page struct {
	markdown, whole bool
	header          table.Row // nil once it has been written
	rows            []table.Row
	numeric         []bool
	widths          []int
	filled          bool // there has been a row
}

func newPage(t Table, markdown bool) *page {
	p := &page{markdown: markdown, whole: markdown || t.Prose, header: table.Row{}, widths: make([]int, len(t.Columns))}
	for i, c := range t.Columns {
		name := cell(Safe(c), p.whole)
		p.header, p.numeric = append(p.header, name), append(p.numeric, true)
		p.widths[i] = text.StringWidthWithoutEscSequences(name)
	}
	return p
}

// add takes a row. Those of the first page say how columns are laid out.
func (p *page) add(row []any) {
	cells := make(table.Row, len(row))
	for i, v := range row {
		s := cell(Rounded(v), p.whole)
		cells[i] = s
		if p.header != nil {
			p.numeric[i] = p.numeric[i] && isNumber(v)
			p.widths[i] = max(p.widths[i], text.StringWidthWithoutEscSequences(s))
		}
	}
	p.rows, p.filled = append(p.rows, cells), true
}

// flush writes the rows, and the header above the first of them.
func (p *page) flush(w io.Writer) error {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.Options{SeparateHeader: true}
	t.Style().Format.Header = text.FormatDefault
	t.Style().Box.PaddingLeft = ""
	t.Style().Box.PaddingRight = "  "
	configs := make([]table.ColumnConfig, len(p.numeric))
	for i, numeric := range p.numeric {
		configs[i].Number = i + 1
		if numeric && p.filled {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
		if p.header == nil {
			configs[i].WidthMin = p.widths[i]
		}
	}
	t.SetColumnConfigs(configs)
	if p.header != nil {
		t.AppendHeader(p.header)
	}
	t.AppendRows(p.rows)
	p.header, p.rows = nil, p.rows[:0]
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

// cell shortens a text for a terminal. Markdown is laid out by what shows it.
func cell(text string, whole bool) string {
	if whole {
		return text
	}
	return Short(text, longestCell)
}

func isNumber(v any) bool {
	switch v.(type) {
	case nil, int, int32, int64, uint64, float64:
		return true
	}
	return false
}
