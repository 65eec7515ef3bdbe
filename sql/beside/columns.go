package beside

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// ReadColumns reads columns of the relation of t beside its features, for sets of labels: one entry
// for each row of t. A column has numbers if all of its values are finite numbers, or true and
// false, and values as text if they are wanted. The name of a feature of triples, or the key of a map, is a column as
// well: 0 in rows that do not have it. The names are those that are asked for, whatever their
// case in the relation. A column whose numbers are added up may have none that is infinite, NaN or NULL.
func (db *DB) ReadColumns(ctx context.Context, relation string, wanted []input.Beside, t *input.Table) ([]framework.LabelColumn, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	from, err := db.withCells(ctx, r, wanted, t)
	if err != nil {
		return nil, err
	}
	list, readers, err := columnList(from, wanted, t)
	if err != nil {
		return nil, err
	}
	rows := duck.NewIndex(duck.KeysOf(t.Keys))
	err = db.Stream(ctx, "SELECT "+list+" FROM "+from.From, func(c duck.Chunk) error {
		keys, one := c.Column(0), duck.KeysOf(t.Keys).Empty()
		for i := range c.Rows {
			if keys.Null(i) {
				continue
			}
			one.Clear()
			one.Add(keys, i)
			row := rows.Find(one, 0)
			if row < 0 {
				continue
			}
			for l, reader := range readers {
				if reader.Finite && !reader.seen[row] && c.Column(1+2*l).Null(i) {
					reader.nulls.Add("%s = %s", t.KeyName, one.Text(0))
				}
				if reader.infinite(c.Column(1+2*l), c.Column(2+2*l), i) {
					reader.endless.Add("%s = %s: %s", t.KeyName, one.Text(0), c.Column(1+2*l).Text(i))
				}
				if !reader.take(row, c.Column(1+2*l), c.Column(2+2*l), i) {
					reader.several.Add("%s = %s", t.KeyName, one.Text(0))
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, source.RelationFault(source.ReadFault(err, r, 0), r.Label, constraintsPlace)
	}
	return readColumns(readers)
}

// readColumns returns the columns that have been read, or what is wrong with their values.
func readColumns(readers []*columnReader) ([]framework.LabelColumn, error) {
	all := make([]framework.LabelColumn, len(readers))
	for l, reader := range readers {
		if n := reader.several.Count; n > 0 {
			return nil, framework.Faultf(framework.Data, "values-differ", "column %q differs among the triples of a row", reader.Name).
				At("constraints").WithHint("all triples of a key must have one value: that of the row").WithDetails(reader.several.Details())
		}
		if n := reader.endless.Count; n > 0 && reader.Finite && !reader.text {
			return nil, framework.Faultf(framework.Data, "not-finite", "column %q has an infinite number or NaN, which cannot be added up, in %s",
				reader.Name, input.Plural(n, "row")).At("constraints").WithDetails(reader.endless.Details()).
				WithHint("say what such a row counts, with CASE WHEN isfinite(%[1]s) THEN %[1]s ELSE ... END", schema.Quote(reader.Name))
		}
		if n := reader.nulls.Count; n > 0 && reader.numbers != nil && !reader.text {
			return nil, framework.Faultf(framework.Data, "bad-constraints",
				"the constraints cannot be used: a capacity adds up the column %q, which is NULL in %s", reader.Name, input.Plural(n, "row")).
				At("constraints").WithDetails(reader.nulls.Details()).
				WithHint("say what such a row counts, with coalesce(%s, 0)", schema.Quote(reader.Name))
		}
		all[l] = reader.column()
	}
	return all, nil
}

// columnList is what is selected: the key, and of each column its text and its number.
func columnList(r *source.Relation, wanted []input.Beside, t *input.Table) (list string, readers []*columnReader, err error) {
	list = "row_number() OVER ()"
	if t.KeyName != input.RowNumber {
		list = schema.Quote(t.KeyName)
	}
	for _, want := range wanted {
		if strings.TrimSpace(want.Name) == "" && !r.Has(want.Name) {
			return "", nil, framework.Faultf(framework.Data, "bad-constraints", "the feature of a limit of clusters is an empty text").
				At("constraints").WithHint("let it be the name of a column of the relation")
		}
		c, err := r.Column(want.Name, constraintsPlace)
		if f := framework.AsFault(err); f != nil && (t.Long != nil || t.Map != "") {
			return "", nil, framework.Faultf(f.Class, f.Code, "%s has no column and no feature %q", r.Label, want.Name).At("constraints").
				WithHint("%s", f.Hint).WithSimilar(cmp.Or(f.Similar, framework.Closest(want.Name, t.Features)))
		}
		if err != nil {
			return "", nil, err
		}
		readers = append(readers, newColumnReader(want, t.Keys.Len()))
		text := "CAST(" + schema.Quote(c.Name) + " AS VARCHAR)"
		number := "TRY_CAST(" + text + " AS DOUBLE)"
		if c.Type == "BOOLEAN" {
			number = "CAST(CAST(" + schema.Quote(c.Name) + " AS INTEGER) AS DOUBLE)"
		}
		list += ", " + text + ", " + number
	}
	return list, readers, nil
}

// A columnReader takes the values of one column.
type columnReader struct {
	input.Beside
	numbers []float64        // nil: some value is no number
	codes   []int32          // in the order in which values were met; −1: NULL
	met     map[string]int32 // value → code
	seen    []bool           // rows
	several input.Tally      // rows with several values
	endless input.Tally      // entries that are infinite or NaN
	nulls   input.Tally      // rows that are NULL, of numbers that are added up
	text    bool             // some value is no number, not even infinite
}

func newColumnReader(b input.Beside, rows int) *columnReader {
	c := &columnReader{Beside: b, numbers: make([]float64, rows), seen: make([]bool, rows), met: map[string]int32{}}
	for i := range c.numbers {
		c.numbers[i] = math.NaN()
	}
	if b.Values {
		c.codes = slices.Repeat([]int32{-1}, rows)
	}
	return c
}

// infinite reports whether entry i is an infinite number or NaN, and notes one that is none.
func (c *columnReader) infinite(texts, numbers duck.Vector, i int) bool {
	if texts.Null(i) {
		return false
	}
	if numbers.Null(i) {
		c.text = true
		return false
	}
	v := duck.View[float64](numbers, i+1)[i]
	return math.IsNaN(v) || math.IsInf(v, 0)
}

// take takes entry i for a row. It returns false if the row has another value already.
func (c *columnReader) take(row int, texts, numbers duck.Vector, i int) bool {
	null, number := texts.Null(i), math.NaN()
	if !null && !numbers.Null(i) {
		number = duck.View[float64](numbers, i+1)[i]
	}
	if !null && (math.IsNaN(number) || math.IsInf(number, 0)) {
		c.numbers = nil
	}
	code := int32(-1)
	if c.Values && !null {
		known, ok := c.met[string(texts.Text(i))]
		if code = known; !ok {
			code = int32(len(c.met))
			c.met[string(texts.Text(i))] = code
		}
	}
	again := c.seen[row]
	c.seen[row] = true
	same := true
	if c.numbers != nil {
		same = !again || math.Float64bits(c.numbers[row]) == math.Float64bits(number) || number != number && c.numbers[row] != c.numbers[row]
		c.numbers[row] = number
	}
	if c.Values {
		same = same && (!again || c.codes[row] == code)
		c.codes[row] = code
	}
	return same
}

// column returns the column, with its values in the order of their text.
func (c *columnReader) column() framework.LabelColumn {
	out := framework.LabelColumn{Name: c.Name, Numbers: c.numbers}
	if !c.Values {
		return out
	}
	out.Values = slices.Sorted(maps.Keys(c.met))
	place := make([]int32, len(out.Values))
	for at, text := range out.Values {
		place[c.met[text]] = int32(at)
	}
	out.Codes = c.codes
	for i, code := range c.codes {
		if code >= 0 {
			out.Codes[i] = place[code]
		}
	}
	return out
}
