package source

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A large table of plain numbers is read on all threads: each chunk has its place in the
// matrix. Where anything is not plain, the rows are read once more, in their order, which
// finds out what to do or to say.

// severalGroups is from how many rows on a table has more than one row group of DuckDB, each
// of which one thread reads.
const severalGroups = 122880 + 1

// errNotPlain says that rows have to be read in their order.
var errNotPlain = errors.New("not plain")

// isPlain reports whether the rows of a relation have places of their own, and nothing but
// numbers in them.
func (r *Relation) isPlain(s *selection) bool {
	numbers := !slices.ContainsFunc(s.sources, func(c source) bool { return c.array || c.category || c.absent })
	return r.ordered && !r.kept && r.hint >= severalGroups && numbers && !r.Has("rowid") &&
		(s.key == nil || s.key.Type != "VARCHAR") && runtime.GOMAXPROCS(0) > 1
}

// atOnce reads a plain relation into the builder, which it leaves empty if it returns no
// reader: then the rows have to be read in their order.
func (db *DB) atOnce(ctx context.Context, r *Relation, s *selection, spec input.Spec, names []string, b *matrix.Builder) (*reader, error) {
	if !r.isPlain(s) {
		return nil, nil
	}
	in := newReader(s, spec, names, b, r.hint)
	if s.weight != nil {
		in.weights = in.weights[:r.hint]
	}
	cells, err := b.ExtendUnprovided(r.hint)
	if err != nil {
		return nil, err
	}
	b.SumEarly(s.weight != nil)
	p := &placing{in: in, cells: cells}
	if err := db.Scan(ctx, r.From, r.hint, s.expressions(), p.take); err != nil {
		b.Truncate(0)
		return nil, ctx.Err()
	}
	p.finish(r.hint)
	return in, nil
}

// A placing takes chunks in any order, from several threads.
type placing struct {
	in    *reader
	cells []float64 // of the whole matrix

	mu      sync.Mutex
	begun   bool      // the kind of the keys is known
	readers []*reader // of all threads, which count for themselves
	free    []*reader
	seen    int
}

// take sets the rows of a chunk.
func (p *placing) take(at int, c duck.Chunk) error {
	in, err := p.reader(c)
	if err != nil {
		return err
	}
	s, column := in.selection, 0
	next := func() duck.Vector { v := c.Column(column); column++; return v }
	if s.key != nil {
		key := next()
		if !key.Full() {
			return errNotPlain
		}
		in.keys.Put(key, at, c.Rows)
	}
	if s.weight != nil {
		weight := next()
		values := duck.View[float64](weight, c.Rows)
		if !weight.Full() || slices.ContainsFunc(values, func(w float64) bool { return !isWeight(w) }) {
			return errNotPlain
		}
		copy(in.weights[at:], values)
	}
	vectors := make([]duck.Vector, len(s.sources))
	for i := range vectors {
		vectors[i] = next()
	}
	if in.drop && slices.ContainsFunc(vectors, func(v duck.Vector) bool { return !v.Full() }) || in.blank && in.markBlank(vectors, c.Rows) {
		return errNotPlain
	}
	clear(in.leave)
	width := len(in.features)
	cells := p.cells[at*width : (at+c.Rows)*width]
	in.builder.Provide(cells)
	if in.takeCells(cells, vectors, nil, c.Rows); in.badCells.Count > 0 {
		return errNotPlain
	}
	in.builder.Filled(at, at+c.Rows)
	p.give(in, c.Rows)
	return nil
}

// reader returns a reader that nobody else has.
func (p *placing) reader(c duck.Chunk) (*reader, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.begun && p.in.selection.key != nil {
		if p.in.checkKind(c.Column(0)) != nil || !p.in.keys.Resize(len(p.cells)/len(p.in.features)) {
			return nil, errNotPlain
		}
	}
	p.begun = true
	if n := len(p.free); n > 0 {
		in := p.free[n-1]
		p.free = p.free[:n-1]
		return in, nil
	}
	in := *p.in
	in.missing, in.rounded, in.plain = make([]int, len(in.missing)), make([]bool, len(in.rounded)), nil
	in.leave = make([]bool, duck.ChunkRows)
	p.readers = append(p.readers, &in)
	return &in, nil
}

// give takes a reader back, which has taken some rows.
func (p *placing) give(in *reader, rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, in)
	if p.seen += rows; in.progress != nil {
		in.progress(p.seen)
	}
}

// finish adds up what the readers of all threads have counted.
func (p *placing) finish(rows int) {
	p.in.seen = rows
	for _, of := range p.readers {
		for l := range p.in.features {
			p.in.missing[l] += of.missing[l]
			p.in.rounded[l] = p.in.rounded[l] || of.rounded[l]
		}
	}
	if p.in.selection.key == nil {
		for i := range rows {
			p.in.keys.AddNumber(int64(i + 1))
		}
	}
}
