package source

import (
	"context"
	"fmt"
	"math"
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
	by    string // SQL of the column with the number of the group

	reader *reader   // of the rows of all groups; nil: each group is read by itself
	limits []float64 // above which numbers of a feature are rounded
	groups []int     // of each row; −1: none
	odd    []bool    // groups with something that is not simple
	rows   []int     // by group, in the order in which they came
	from   []int     // where the rows of each group begin, and at last their number

	reading sync.Mutex // of one relation after the other
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
	s := &Split{db: db, spec: spec, whole: whole, odd: make([]bool, n), from: make([]int, n+1)}
	column, err := whole.Column(by, "")
	if err == nil {
		s.by = schema.Quote(column.Name)
		err = s.readAll(ctx, column)
	}
	if err != nil {
		_ = s.Close() // the first error counts
		return nil, err
	}
	return s, nil
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
// alone, with the same faults. Several goroutines may call it.
func (s *Split) Read(ctx context.Context, group int) (*input.Table, error) {
	spec := s.spec
	spec.Relation = fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s WHERE %s = %d", s.by, s.whole.From, s.by, group)
	if s.reader != nil && !s.odd[group] {
		return s.table(ctx, spec, s.rows[s.from[group]:s.from[group+1]])
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	return s.db.Read(ctx, spec)
}

// readAll reads all rows, where it is simple to tell what a group would be read as. What
// is wrong with them is found when a group is read.
func (s *Split) readAll(ctx context.Context, by *Column) error {
	r := *s.whole
	r.Columns = slices.DeleteFunc(slices.Clone(r.Columns), func(c Column) bool { return c == *by })
	chosen, err := s.db.choose(ctx, &r, s.spec)
	if err != nil || chosen.looked || slices.ContainsFunc(chosen.sources, func(c source) bool { return c.array || c.category || c.absent }) {
		return ctx.Err()
	}
	names, err := chosen.features(&r, s.spec.Want)
	if err != nil {
		return nil
	}
	b, err := matrix.NewBuilder(len(names), matrix.Options{RowsHint: r.hint, Storage: s.spec.Storage, Dir: s.spec.Dir})
	if err != nil {
		return err
	}
	for _, c := range chosen.sources {
		s.limits = append(s.limits, exactUpTo(c.Type))
	}
	s.reader = newReader(chosen, s.spec, names, b, r.hint)
	s.reader.leave = make([]bool, duck.ChunkRows)
	defer s.db.DropCache()
	if err := s.db.Stream(ctx, chosen.sql(&r, "CAST("+s.by+" AS BIGINT)"), s.take); err != nil {
		s.reader = nil
		_ = b.Discard()
		return ctx.Err()
	}
	s.sort()
	return nil
}

// take adds the rows of a chunk.
func (s *Split) take(c duck.Chunk) error {
	in, at := s.reader, 1
	next := func() duck.Vector { v := c.Column(at); at++; return v }
	first := len(s.groups)
	s.takeGroups(c.Column(0), c.Rows)
	odd := func(i int) {
		if g := s.groups[first+i]; g >= 0 {
			s.odd[g] = true
		}
	}
	var key *duck.Vector
	if in.selection.key != nil {
		v := next()
		if err := in.checkKind(v); err != nil {
			return err
		}
		key = &v
		key.Nulls(c.Rows, odd)
		in.takeKeys(key, c.Rows)
	}
	if in.selection.weight != nil {
		weight := next()
		in.takeWeights(weight, key, c.Rows)
		for i, w := range in.weights[first:] {
			if weight.Null(i) || !isWeight(w) {
				odd(i)
			}
		}
	}
	cells, err := in.builder.Extend(c.Rows)
	if err != nil {
		return err
	}
	s.takeCells(cells, next, c.Rows, odd)
	in.seen += c.Rows
	return nil
}

// takeGroups adds the numbers of groups, and counts their rows.
func (s *Split) takeGroups(v duck.Vector, rows int) {
	for i, g := range duck.View[int64](v, rows) {
		if v.Null(i) || g < 0 || g >= int64(len(s.odd)) {
			g = -1
		} else {
			s.from[g+1]++
		}
		s.groups = append(s.groups, int(g))
	}
}

// takeCells writes columns to rows of the matrix.
func (s *Split) takeCells(cells []float64, next func() duck.Vector, rows int, odd func(i int)) {
	in := s.reader
	p := len(in.features)
	vectors, plain := make([]duck.Vector, p), make([][]float64, p)
	for l := range vectors {
		vectors[l] = next()
		plain[l] = duck.View[float64](vectors[l], rows)
	}
	finite := transpose(cells, p, 0, plain)
	var nulls [duck.ChunkRows]int // of each row
	for l, v := range vectors {
		v.Nulls(rows, func(i int) {
			cells[i*p+l] = math.NaN()
			if nulls[i]++; !in.blank || nulls[i] == p {
				odd(i)
			}
		})
		if limit := s.limits[l]; !finite || !math.IsInf(limit, 1) {
			for i, x := range plain[l] {
				if (x-x != 0 || x > limit || x < -limit) && !v.Null(i) {
					odd(i)
				}
			}
		}
	}
}

// sort puts the rows by group.
func (s *Split) sort() {
	for g := range s.odd {
		s.from[g+1] += s.from[g]
	}
	place := slices.Clone(s.from)
	s.rows = make([]int, s.from[len(s.odd)])
	for i, g := range s.groups {
		if g >= 0 {
			s.rows[place[g]] = i
			place[g]++
		}
	}
	s.groups = nil
}

// table makes the table of some of the rows.
func (s *Split) table(ctx context.Context, spec input.Spec, rows []int) (*input.Table, error) {
	whole := s.reader
	p := len(whole.features)
	b, err := matrix.NewBuilder(p, matrix.Options{RowsHint: len(rows), Storage: spec.Storage, Dir: spec.Dir})
	if err != nil {
		return nil, err
	}
	in := newReader(whole.selection, spec, whole.features, b, 0)
	in.seen, in.dropped, in.weights = len(rows), whole.dropped, input.Permuted(whole.weights, rows)
	if whole.selection.key != nil {
		in.keys = whole.keys.Permuted(rows)
	}
	t, err := s.fill(ctx, spec, in, rows)
	if err != nil {
		_ = b.Discard() // the first error counts
		return nil, err
	}
	return t, nil
}

// fill copies some of the rows, and makes the table of them.
func (s *Split) fill(ctx context.Context, spec input.Spec, in *reader, rows []int) (*input.Table, error) {
	cells, err := in.builder.Extend(len(rows))
	if err != nil {
		return nil, err
	}
	all, p := s.reader.builder.Values(), len(in.features)
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
	r := &Relation{text: spec.Relation, From: "(\n" + spec.Relation + "\n)", source: spec.Relation, Label: "the query"}
	return s.db.table(ctx, r, spec, in)
}
