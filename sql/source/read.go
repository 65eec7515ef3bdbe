package source

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Read reads a relation. Rows come in ascending order of their keys unless
// spec.Order is "input". The caller seals or closes the result.
func (db *DB) Read(ctx context.Context, spec input.Spec) (*input.Table, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	r, err := db.Resolve(ctx, spec.Relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	if !r.kept { // which is all there is in memory
		defer db.DropCache()
	}
	defer db.Release(r)
	if r.isLong(spec.Long) {
		return db.readLong(ctx, &long{r: r, spec: spec})
	}
	if maps := r.mapOf(spec); maps != nil {
		return db.readMaps(ctx, r, maps, spec)
	}
	s, err := db.choose(ctx, r, spec)
	if err != nil {
		return nil, db.emptyFirst(ctx, r, err)
	}
	if err := db.measure(ctx, r, s); err != nil {
		return nil, err
	}
	if r.hint > 0 {
		if err := db.LimitScan(ctx, r.hint, len(r.Columns), r.isPlain(s)); err != nil {
			return nil, err
		}
	}
	names, err := s.features(r, spec.Want)
	if err != nil {
		return nil, err
	}
	b, err := matrix.NewBuilder(len(names), matrix.Options{RowsHint: r.hint, Storage: spec.Storage, Dir: spec.Dir, Most: spec.Most})
	if err != nil {
		return nil, err
	}
	if r.hint > 0 && spec.Expect != nil {
		spec.Expect(r.hint, len(names))
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
func (db *DB) emptyFirst(ctx context.Context, r *Relation, err error) error {
	if rows, unread := db.Rows(ctx, "SELECT 1 FROM "+r.From+" LIMIT 1"); unread == nil && len(rows) == 0 {
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

// fill streams the relation into the builder.
func (db *DB) fill(
	ctx context.Context, r *Relation, s *selection, spec input.Spec, names []string, b *matrix.Builder,
) (*input.Table, error) {
	if in, err := db.atOnce(ctx, r, s, spec, names, b); in != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return db.table(ctx, r, spec, in)
	}
	if r.isPlain(s) { // but not all that is in it
		if err := db.LimitScan(ctx, r.hint, len(r.Columns), false); err != nil {
			return nil, err
		}
	}
	in := newReader(s, spec, names, b, r.hint)
	in.leave = make([]bool, duck.ChunkRows)
	if err := db.Stream(ctx, s.sql(r), in.take); err != nil {
		return nil, ReadFault(err, r, in.seen)
	}
	return db.table(ctx, r, spec, in)
}

// table makes the table of the rows that were read, or says what is wrong with them.
func (db *DB) table(ctx context.Context, r *Relation, spec input.Spec, in *reader) (*input.Table, error) {
	s := in.selection
	complete := in.complete
	if complete == nil {
		complete = func() int { return db.complete(ctx, r, s) }
	}
	if err := in.check(r, complete); err != nil {
		return nil, err
	}
	t := &input.Table{
		Name: spec.Relation, Features: in.features, Builder: in.builder, Sources: in.sources(), Weights: in.weights,
		Keys: in.keys, KeyName: input.RowNumber, KeyType: in.keys.Type(),
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
			t.Absent = append(t.Absent, c.Name)
		}
	}
	if spec.Want == nil && !in.builder.IsSparse() {
		t.KeyLike = in.keyLike(spec.Features)
	}
	if s.key != nil {
		t.KeyName = s.key.Name
		if err := arrange(t, spec.Order); err != nil {
			return nil, err
		}
	} else if !r.ordered {
		t.Warnings = append(t.Warnings, r.noKey())
	}
	if t.Weights != nil {
		return t, in.builder.SetWeights(t.Weights)
	}
	return t, nil
}

// noKey warns of rows that are numbered in an order that nothing says.
func (r *Relation) noKey() string {
	return fmt.Sprintf("rows of %s have no key, so they are numbered as they come, "+
		"which can differ from run to run: name a unique column with %s", r.Label, framework.Setting("id"))
}

// arrange refuses duplicate keys, and puts the rows into the order asked for.
func arrange(t *input.Table, order string) error {
	keys, dropped := duck.KeysOf(t.Keys), duck.KeysOf(t.DroppedKeys)
	byKey := keys.Order()
	if err := checkUnique(t.KeyName, keys, byKey); err != nil {
		return err
	}
	t.DroppedKeys = dropped.Permuted(dropped.Order())
	if order == "input" || byKey == nil {
		return nil
	}
	if err := t.Builder.Permute(byKey); err != nil {
		return err
	}
	t.Keys = keys.Permuted(byKey)
	t.Weights = input.Permuted(t.Weights, byKey)
	return nil
}

// checkUnique refuses keys that occur more than once.
func checkUnique(name string, keys *duck.Keys, byKey []int) error {
	var twice input.Tally
	keys.Repeated(byKey, func(first, rows int) {
		twice.Add("%s = %s: %d rows", name, keys.Text(first), rows)
	})
	if twice.Count == 0 {
		return nil
	}
	return duplicateKeys(name, twice)
}

func duplicateKeys(name string, twice input.Tally) error {
	return framework.Faultf(framework.Data, "duplicate-keys", "%s of column %q %s more than once",
		input.Plural(twice.Count, "key"), name, input.Agreed(twice.Count, "occurs", "occur")).
		At("id").WithHint("the key must be unique; GROUP BY it, or use another column").WithDetails(twice.Details())
}
