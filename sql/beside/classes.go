package beside

import (
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

var truthPlace = framework.Setting("truth")

// CheckTruth refuses a column that the relation does not have.
func (db *DB) CheckTruth(ctx context.Context, relation, column string) error {
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return err
	}
	defer db.Release(r)
	_, err = r.Column(column, truthPlace)
	return err
}

// ReadClasses reads a column of any type as classes of the rows of t, which is
// of the same relation: numbers from 0 in the order of the values as text, and −1
// for NULL.
func (db *DB) ReadClasses(ctx context.Context, relation, column string, t *input.Table) (classes []int32, err error) {
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	c, err := r.Column(column, truthPlace)
	if err != nil {
		return nil, err
	}
	key := "row_number() OVER ()"
	if t.KeyName != input.RowNumber {
		key = schema.Quote(t.KeyName)
	}
	texts, met := make([]*string, t.Keys.Len()), map[string]bool{}
	rows, several := duck.NewIndex(duck.KeysOf(t.Keys)), input.Tally{}
	err = db.Stream(ctx, "SELECT "+key+", CAST("+schema.Quote(c.Name)+" AS VARCHAR) FROM "+r.From, func(c duck.Chunk) error {
		keys, values, one := c.Column(0), c.Column(1), duck.KeysOf(t.Keys).Empty()
		for i := range c.Rows {
			if keys.Null(i) || values.Null(i) {
				continue
			}
			one.Clear()
			one.Add(keys, i)
			if row := rows.Find(one, 0); row >= 0 {
				text := string(values.Text(i))
				if texts[row] != nil && *texts[row] != text { // of several triples
					several.Add("%s = %s: %q and %q", t.KeyName, one.Text(0), min(*texts[row], text), max(*texts[row], text))
				}
				texts[row], met[text] = &text, true
			}
		}
		return nil
	})
	if err != nil {
		return nil, source.RelationFault(source.ReadFault(err, r, 0), r.Label, truthPlace)
	}
	if several.Count > 0 {
		return nil, framework.Faultf(framework.Data, "classes-differ", "the class %q differs among the triples of a row", c.Name).At("truth").
			WithHint("all triples of a key must have one class: that of the row").WithDetails(several.Details())
	}
	if len(met) == 0 {
		return nil, framework.Faultf(framework.Data, "no-truth",
			"no row of %s has a class: column %q is NULL for all", r.Label, c.Name).At("truth")
	}
	return numbered(texts, met), nil
}

// numbered numbers texts in their order; nil is −1.
func numbered(texts []*string, met map[string]bool) []int32 {
	names := slices.Sorted(maps.Keys(met))
	classes := make([]int32, len(texts))
	for i, text := range texts {
		classes[i] = -1
		if text != nil {
			at, _ := slices.BinarySearch(names, *text)
			classes[i] = int32(at)
		}
	}
	return classes
}
