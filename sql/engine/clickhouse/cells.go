package clickhouse

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An answer that is none, for one of these reasons.
var (
	errCut  = errors.New("the answer of the server is cut off")
	errText = errors.New("the answer of the server cannot be read")

	errStrange = errors.New("there is no version in its answer")
)

// exception is how the server tells of an error behind rows that it has sent.
var exception = regexp.MustCompile(`^Code: \d+.*DB::Exception`)

// A reader reads an answer in the format TabSeparatedWithNamesAndTypes.
type reader struct {
	lines *bufio.Reader
	types []valueType
}

// readAnswer reads a whole answer. The reader must fail where the transfer was cut.
func readAnswer(body io.Reader) ([][]any, error) {
	var rows [][]any
	err := eachRow(body, func(row []any) error {
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// eachRow reads an answer, and hands its rows over.
func eachRow(body io.Reader, use func(row []any) error) error {
	r := &reader{lines: bufio.NewReaderSize(body, 1<<16)}
	names, err := r.line()
	if err != nil {
		return err
	}
	types, err := r.line()
	if err != nil {
		return err
	}
	if names == nil || types == nil {
		return fmt.Errorf("%w: no names and types", errCut)
	}
	for _, t := range types {
		r.types = append(r.types, parseType(unescape(t)))
	}
	if len(names) != len(types) {
		return fmt.Errorf("%w: %d names of %d columns", errText, len(names), len(types))
	}
	for {
		row, err := r.row()
		if row == nil || err != nil {
			return err
		}
		if err := use(row); err != nil {
			return err
		}
	}
}

// line returns the cells of the next line as they are written; nil: there is none.
func (r *reader) line() ([]string, error) {
	text, err := r.lines.ReadString('\n')
	switch {
	case err == io.EOF && text == "":
		return nil, nil
	case err == io.EOF:
		return nil, errCut
	case err != nil:
		return nil, err
	case exception.MatchString(text):
		return nil, &refusal{status: 200, text: strings.TrimSpace(text)}
	}
	return strings.Split(text[:len(text)-1], "\t"), nil
}

// row returns the next row; nil: there is none.
func (r *reader) row() ([]any, error) {
	cells, err := r.line()
	if cells == nil || err != nil {
		return nil, err
	}
	if len(cells) != len(r.types) {
		return nil, fmt.Errorf("%w: a row of %d cells in %d columns", errText, len(cells), len(r.types))
	}
	row := make([]any, len(cells))
	for l, cell := range cells {
		if row[l], err = r.types[l].cell(cell); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// cell returns a value that is written so.
func (t valueType) cell(text string) (any, error) {
	if text == `\N` {
		return nil, nil
	}
	isFloat, isInteger := slices.Contains(floats, t.name), slices.Contains(integers, t.name)
	switch {
	case t.array && (isFloat || t.name == "Nothing"):
		return list(text, t.float)
	case t.array && isInteger:
		return list(text, integer)
	case t.array:
		return nil, fmt.Errorf("%w: a list of %s", errText, t.name)
	case isFloat:
		return t.float(text)
	case isInteger:
		return integer(text)
	case t.name == "Bool":
		return strconv.ParseBool(text)
	}
	return unescape(text), nil
}

// float returns the number that a text stands for: the nearest of its type, which is
// exact for the text that the server writes.
func (t valueType) float(text string) (float64, error) {
	if text == "NULL" { // in a list
		return math.NaN(), nil
	}
	bits := 64
	if t.name != "Float64" {
		bits = 32
	}
	v, err := strconv.ParseFloat(text, bits)
	if err != nil {
		return 0, fmt.Errorf("%w: a number that cannot be read", errText)
	}
	return v, nil
}

func integer(text string) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: a whole number beyond 64 bits, or none", errText)
	}
	return v, nil
}

// list returns the values of a list of numbers: [1.5,nan].
func list[T any](text string, parse func(string) (T, error)) ([]T, error) {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return nil, fmt.Errorf("%w: a list without brackets", errText)
	}
	values := []T{}
	if inner == "" {
		return values, nil
	}
	for v := range strings.SplitSeq(inner, ",") {
		parsed, err := parse(v)
		if err != nil {
			return nil, err
		}
		values = append(values, parsed)
	}
	return values, nil
}

// escapes are the letters behind a backslash that do not stand for themselves.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'r': '\r', 'n': '\n', 't': '\t', '0': 0, 'a': '\a', 'v': '\v'}

// unescape returns the text that a cell is.
func unescape(cell string) string {
	if !strings.Contains(cell, `\`) {
		return cell
	}
	text := make([]byte, 0, len(cell))
	for i := 0; i < len(cell); i++ {
		c := cell[i]
		if c == '\\' && i+1 < len(cell) {
			i++
			c = cell[i]
			if stands, ok := escapes[c]; ok {
				c = stands
			}
		}
		text = append(text, c)
	}
	return string(text)
}
