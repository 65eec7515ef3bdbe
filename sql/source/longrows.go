package source

import (
	"context"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// longTable makes the table of the triples that were read.
func (db *DB) longTable(ctx context.Context, in *long) (*input.Table, error) {
	if err := in.endRow(); err != nil {
		return nil, err
	}
	if in.keys == nil {
		in.keys = duck.RowNumbers(0)
	}
	left, err := in.prune()
	if err != nil {
		return nil, err
	}
	from := newReader(in.selection, in.spec, in.names, in.builder, 0)
	from.seen = in.builder.Rows() + in.nullKeys.Count
	from.nullKeys, from.badCells, from.badWeights = in.nullKeys, in.badCells, in.badWeights
	copy(from.rounded, in.rounded)
	from.keys, from.dropped, from.weights = in.keys, in.keys.Empty(), in.weights
	complete, err := from.dropLong(in.blanks)
	if err != nil {
		return nil, err
	}
	from.complete = func() int { return complete }
	if in.nullKeys.Count+in.badCells.Count+in.badWeights.Count == 0 {
		if err := in.check(); err != nil {
			return nil, err
		}
		if from.seen > 0 && len(in.names) == 0 {
			return nil, in.noFeatures(left)
		}
	}
	if left != "" {
		in.warnings = append(in.warnings, left)
	}
	return db.table(ctx, in.r, in.spec, from)
}

// noFeatures is the fault of triples without a feature that is read.
func (in *long) noFeatures(left string) error {
	f := framework.Faultf(framework.Data, "no-features", "%s has no feature left to cluster by", in.r.Label)
	if left != "" {
		f.Details = []string{left}
	}
	return f.WithHint("%s and %s choose features by name, %s and %s by their rows", framework.Setting("features"),
		framework.Setting("exclude"), framework.Setting("min_rows"), framework.Setting("max_share"))
}

// prune leaves out the features that too few or too many rows have, and says so; ""
// if there are none.
func (in *long) prune() (string, error) {
	l, b := in.spec.Long, in.builder
	if in.spec.Want != nil || l.MinRows == 0 && (l.MaxShare == 0 || l.MaxShare == 1) {
		return "", nil
	}
	count := make([]int, len(in.names)) // rows with another value than 0
	for i := range b.Rows() {
		columns, values := b.Row(i)
		for e, c := range columns {
			if values[e] == values[e] {
				count[c]++
			}
		}
	}
	few, many := 0, 0
	to := make([]int32, len(in.names))
	var names []string
	var rounded []bool
	for c, n := range count {
		to[c] = -1
		switch {
		case n < l.MinRows:
			few++
		case l.MaxShare > 0 && float64(n) > l.MaxShare*float64(b.Rows()):
			many++
		default:
			to[c] = int32(len(names))
			names, rounded = append(names, in.names[c]), append(rounded, in.rounded[c])
		}
	}
	if few+many == 0 {
		return "", nil
	}
	rare := fmt.Sprintf("that fewer than %s", input.Counted(l.MinRows, "row has", "rows have"))
	common := fmt.Sprintf("that more than %.4g %% of the rows have", 100*l.MaxShare)
	why := fmt.Sprintf("%d %s, %d %s", few, rare, many, common)
	switch {
	case many == 0:
		why = rare
	case few == 0:
		why = common
	}
	note := fmt.Sprintf("left out: %d of %s, %s", few+many, input.Counted(len(in.names), "feature", "features"), why)
	in.names, in.rounded = names, rounded
	return note, b.Keep(nil, len(names), to)
}

// dropLong counts missing cells, leaves out rows as Nulls says, and returns how many
// rows have no missing cell. blanks are rows without any cell, in ascending order.
func (in *reader) dropLong(blanks []int) (complete int, err error) {
	b := in.builder
	stay, gone := []int{}, []int(nil)
	for i := range b.Rows() {
		columns, values := b.Row(i)
		nulls := 0
		for e, l := range columns {
			if values[e] != values[e] {
				in.missing[l]++
				nulls++
			}
		}
		if len(blanks) > 0 && blanks[0] == i {
			blanks, nulls = blanks[1:], b.Cols()
			for l := range in.missing {
				in.missing[l]++
			}
		}
		if nulls == 0 {
			complete++
		}
		if in.drop && nulls > 0 || in.blank && nulls > 0 && nulls == b.Cols() {
			gone = append(gone, i)
		} else {
			stay = append(stay, i)
		}
	}
	if gone == nil {
		return complete, nil
	}
	in.keys, in.dropped, in.weights = in.keys.Permuted(slices.Clone(stay)), in.keys.Permuted(gone), input.Permuted(in.weights, stay)
	return complete, b.Keep(stay, b.Cols(), nil)
}

// asFound puts the rows into the order in which their keys first appear in the relation.
func (db *DB) asFound(ctx context.Context, in *long, t *input.Table) error {
	keys := duck.KeysOf(t.Keys)
	index, met, order := duck.NewIndex(keys), make([]bool, keys.Len()), make([]int, 0, keys.Len())
	one := keys.Empty()
	err := db.Stream(ctx, "SELECT "+schema.Quote(in.key.Name)+" FROM "+in.r.From, func(c duck.Chunk) error {
		v := c.Column(0)
		for i := range c.Rows {
			one.Clear()
			one.Add(v, i)
			if row := index.Find(one, 0); row >= 0 && !met[row] {
				met[row] = true
				order = append(order, row)
			}
		}
		return nil
	})
	if err == nil && len(order) < keys.Len() {
		err = framework.Faultf(framework.Data, "relation-varies", "%s has other rows each time that it is read", in.r.Label).At("relation").
			WithHint("write it to a table first")
	}
	if err == nil {
		err = t.Builder.Permute(order)
	}
	if err != nil {
		_ = t.Close() // the first error counts
		return ReadFault(err, in.r, 0)
	}
	t.Keys, t.Weights = keys.Permuted(order), input.Permuted(t.Weights, order)
	return nil
}
