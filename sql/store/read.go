package store

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// Read reads a relation. Rows come in ascending order of their keys unless
// spec.Order is "input". The caller seals or closes the result.
func (db *DB) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	r, err := db.resolve(ctx, spec.Relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.dropCache()
	defer db.release(r)
	s, err := db.choose(ctx, r, spec)
	if err != nil {
		return nil, db.emptyFirst(ctx, r, err)
	}
	if err := db.measure(ctx, r, s); err != nil {
		return nil, err
	}
	if r.hint > 0 {
		if err := db.limitScan(ctx, len(r.columns)); err != nil {
			return nil, err
		}
	}
	names := s.names()
	if spec.Want != nil {
		if err := s.checkWanted(r, spec.Want); err != nil {
			return nil, err
		}
		names = spec.Want
	}
	b, err := matrix.NewBuilder(len(names), matrix.Options{RowsHint: r.hint, Storage: spec.Storage, Dir: spec.Dir})
	if err != nil {
		return nil, err
	}
	t, err := db.fill(ctx, r, s, spec, names, b)
	if err != nil {
		_ = b.Discard() // the first error counts
		return nil, err
	}
	return t, nil
}

// emptyFirst returns the fault of a relation without rows, or of a file with a bad
// line, instead of what is wrong with its columns: they are text then, or not there.
func (db *DB) emptyFirst(ctx context.Context, r *relation, err error) error {
	if rows, unread := db.rows(ctx, "SELECT 1 FROM "+r.from+" LIMIT 1"); unread == nil && len(rows) == 0 {
		return r.empty()
	}
	if f := db.ragged(ctx, r); f != nil {
		return f.At("relation")
	}
	return err
}

func checkSpec(spec input.Spec) error {
	switch spec.Nulls {
	case "", "keep", "error", "drop":
	default:
		return framework.Faultf(framework.Usage, "bad-flag", "nulls is %q; it must be keep, error or drop", spec.Nulls).At("nulls")
	}
	switch spec.Order {
	case "", "key", "input":
	default:
		return framework.Faultf(framework.Usage, "bad-flag", "order is %q; it must be key or input", spec.Order).At("order")
	}
	return nil
}

// measure finds the length of list columns, which their type does not tell.
func (db *DB) measure(ctx context.Context, r *relation, s *selection) error {
	for i := range s.sources {
		c := &s.sources[i]
		if !c.list {
			continue
		}
		name := schema.Quote(c.name)
		rows, err := db.rows(ctx, "SELECT min(len("+name+")), max(len("+name+")) FROM "+r.from)
		if err != nil {
			return readFault(err, r, 0)
		}
		low, _ := rows[0][0].(int64)
		high, _ := rows[0][1].(int64)
		if low != high {
			return framework.Faultf(framework.Data, "list-lengths-differ", "the lists in column %q have from %d to %d entries", c.name, low, high).
				WithHint("all must have the same number, since each entry is a feature")
		}
		if high == 0 {
			return framework.Faultf(framework.Data, "list-empty", "the lists in column %q have no entries", c.name)
		}
		c.width = int(high)
	}
	return nil
}

// fill streams the relation into the builder and makes the table.
func (db *DB) fill(ctx context.Context, r *relation, s *selection, spec input.Spec, names []string, b *matrix.Builder) (*input.Table, error) {
	in := newReader(s, spec, names, b, r.hint)
	if err := db.stream(ctx, s.sql(r), nil, in.take); err != nil {
		return nil, readFault(err, r, in.seen)
	}
	if err := in.check(r, func() int { return db.complete(ctx, r, s) }); err != nil {
		return nil, err
	}
	t := &input.Table{
		Name: spec.Relation, Features: names, Builder: b, Sources: in.sources(), Weights: in.weights,
		Keys: in.keys, KeyName: input.RowNumber, KeyType: in.keys.typ,
		Dropped: in.dropped.Len(), DroppedKeys: in.dropped, DroppedWhy: input.NullCell,
		Missing: in.missing, Excluded: s.excluded, SourceSQL: r.source,
	}
	if in.blank {
		t.DroppedWhy = input.NoCells
	}
	t.Warnings = s.warnings
	if w := in.roundingWarning(); w != "" {
		t.Warnings = append(t.Warnings, w)
	}
	for _, c := range s.sources {
		if c.absent {
			t.Absent = append(t.Absent, c.name)
		}
	}
	if spec.Want == nil {
		t.KeyLike = in.keyLike(spec.Features)
	}
	if s.key == nil {
		if !r.ordered {
			t.Warnings = append(t.Warnings, fmt.Sprintf("rows of %s have no key, so they are numbered as they come, which can differ from run to run: name a unique column with %s", r.label, framework.Setting("id")))
		}
	} else {
		t.KeyName, t.KeyType = s.key.name, s.key.typ
		in.keys.typ, in.dropped.typ = s.key.typ, s.key.typ
		if err := arrange(t, spec.Order); err != nil {
			return nil, err
		}
	}
	if t.Weights != nil {
		return t, b.SetWeights(t.Weights)
	}
	return t, nil
}

// arrange refuses duplicate keys, and puts the rows into the order asked for.
func arrange(t *input.Table, order string) error {
	keys, dropped := keysOf(t.Keys), keysOf(t.DroppedKeys)
	byKey := keys.order()
	if err := checkUnique(t.KeyName, keys, byKey); err != nil {
		return err
	}
	t.DroppedKeys = dropped.permuted(dropped.order())
	if order == "input" || byKey == nil {
		return nil
	}
	if err := t.Builder.Permute(byKey); err != nil {
		return err
	}
	t.Keys = keys.permuted(byKey)
	if t.Weights != nil {
		weights := make([]float64, len(t.Weights))
		for i, from := range byKey {
			weights[i] = t.Weights[from]
		}
		t.Weights = weights
	}
	return nil
}

// checkUnique refuses keys that occur more than once.
func checkUnique(name string, keys *Keys, byKey []int) error {
	var twice tally
	n := keys.Len()
	for i := 0; i < n; {
		j := i + 1
		for j < n && keys.compare(at(byKey, i), keys, at(byKey, j)) == 0 {
			j++
		}
		if j-i > 1 {
			twice.add(func() string {
				return fmt.Sprintf("%s = %s: %d rows", name, keys.Text(at(byKey, i)), j-i)
			})
		}
		i = j
	}
	if twice.count == 0 {
		return nil
	}
	verb := "occurs"
	if twice.count > 1 {
		verb = "occur"
	}
	f := framework.Faultf(framework.Data, "duplicate-keys", "%s of column %q %s more than once", plural(twice.count, "key"), name, verb).
		At("id").WithHint("the key must be unique; GROUP BY it, or use another column")
	f.Details = twice.details()
	return f
}
