// Package render writes tables and errors for people and for programs.
package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// Formats are the values of --output.
var Formats = []string{"table", "json", "jsonl", "csv", "markdown"}

// FormatVersion is the version of the shape of JSON output.
const FormatVersion = 1

// A Table is a named table of plain values: nil, bool, integers, float64, string,
// time.Time or json.Number, which is shown as it is.
type Table struct {
	Name    string
	Columns []string
	Rows    [][]any
	Prose   bool // cells are sentences of ours, and never shortened

	Least []string // columns that are left out first where a terminal has no room for all

	More string // how to see columns that a terminal has no room for; "": -o csv

	// Each hands over rows one after the other, in place of Rows, where there may
	// be too many to have all at once. A row is valid during the call only. An
	// error of use ends it.
	Each func(use func(row []any) error) error
}

// EachRow hands over the rows, wherever they are.
func (t Table) EachRow(use func(row []any) error) error {
	if t.Each != nil {
		return t.Each(use)
	}
	for _, row := range t.Rows {
		if err := use(row); err != nil {
			return err
		}
	}
	return nil
}

// Write writes tables in one of the Formats. Several tables are, in JSON, the
// fields of one object; in the other formats they follow one another. Rows are
// written as they come.
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

func writeCSV(w io.Writer, t Table) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	record := make([]string, len(t.Columns))
	err := t.EachRow(func(row []any) error {
		for i, v := range row {
			record[i] = Exact(v)
		}
		return c.Write(record)
	})
	if err != nil {
		return err
	}
	c.Flush()
	return c.Error()
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

// Rounded writes a value for people: numbers with five digits, as Number does, and
// text that is safe to show.
func Rounded(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "–"
		}
		return Number(v, 5)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return Safe(Exact(v))
}

// Number writes a number for people, with some significant digits. Those before the
// decimal point are never rounded, below 10^15: 100000000.25 is 100000000.
func Number(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if a := math.Abs(v); a > 1 && a < 1e15 && strings.Contains(text, "e+") {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return text
}
