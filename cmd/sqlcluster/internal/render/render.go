// Package render writes tables and errors for people and for programs.
package render

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Formats are the values of --output.
var Formats = []string{"table", "json", "jsonl", "csv", "markdown"}

// FormatVersion is the version of the shape of JSON output.
const FormatVersion = 1

// A Table is a named table of plain values: nil, bool, integers, float64,
// string or time.Time.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
	Prose   bool // cells are sentences of ours, and never shortened
}

// Write writes tables in one of the Formats. Several tables are, in JSON, the
// fields of one object; in the other formats they follow one another.
func Write(w io.Writer, format string, tables ...Table) error {
	switch format {
	case "json":
		return writeJSON(w, tables)
	case "jsonl":
		return each(tables, func(t Table) error { return writeLines(w, t) })
	case "csv":
		return each(tables, func(t Table) error { return writeCSV(w, t) })
	case "markdown":
		return each(tables, func(t Table) error { return writePretty(w, t, true) })
	default:
		return each(tables, func(t Table) error { return writePretty(w, t, false) })
	}
}

func each(tables []Table, write func(Table) error) error {
	for _, t := range tables {
		if err := write(t); err != nil {
			return err
		}
	}
	return nil
}

// object is a row as a JSON object.
func (t Table) object(row []any) (json.RawMessage, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, c := range t.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		v := row[i]
		if f, ok := v.(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = nil
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return json.RawMessage(b.String()), nil
}

func writeJSON(w io.Writer, tables []Table) error {
	out := map[string]any{"format_version": FormatVersion}
	for _, t := range tables {
		rows := make([]json.RawMessage, len(t.Rows))
		for i, row := range t.Rows {
			object, err := t.object(row)
			if err != nil {
				return err
			}
			rows[i] = object
		}
		out[t.Name] = rows
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func writeLines(w io.Writer, t Table) error {
	for _, row := range t.Rows {
		object, err := t.object(row)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", object); err != nil {
			return err
		}
	}
	return nil
}

func writeCSV(w io.Writer, t Table) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	for _, row := range t.Rows {
		record := make([]string, len(row))
		for i, v := range row {
			record[i] = Exact(v)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func writePretty(w io.Writer, t Table, markdown bool) error {
	p := table.NewWriter()
	p.SetStyle(table.StyleLight)
	p.Style().Options = table.Options{SeparateHeader: true}
	p.Style().Format.Header = text.FormatDefault
	p.Style().Box.PaddingLeft = ""
	p.Style().Box.PaddingRight = "  "
	header := table.Row{}
	var configs []table.ColumnConfig
	for i, c := range t.Columns {
		header = append(header, cell(Safe(c), markdown || t.Prose))
		if len(t.Rows) > 0 && isNumber(t.Rows, i) {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	p.SetColumnConfigs(configs)
	p.AppendHeader(header)
	for _, row := range t.Rows {
		cells := table.Row{}
		for _, v := range row {
			cells = append(cells, cell(Rounded(v), markdown || t.Prose))
		}
		p.AppendRow(cells)
	}
	out := p.Render()
	if markdown {
		out = p.RenderMarkdown()
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

func isNumber(rows [][]any, column int) bool {
	for _, row := range rows {
		switch row[column].(type) {
		case nil, int, int32, int64, uint64, float64:
		default:
			return false
		}
	}
	return true
}

// Exact writes a value so that it can be read back without loss. What is no
// number is empty.
func Exact(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "" // what has no value
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

// Rounded writes a value for people: numbers with about five digits, and text
// that is safe to show.
func Rounded(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "–"
		}
		if a := math.Abs(v); a >= 1e5 && a < 1e15 {
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', 5, 64)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return Safe(Exact(v))
}
