package store

import (
	"context"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A ReadSpec says what to read, and how.
type ReadSpec struct {
	Relation string         // a query, a table or view, or a file
	ID       string         // key column; "": rows are numbered from 1
	Key      string         // key column where ID is "" and the relation has it; that of a run
	Features []string       // names and patterns; none: every numeric column
	Exclude  []string       // names and patterns
	Weight   string         // column of row weights; "": none
	Nulls    string         // "keep", "error" or "drop"; "": keep if MissingOK, else error
	Order    string         // "key" or "input"; "": key
	Storage  matrix.Storage // of the matrix

	Categorical []string // names and patterns of columns whose values are categories; auto: text with few values
	IgnoreText  bool     // columns of text that are not named as categories are left out
	Categories  bool     // text, ENUM and BOOLEAN columns are categories without being named
	NullLevel   bool     // NULL is a category of its own; else it is a missing cell
	Dir         string   // of a matrix in a file; "": the system's directory for temporary files

	MissingOK bool     // the algorithm takes missing cells
	Want      []string // exactly these features, in this order (those of a model); nil: by Features and Exclude

	// Optional are those of Want that the relation need not have: they are NULL
	// then in every row, which is no reason to leave a row out or to refuse it.
	Optional map[string]bool

	// WantCategories are those of Want that are categorical, and whether NULL is
	// a category of theirs.
	WantCategories map[string]bool

	Progress func(rows int) // called now and then with the rows read so far; may be nil
}

// A Table is a relation in memory.
type Table struct {
	Name     string   // the relation as given
	Features []string // names, in column order of the matrix
	Builder  *matrix.Builder
	Sources  []matrix.Source  // of the features, with the levels of those that are categorical
	Encoded  []matrix.Feature // what Encode has made the columns of the matrix; nil: the columns are Features
	Weights  []float64        // row weights, which the builder has too; nil: none

	Keys    *Keys // of the rows, in their order
	KeyName string
	KeyType string // SQL of the type

	Dropped     int    // rows left out because of NULLs
	DroppedKeys *Keys  // their keys, ascending
	DroppedWhy  string // NullCell or NoCells

	Missing   []int    // NULL cells of each feature
	Absent    []string // optional features that the relation does not have
	KeyLike   []KeyLike
	Excluded  []Excluded
	Warnings  []string
	SourceSQL string // the query, or FROM and the name
}

// Why rows were left out, and have no cluster.
const (
	NullCell = "null_cell" // one cell or more is NULL, and Nulls is "drop"
	NoCells  = "no_cells"  // every cell is NULL
	// NoCluster is the status of a row that was fitted, but that the algorithm
	// put into no cluster.
	NoCluster = "no_cluster"
)

// Close frees the matrix, if it has not been sealed.
func (t *Table) Close() error { return t.Builder.Discard() }

// Read reads a relation. Rows come in ascending order of their keys unless
// spec.Order is "input". The caller seals or closes the result.
func (db *DB) Read(ctx context.Context, spec ReadSpec) (*Table, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	r, err := db.resolve(ctx, spec.Relation, "RELATION")
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
		return f.WithWhere("RELATION")
	}
	return err
}

func checkSpec(spec ReadSpec) error {
	switch spec.Nulls {
	case "", "keep", "error", "drop":
	default:
		return framework.Faultf(framework.Usage, "bad-flag", "nulls is %q; it must be keep, error or drop", spec.Nulls).WithWhere("--nulls")
	}
	switch spec.Order {
	case "", "key", "input":
	default:
		return framework.Faultf(framework.Usage, "bad-flag", "order is %q; it must be key or input", spec.Order).WithWhere("--order")
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
func (db *DB) fill(ctx context.Context, r *relation, s *selection, spec ReadSpec, names []string, b *matrix.Builder) (*Table, error) {
	in := newReader(s, spec, names, b, r.hint)
	if err := db.stream(ctx, s.sql(r), nil, in.take); err != nil {
		return nil, readFault(err, r, in.seen)
	}
	if err := in.check(r, func() int { return db.complete(ctx, r, s) }); err != nil {
		return nil, err
	}
	t := &Table{
		Name: spec.Relation, Features: names, Builder: b, Sources: in.sources(), Weights: in.weights,
		Keys: in.keys, KeyName: RowNumber, KeyType: in.keys.typ,
		Dropped: in.dropped.Len(), DroppedKeys: in.dropped, DroppedWhy: NullCell,
		Missing: in.missing, Excluded: s.excluded, SourceSQL: r.source,
	}
	if in.blank {
		t.DroppedWhy = NoCells
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
			t.Warnings = append(t.Warnings, fmt.Sprintf("rows of %s have no key, so they are numbered as they come, which can differ from run to run: name a unique column with --id", r.label))
		}
	} else {
		t.KeyName, t.KeyType = s.key.name, s.key.typ
		t.Keys.typ, t.DroppedKeys.typ = s.key.typ, s.key.typ
		if err := t.arrange(spec.Order); err != nil {
			return nil, err
		}
	}
	if t.Weights != nil {
		return t, b.SetWeights(t.Weights)
	}
	return t, nil
}

// arrange refuses duplicate keys, and puts the rows into the order asked for.
func (t *Table) arrange(order string) error {
	byKey := t.Keys.order()
	if err := t.checkUnique(byKey); err != nil {
		return err
	}
	t.DroppedKeys = t.DroppedKeys.permuted(t.DroppedKeys.order())
	if order == "input" || byKey == nil {
		return nil
	}
	if err := t.Builder.Permute(byKey); err != nil {
		return err
	}
	t.Keys = t.Keys.permuted(byKey)
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
func (t *Table) checkUnique(byKey []int) error {
	var twice tally
	n := t.Keys.Len()
	for i := 0; i < n; {
		j := i + 1
		for j < n && t.Keys.compare(at(byKey, i), t.Keys, at(byKey, j)) == 0 {
			j++
		}
		if j-i > 1 {
			twice.add(func() string {
				return fmt.Sprintf("%s = %s: %d rows", t.KeyName, t.Keys.Text(at(byKey, i)), j-i)
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
	f := framework.Faultf(framework.Data, "duplicate-keys", "%s of column %q %s more than once", plural(twice.count, "key"), t.KeyName, verb).
		WithWhere("--id").WithHint("the key must be unique; GROUP BY it, or use another column")
	f.Details = twice.details()
	return f
}
