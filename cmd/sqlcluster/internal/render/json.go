package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// version is the name of the field beside the tables of an object.
const version = "format_version"

// writeJSON writes one object, its fields in the order of their names.
func writeJSON(w io.Writer, tables []Table) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fields := append(slices.Clone(tables), Table{Name: version})
	slices.SortStableFunc(fields, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	_, _ = out.WriteString("{") // an error stays, and is that of Flush
	for i, t := range fields {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = fmt.Fprintf(out, "\n  %q: ", t.Name)
		if t.Name == version {
			_, _ = fmt.Fprint(out, FormatVersion)
			continue
		}
		if err := writeArray(out, t); err != nil {
			return err
		}
	}
	_, _ = out.WriteString("\n}\n")
	return out.Flush()
}

// writeArray writes the rows of a table as objects.
func writeArray(out *bufio.Writer, t Table) error {
	rows := 0
	_ = out.WriteByte('[')
	var indented bytes.Buffer
	err := t.objects(func(object []byte) error {
		if rows > 0 {
			_ = out.WriteByte(',')
		}
		rows++
		indented.Reset()
		if err := json.Indent(&indented, object, "    ", "  "); err != nil {
			return err
		}
		_, _ = out.WriteString("\n    ")
		_, err := out.Write(indented.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	if rows > 0 {
		_, _ = out.WriteString("\n  ")
	}
	return out.WriteByte(']')
}

// writeLines writes an object a line.
func writeLines(w io.Writer, t Table) error {
	out := bufio.NewWriterSize(w, 1<<16)
	err := t.objects(func(object []byte) error {
		_, _ = out.Write(object)
		return out.WriteByte('\n')
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// objects hands over each row as a JSON object, which is valid during the call
// only.
func (t Table) objects(use func(object []byte) error) error {
	names := make([][]byte, len(t.Columns))
	for i, c := range t.Columns {
		name, err := json.Marshal(c)
		if err != nil {
			return err
		}
		names[i] = append(name, ':')
	}
	var object []byte
	return t.EachRow(func(row []any) error {
		object = append(object[:0], '{')
		for i, name := range names {
			if i > 0 {
				object = append(object, ',')
			}
			object = append(object, name...)
			var err error
			if object, err = appendValue(object, row[i]); err != nil {
				return err
			}
		}
		object = append(object, '}')
		return use(object)
	})
}

// appendValue writes a value as JSON; what is not a number is null.
func appendValue(to []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(to, "null"...), nil
	case int:
		return strconv.AppendInt(to, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(to, v, 10), nil
	case json.Number: // of DuckDB
		if text := string(v); strings.HasSuffix(text, "inf") || text == "nan" {
			return append(to, "null"...), nil
		}
		return append(to, v...), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(to, "null"...), nil
		}
	}
	text, err := json.Marshal(v)
	return append(to, text...), err
}
