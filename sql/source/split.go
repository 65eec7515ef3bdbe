package source

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Split is a relation whose rows are in groups, each of which is a table of its own.
// All are read at once where that is simple: where features are columns of numbers.
type Split struct {
	db    *DB
	spec  input.Spec
	whole *Relation
	by    grouping

	reader *reader   // of the rows of all groups; nil: each group is read by itself
	limits []float64 // above which numbers of a feature are rounded
	groups []int     // of each row; −1: none
	odd    []bool    // groups with something that is not simple
	rows   []int     // by group, in the order in which they came
	from   []int     // where the rows of each group begin, and at last their number

	reading sync.Mutex // of one relation after the other
}

// A grouping tells which group a row is in, and which rows a group has.
type grouping struct {
	columns []*Column // that say it, which are no features
	read    []string  // SQL of what is read of each
	place   func(vectors []duck.Vector, rows int, to func(group int))
	alone   func(group int) (query string, err error) // of the rows of a group, without the columns
}

// Split reads a relation in which the column by, which is neither key nor feature, has
// the number of each row's group: 0…n−1. Rows with another number, or NULL, are in no
// group. The rows of all groups are held, as spec.Storage says, until Close.
func (db *DB) Split(ctx context.Context, spec input.Spec, by string, n int) (*Split, error) {
	if err := checkSpec(spec); err != nil {
		return nil, err
	}
	whole, err := db.Resolve(ctx, spec.Relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	s := &Split{db: db, spec: spec, whole: whole, odd: make([]bool, n)}
	column, err := whole.Column(by, "")
	if err == nil {
		s.by = numbered(whole, column, n)
		_, err = s.readAll(ctx)
	}
	if err != nil {
		_ = s.Close() // the first error counts
		return nil, err
	}
	return s, nil
}

// numbered is the grouping by a column with the numbers of groups.
func numbered(r *Relation, c *Column, n int) grouping {
	name := schema.Quote(c.Name)
	place := func(vectors []duck.Vector, rows int, to func(int)) {
		for i, g := range duck.View[int64](vectors[0], rows) {
			if vectors[0].Null(i) || g < 0 || g >= int64(n) {
				g = -1
			}
			to(int(g))
		}
	}
	return grouping{columns: []*Column{c}, read: []string{"CAST(" + name + " AS BIGINT)"}, place: place,
		alone: func(group int) (string, error) {
			return fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s WHERE %s = %d", name, r.From, name, group), nil
		}}
}

// Close frees the rows. The tables of groups stay.
func (s *Split) Close() error {
	s.db.Release(s.whole)
	if s.reader == nil {
		return nil
	}
	return s.reader.builder.Discard()
}

// Read returns the table of a group: what DB.Read returns for a query of its rows
// alone, with the same faults, but named as the whole relation. Several goroutines may
// call it.
func (s *Split) Read(ctx context.Context, group int) (*input.Table, error) {
	if s.reader != nil && !s.odd[group] {
		return s.table(ctx, s.rows[s.from[group]:s.from[group+1]])
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	spec := s.spec
	query, err := s.by.alone(group)
	if err != nil {
		return nil, err
	}
	spec.Relation, spec.Progress = query, nil
	t, err := s.db.Read(ctx, spec)
	if err == nil {
		t.Name, t.SourceSQL = s.spec.Relation, s.whole.source
	}
	return t, err
}

// readAll reads all rows, where it is simple to tell what a group would be read as. What
// is wrong with them is found when a group is read; wrong is what is wrong with the
// columns, whatever the rows are.
func (s *Split) readAll(ctx context.Context) (wrong, err error) {
	r := *s.whole
	r.Columns = slices.DeleteFunc(slices.Clone(r.Columns), func(c Column) bool {
		return slices.ContainsFunc(s.by.columns, func(by *Column) bool { return *by == c })
	})
	if r.isLong(s.spec.Long) {
		_, err := s.db.chooseLong(ctx, &long{r: &r, spec: s.spec})
		return ofLong(err), ctx.Err()
	}
	if s.spec.Long != nil || r.mapOf(s.spec) != nil {
		return nil, nil
	}
	chosen, err := s.db.choose(ctx, &r, s.spec)
	if err != nil || chosen.looked || slices.ContainsFunc(chosen.sources, func(c source) bool { return c.array || c.category || c.absent }) {
		return err, ctx.Err()
	}
	names, err := chosen.features(&r, s.spec.Want)
	if err != nil {
		return err, nil
	}
	b, err := matrix.NewBuilder(len(names), matrix.Options{RowsHint: r.hint, Storage: s.spec.Storage, Dir: s.spec.Dir, Most: s.spec.Most})
	if err != nil {
		return nil, err
	}
	for _, c := range chosen.sources {
		s.limits = append(s.limits, exactUpTo(c.Type))
	}
	s.reader = newReader(chosen, s.spec, names, b, r.hint)
	s.reader.leave = make([]bool, duck.ChunkRows)
	defer s.db.DropCache()
	if err := s.db.Stream(ctx, chosen.sql(&r, s.by.read...), s.take); err != nil {
		s.reader, s.groups = nil, nil
		_ = b.Discard()
		return nil, ctx.Err()
	}
	s.sort()
	return nil, nil
}

// table makes the table of some of the rows.
func (s *Split) table(ctx context.Context, rows []int) (*input.Table, error) {
	whole := s.reader
	p := len(whole.features)
	b, err := matrix.NewBuilder(p, matrix.Options{RowsHint: len(rows), Storage: s.spec.Storage, Dir: s.spec.Dir, Most: s.spec.Most})
	if err != nil {
		return nil, err
	}
	in := newReader(whole.selection, s.spec, whole.features, b, 0)
	in.seen, in.dropped, in.weights = len(rows), whole.dropped, input.Permuted(whole.weights, rows)
	if whole.selection.key != nil {
		in.keys = whole.keys.Permuted(rows)
	}
	t, err := s.fill(ctx, in, rows)
	if err != nil {
		_ = b.Discard() // the first error counts
		return nil, err
	}
	return t, nil
}

// fill copies some of the rows, and makes the table of them.
func (s *Split) fill(ctx context.Context, in *reader, rows []int) (*input.Table, error) {
	cells, err := in.builder.Extend(len(rows))
	if err != nil {
		return nil, err
	}
	all, p := s.reader.builder.Cells(), len(in.features)
	for to, i := range rows {
		copy(cells[to*p:], all.Row(i))
		if in.selection.key == nil {
			in.keys.AddNumber(int64(to + 1))
		}
	}
	for i, v := range cells {
		if v != v {
			in.missing[i%p]++
		}
	}
	return s.db.table(ctx, &Relation{source: s.whole.source, Label: "the query"}, s.spec, in)
}
