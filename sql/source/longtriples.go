package source

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// triples is the query of the triples. Those of a key are next to each other, and so are
// those of a feature among them. Where they are added up, they come in one order.
func (in *long) triples() string {
	key := schema.Quote(in.key.Name)
	order, weight, from := "k", "0.0", "0::BIGINT"
	if in.maps {
		from = mapRow
	}
	if in.key.Type == "VARCHAR" {
		order = "encode(k)"
	}
	if in.selection.weight != nil {
		weight = "CAST(" + schema.Quote(in.selection.weight.Name) + " AS DOUBLE)"
	}
	order += ", number"
	if in.sums() {
		order += ", v"
	}
	return "SELECT k, number, v, w, r FROM (SELECT " + key + " AS k, " + in.name() + " AS name, CAST(" + schema.Quote(in.value.Name) +
		" AS DOUBLE) AS v, " + weight + " AS w, " + from + " AS r FROM " + in.r.From + ") LEFT JOIN " +
		in.numbers + " USING (name) ORDER BY " + order
}

func (in *long) sums() bool { return in.spec.Long.Repeated == input.RepeatedSum }

// take adds the triples of a chunk.
func (in *long) take(c duck.Chunk) error {
	key, number, value, weight := c.Column(0), c.Column(1), c.Column(2), c.Column(3)
	if in.keys == nil {
		in.keys, in.one = duck.RowNumbers(0), duck.RowNumbers(0)
		if !in.keys.Become(key, in.key.Type) || !in.one.Become(key, in.key.Type) {
			return notKey(in.key)
		}
	}
	numbers, values, weights := duck.View[int64](number, c.Rows), duck.View[float64](value, c.Rows), duck.View[float64](weight, c.Rows)
	from := duck.View[int64](c.Column(4), c.Rows)
	for i := range c.Rows {
		column := int32(-1)
		if !number.Null(i) {
			column = in.place[numbers[i]]
		}
		if key.Null(i) {
			in.nullKeys.Add("%s", in.ofFeature(column))
			continue
		}
		in.one.Clear()
		in.one.Add(key, i)
		var w any
		if in.selection.weight != nil && !weight.Null(i) {
			w = weights[i]
		}
		if in.now = in.one.Append(in.now[:0], 0); !in.begun || !bytes.Equal(in.now, in.last) {
			if err := in.endRow(); err != nil {
				return err
			}
			in.beginRow(key, i, w)
			in.from = from[i]
		} else if in.from >= 0 && from[i] != in.from {
			in.twice.Add("%s", in.rowName())
			in.from = -1
		} else if w != in.weight {
			in.apart.Add("%s: %v and %v", in.rowName(), orNULL(in.weight), orNULL(w))
		}
		if in.maps && number.Null(i) && !value.Null(i) {
			in.blanks = append(in.blanks, in.keys.Len()-1)
		}
		if column < 0 {
			continue
		}
		x := values[i]
		if value.Null(i) {
			x = math.NaN()
		} else if x-x != 0 {
			in.badCells.Add("%s, %s: %v", in.rowName(), in.ofFeature(column), x)
		}
		in.add(column, x)
	}
	if in.spec.Progress != nil {
		in.spec.Progress(in.builder.Rows())
	}
	return nil
}

// beginRow begins a row with the key of a triple.
func (in *long) beginRow(key duck.Vector, i int, weight any) {
	in.last, in.now = in.now, in.last
	in.keys.Add(key, i)
	in.begun, in.weight, in.cells = true, weight, in.cells[:0]
	if in.selection.weight == nil {
		return
	}
	w, known := weight.(float64)
	switch {
	case !known:
		in.badWeights.Add("%s: NULL", in.rowName())
	case !isWeight(w):
		in.badWeights.Add("%s: %v", in.rowName(), w)
	}
	in.weights = append(in.weights, w)
}

// add adds a value to the row: NaN is NULL, which adds nothing to others.
func (in *long) add(column int32, x float64) {
	if math.Abs(x) > in.limit {
		in.rounded[column] = true
	}
	at := len(in.cells) - 1
	if at < 0 || in.cells[at].column != column {
		in.cells = append(in.cells, cell{column, 1, x})
		return
	}
	c := &in.cells[at]
	c.times++
	switch {
	case c.value != c.value:
		c.value = x
	case x == x:
		c.value += x
	}
}

// endRow adds the row that has begun to the builder.
func (in *long) endRow() error {
	if !in.begun {
		return nil
	}
	before := func(a, b cell) int { return cmp.Compare(a.column, b.column) }
	if !slices.IsSortedFunc(in.cells, before) { // the order is that of a model
		slices.SortFunc(in.cells, before)
	}
	in.columns, in.values = in.columns[:0], in.values[:0]
	for _, c := range in.cells {
		if c.times > 1 && !in.sums() {
			in.repeated.Add("%s, %s: %d times", in.lastName(), in.ofFeature(c.column), c.times)
		}
		if c.times > 1 && math.IsInf(c.value, 0) {
			in.badCells.Add("%s, %s: %v", in.lastName(), in.ofFeature(c.column), c.value)
		}
		if c.value != 0 {
			in.columns, in.values = append(in.columns, c.column), append(in.values, c.value)
		}
	}
	return in.builder.AppendRow(in.columns, in.values)
}

// rowName says which row has the key of the triple.
func (in *long) rowName() string { return in.key.Name + " = " + in.one.Text(0) }

// lastName says which row has begun.
func (in *long) lastName() string { return in.key.Name + " = " + in.keys.Text(in.keys.Len()-1) }

func (in *long) ofFeature(column int32) string {
	if column < 0 {
		return "no feature that is read"
	}
	return fmt.Sprintf("feature %q", in.names[column])
}

// orNULL shows a value, in which nil stands for NULL.
func orNULL(v any) any {
	if v == nil {
		return "NULL"
	}
	return v
}

// check refuses what is wrong with the triples.
func (in *long) check() error {
	switch {
	case in.twice.Count > 0:
		return duplicateKeys(in.key.Name, in.twice)
	case in.repeated.Count > 0:
		return framework.Faultf(framework.Data, "repeated-triples", "%s more than one value",
			input.Plural(in.repeated.Count, "cell")+input.Agreed(in.repeated.Count, " has", " have")).At("long").
			WithHint("%s adds them up; GROUP BY in a query does whatever else is meant", framework.SettingTo("repeated", input.RepeatedSum)).
			WithDetails(in.repeated.Details())
	case in.apart.Count > 0:
		return framework.Faultf(framework.Data, "weights-differ", "the row weight %q differs among the triples of a row",
			in.selection.weight.Name).At("weight").
			WithHint("all triples of a key must have one weight: that of the row").WithDetails(in.apart.Details())
	}
	return nil
}
