package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A ReadSpec says what to read of a relation.
type ReadSpec struct {
	Relation string
	ID       string   // key column; "": the row number
	Features []string // names and globs; none: all numeric columns
	Exclude  []string
	Want     []string // exactly these features in this order, for predict
	Weight   string   // column of row weights; "": none
	Nulls    string   // NULL cells: "keep", "error" or "drop" (the rows)
	Order    string   // "key" or "input"
	Storage  matrix.Storage
	Progress func(rows int)
}

// A Table is a relation that was read: its values in original units, NaN where
// a cell is NULL.
type Table struct {
	Keys     *Keys
	Features []string
	Builder  *matrix.Builder
	Dropped  *Keys // keys of rows that were left out because of NULLs
	Excluded []Excluded
	Warnings []string
	Source   string // the relation as it was given
}

// rowNumber is the name of the key where no column is one.
const rowNumber = "row_id"

// Read streams a relation into a matrix. Its rows are in ascending key order
// (text by bytes) unless spec.Order is "input". Errors are Faults.
func (db *DB) Read(ctx context.Context, spec ReadSpec) (*Table, error) {
	r, err := db.resolve(ctx, spec.Relation)
	if err != nil {
		return nil, err
	}
	columns, err := db.describe(ctx, r)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: spec.Relation, Keys: &Keys{Name: rowNumber, Type: "BIGINT"}}
	if spec.ID == "" {
		if !r.stable {
			t.Warnings = append(t.Warnings, "rows are numbered as they come, which can change from one reading to the next; give a key with --id")
		}
	} else if err := t.setKey(r, columns, spec); err != nil {
		return nil, err
	}
	if spec.Weight != "" {
		c, ok := find(columns, spec.Weight)
		if !ok {
			return nil, notFound(r, columns, spec.Weight, "--weight")
		}
		if c.nature() != numeric {
			return nil, framework.Faultf(framework.Data, "bad-weight", "the weight column %q is of type %s; it must be a number", c.name, c.kind).WithWhere("--weight")
		}
	}
	features, excluded, err := db.features(ctx, r, columns, spec)
	if err != nil {
		return nil, err
	}
	t.Excluded = excluded
	for _, f := range features {
		t.Features = append(t.Features, f.name)
	}
	if t.Builder, err = matrix.NewBuilder(len(features), matrix.Options{RowsHint: db.countRows(ctx, r), Storage: spec.Storage}); err != nil {
		return nil, err
	}
	l := &loader{table: t, spec: spec, dropped: &Keys{Name: t.Keys.Name, Type: t.Keys.Type}, nulls: make([]int, len(features))}
	if err = db.stream(ctx, l.query(r, features), l.add); err == nil {
		err = l.finish()
	}
	if err != nil {
		_ = t.Builder.Discard()
		return nil, err
	}
	return t, nil
}

// setKey looks the key column up.
func (t *Table) setKey(r relation, columns []column, spec ReadSpec) error {
	c, ok := find(columns, spec.ID)
	if !ok {
		return notFound(r, columns, spec.ID, "--id")
	}
	if slices.Contains(schema.ReservedKeyNames, strings.ToLower(c.name)) {
		return framework.Faultf(framework.Data, "key-name", "the row key is called %q, like a column of the results", c.name).
			WithWhere("--id").WithHint("rename it in a query: SELECT %s AS id, ...", schema.Quote(c.name))
	}
	if n := c.nature(); n == array || n == other && c.kind != "UUID" && c.kind != "BLOB" {
		return framework.Faultf(framework.Data, "key-type", "the row key %q is of type %s, which cannot be a key", c.name, c.kind).WithWhere("--id")
	}
	t.Keys.Name, t.Keys.Type = c.name, c.kind
	return nil
}

// countRows returns the number of rows of a table, which DuckDB knows; 0 for
// anything else, which would have to be computed.
func (db *DB) countRows(ctx context.Context, r relation) int {
	var n int
	if !r.table || db.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+r.from).Scan(&n) != nil {
		return 0
	}
	return n
}

// loader takes the chunks of a streamed relation.
type loader struct {
	table   *Table
	spec    ReadSpec
	dropped *Keys
	rows    int // seen
	nulls   []int
	weights []float64
	bad     []string // cells that are NaN or infinite
	badRows int
	nullKey int // rows without a key
}

// query selects key, weight and features, in this order.
func (l *loader) query(r relation, features []feature) string {
	parts := []string{}
	if l.spec.ID != "" {
		parts = append(parts, fmt.Sprintf("CAST(r.%s AS %s)", schema.Quote(l.table.Keys.Name), l.table.Keys.stagingType()))
	}
	if l.spec.Weight != "" {
		parts = append(parts, fmt.Sprintf("CAST(r.%s AS DOUBLE)", schema.Quote(l.spec.Weight)))
	}
	for _, f := range features {
		parts = append(parts, f.sql)
	}
	return "SELECT " + strings.Join(parts, ", ") + " FROM " + r.from + " AS r"
}

// add transposes a chunk into the matrix.
func (l *loader) add(c chunk) error {
	first := l.table.Builder.Rows()
	cells, err := l.table.Builder.Extend(c.rows)
	if err != nil {
		return err
	}
	column := l.addKeys(c)
	if l.spec.Weight != "" {
		if err := l.addWeights(c, column); err != nil {
			return err
		}
		column++
	}
	drop := l.transpose(c, cells, column, first)
	l.rows += c.rows
	if drop != nil {
		l.drop(first, drop)
	}
	if l.spec.Progress != nil {
		l.spec.Progress(l.rows)
	}
	return nil
}

// addKeys appends the chunk's keys and returns the number of its next column.
func (l *loader) addKeys(c chunk) int {
	k := l.table.Keys
	if l.spec.ID == "" {
		for i := range c.rows {
			k.integers = append(k.integers, int64(l.rows+i+1))
		}
		return 0
	}
	var mask unsafe.Pointer
	if isInteger(k.Type) {
		var values []int64
		values, mask = c.integers(0)
		k.integers = append(k.integers, values...)
	} else {
		k.texts, mask = c.texts(k.texts, 0)
	}
	for i := range c.rows {
		if isNull(mask, i) {
			l.nullKey++
		}
	}
	return 1
}

func (l *loader) addWeights(c chunk, column int) error {
	values, mask := c.doubles(column)
	from := l.table.Keys.Len() - c.rows
	for i, w := range values {
		null := isNull(mask, i)
		if null || !(w >= 0) || math.IsInf(w, 1) {
			text := fmt.Sprint(w)
			if null {
				text = "NULL"
			}
			return framework.Faultf(framework.Data, "bad-weight", "the weight of row %s = %s is %s; it must be a number that is not negative",
				l.table.Keys.Name, l.table.Keys.Text(from+i), text).WithWhere("--weight %s", l.spec.Weight)
		}
	}
	l.weights = append(l.weights, values...)
	return nil
}

// tileRows is how many rows are transposed at a time: the tile stays in the
// processor's cache.
const tileRows = 64

// transpose writes the chunk's features to cells, row-major. It returns which
// rows are to be dropped, or nil.
func (l *loader) transpose(c chunk, cells []float64, column, first int) []bool {
	p := len(l.nulls)
	var drop []bool
	columns, masks := make([][]float64, p), make([]unsafe.Pointer, p)
	for j := range p {
		columns[j], masks[j] = c.doubles(column + j)
	}
	for from := 0; from < c.rows; from += tileRows {
		to := min(from+tileRows, c.rows)
		for j, values := range columns {
			finite := true
			for i := from; i < to; i++ {
				v := values[i]
				cells[i*p+j] = v
				finite = finite && v-v == 0
			}
			if masks[j] == nil && finite {
				continue
			}
			for i := from; i < to; i++ {
				switch {
				case isNull(masks[j], i):
					cells[i*p+j] = math.NaN()
					l.nulls[j]++
					if l.spec.Nulls == "drop" {
						if drop == nil {
							drop = make([]bool, c.rows)
						}
						drop[i] = true
					}
				case values[i]-values[i] != 0:
					l.badCell(first+i, j, values[i])
				}
			}
		}
	}
	return drop
}

func (l *loader) badCell(row, j int, v float64) {
	l.badRows++
	if len(l.bad) < 10 {
		l.bad = append(l.bad, fmt.Sprintf("%s = %s, column %s: %g", l.table.Keys.Name, l.table.Keys.Text(row), l.table.Features[j], v))
	}
}

// drop removes rows of the last chunk from matrix, keys and weights.
func (l *loader) drop(first int, drop []bool) {
	k, v := l.table.Keys, l.table.Builder.Values()
	to := first
	for i, gone := range drop {
		from := first + i
		if gone {
			if k.texts != nil {
				l.dropped.texts = append(l.dropped.texts, k.texts[from])
			} else {
				l.dropped.integers = append(l.dropped.integers, k.integers[from])
			}
			continue
		}
		copy(v.Row(to), v.Row(from))
		if k.texts != nil {
			k.texts[to] = k.texts[from]
		} else {
			k.integers[to] = k.integers[from]
		}
		if l.weights != nil {
			l.weights[to] = l.weights[from]
		}
		to++
	}
	l.table.Builder.Truncate(to)
	if k.texts != nil {
		k.texts = k.texts[:to]
	} else {
		k.integers = k.integers[:to]
	}
	if l.weights != nil {
		l.weights = l.weights[:to]
	}
}

// finish checks what only the whole relation tells, and orders the rows.
func (l *loader) finish() error {
	t := l.table
	switch {
	case l.rows == 0:
		return framework.Faultf(framework.Data, "empty-relation", "%s has no rows", short(l.spec.Relation))
	case l.nullKey > 0:
		return framework.Faultf(framework.Data, "null-key", "the row key %q is NULL in %d of %d rows", t.Keys.Name, l.nullKey, l.rows).
			WithWhere("--id").WithHint("select the rows that have one: SELECT * FROM ... WHERE %s IS NOT NULL", schema.Quote(t.Keys.Name))
	case l.badRows > 0:
		f := framework.Faultf(framework.Data, "not-finite", "%d cells are NaN or infinite", l.badRows).
			WithHint("turn them into NULL in a query, or leave the columns out with --exclude")
		f.Details = l.bad
		return f
	case l.spec.Nulls == "error" && slices.Max(l.nulls) > 0:
		return l.nullFault()
	}
	t.Keys.prepare()
	order := t.Keys.order()
	if l.spec.ID != "" {
		if err := t.Keys.checkUnique(order); err != nil {
			return err
		}
	}
	if err := t.Builder.SetWeights(l.weights); err != nil {
		return err
	}
	if t.Dropped = l.dropped; t.Dropped.Len() == l.rows {
		return framework.Faultf(framework.Data, "empty-relation", "every row of %s has a NULL, so that --nulls drop leaves none", short(l.spec.Relation)).
			WithHint("leave out the columns with many NULLs with --exclude")
	}
	if order == nil || l.spec.Order == "input" {
		return nil
	}
	t.Keys.permute(order)
	return t.Builder.Permute(order)
}

func (l *loader) nullFault() error {
	f := framework.Faultf(framework.Data, "missing-values", "the data have missing cells (NULL), which are refused").
		WithWhere("--nulls").WithHint("use --nulls drop to leave out the rows that have them, or --exclude for the columns")
	more := 0
	for j, n := range l.nulls {
		switch {
		case n > 0 && len(f.Details) < 10:
			f.Details = append(f.Details, fmt.Sprintf("column %s: %d of %d rows", l.table.Features[j], n, l.rows))
		case n > 0:
			more++
		}
	}
	if more > 0 {
		f.Details = append(f.Details, fmt.Sprintf("and %d more columns", more))
	}
	return f
}
