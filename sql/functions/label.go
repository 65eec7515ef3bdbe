package functions

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// labelled labels the rows of a batch, of a chunk of n rows.
func (f *Functions) labelled(b *batch, fields []duck.Named, n int) (*fit.Prediction, error) {
	maps, err := b.model.mapsOf(fields)
	if err != nil {
		return nil, err
	}
	if maps == "" && b.model.labeller != nil {
		if x, absent, ok := b.model.cells(fields, n); ok {
			if len(b.rows) < n {
				for to, from := range b.rows {
					copy(x.Row(to), x.Row(from))
				}
				x = x.Slice(0, len(b.rows))
			}
			p, err := b.model.labeller.Label(f.running().ctx, x, absent)
			rooms.Put(&x.Data)
			if !errors.Is(err, model.ErrUnusual) {
				return p, err
			}
		}
	}
	var columns []duck.Vector
	var list []string
	for i, field := range fields {
		columns = append(columns, field.Vector)
		list = append(list, fmt.Sprintf("c%d AS %s", i, schema.Quote(field.Name)))
	}
	h := duck.NewHeap(columns)
	defer h.Drop()
	numbers := make([]int64, n)
	for i := range numbers {
		numbers[i] = -1
	}
	for to, from := range b.rows {
		numbers[from] = int64(to)
	}
	if err := h.Add(numbers, columns); err != nil {
		return nil, err
	}
	// hints do not repeat a query of two lines
	relation := "SELECT " + strings.Join(list, ", ") + "\nFROM " + h.Relation() + " WHERE g >= 0"
	p, err := b.model.PredictNumbered(f.running().ctx, f.reading, relation, maps, len(b.rows), b.unseen)
	return p, unnumbered(err)
}

// mapsOf returns the column of maps whose keys are features, in rows without a column that
// is one; "": the columns are features.
func (m *parsed) mapsOf(fields []duck.Named) (string, error) {
	var maps []string
	triples := false
	for _, field := range fields {
		switch t := field.Type(); {
		case source.IsMap(t):
			maps = append(maps, field.Name)
		case t == "VARCHAR":
			triples = true
		}
	}
	if len(maps) != 1 && !triples {
		return "", m.cannot
	}
	names := make(map[string]bool, len(fields))
	for _, field := range fields {
		names[strings.ToLower(field.Name)] = true
	}
	needed := m.Want(input.Spec{}).Want
	switch {
	case slices.ContainsFunc(needed, func(column string) bool { return names[strings.ToLower(column)] }):
		return "", m.cannot
	case len(maps) == 1:
		return maps[0], nil
	case m.cannot != nil:
		return "", m.cannot
	}
	return "", framework.Faultf(framework.Data, "column-not-found", "the rows have none of the %s that the model needs",
		input.Counted(len(needed), "column", "columns")).
		WithHint("make a map of the triples of each row: SELECT cluster_predict(m.model, r) FROM (SELECT doc, " +
			"map_from_entries(coalesce(list((term, n)) FILTER (term IS NOT NULL), [])) AS cells FROM triples GROUP BY doc) r, m")
}

var rowNumber = pattern.New(`^row \d+(, )?`)

// unnumbered takes the numbers of rows from a fault: they count those of a chunk.
func unnumbered(err error) error {
	f := framework.AsFault(err)
	if f == nil {
		return err
	}
	g := *f
	g.Details = nil
	for _, d := range f.Details {
		if d = rowNumber().ReplaceAllString(d, ""); d != "" {
			g.Details = append(g.Details, d)
		}
	}
	return &g
}

// rooms are for the cells of a chunk.
var rooms sync.Pool

// matrixOf returns a matrix with anything in it; it goes back to the rooms.
func matrixOf(rows, cols int) framework.Matrix {
	room, _ := rooms.Get().(*[]float64)
	if room == nil || cap(*room) < rows*cols {
		room = new(make([]float64, rows*cols))
	}
	return framework.Matrix{Rows: rows, Cols: cols, Data: (*room)[:rows*cols]}
}

// cells are the rows of a chunk for the labeller; ok is false where it is not plain
// what they are, or where a column is missing that the model needs.
func (m *parsed) cells(fields []duck.Named, n int) (x framework.Matrix, absent []bool, ok bool) {
	places := make(map[string]int, len(fields))
	for i, field := range fields {
		places[strings.ToLower(field.Name)] = i
	}
	x = matrixOf(n, m.labeller.Cells)
	for _, c := range m.labeller.Columns {
		at, there := places[strings.ToLower(c.Name)]
		switch {
		case there && c.Categories == nil:
			ok = fields[at].Numbers(x.Data[c.Place:], x.Cols, n)
		case there:
			ok = categories(x, c, fields[at].Vector)
		case c.Categories == nil && c.Optional:
			if absent == nil {
				absent = make([]bool, x.Cols)
			}
			absent[c.Place], ok = true, true
			for i := range n {
				x.Data[i*x.Cols+c.Place] = math.NaN()
			}
		default:
			ok = false
		}
		if !ok {
			rooms.Put(&x.Data)
			return x, nil, false
		}
	}
	return x, absent, true
}

// categories writes the cells of a column of categories; it returns false for one that
// the model does not know, and for types that DuckDB has to make text of.
func categories(x framework.Matrix, c model.LabelColumn, v duck.Vector) bool {
	word := v.Words()
	if word == nil {
		return false
	}
	for i := range x.Rows {
		cells, one := x.Row(i)[c.Place:c.Place+c.Width], c.Null
		if !v.Null(i) {
			known := false
			if one, known = c.Categories[word(i)]; !known {
				return false
			}
		}
		rest := 0.0
		if one < 0 {
			rest = math.NaN()
		}
		for l := range cells {
			cells[l] = rest
		}
		if one >= 0 {
			cells[one-c.Place] = 1
		}
	}
	return true
}
