package store

import (
	"errors"
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A reader takes the chunks of a stream into a builder.
type reader struct {
	selection *selection
	builder   *matrix.Builder
	features  []string
	missingOK bool // NULL cells may stay
	drop      bool // rows with NULL cells are left out
	blank     bool // rows without any cell are left out
	wanted    bool // the features are those of a model, and not to be chosen
	progress  func(rows int)

	seen    int // rows of the relation
	keys    *Keys
	dropped *Keys
	weights []float64
	missing []int // NULL cells of each feature

	nullKeys   tally
	badCells   tally
	badWeights tally
	badLists   tally
	rounded    []bool // features with a number of more digits than a float64 has

	levels  []*levels // by feature; nil: a number
	limited bool      // levels are at most MaxLevels, and their NULLs no missing cells

	leave []bool      // rows of the chunk that are left out
	plain [][]float64 // columns of the chunk
}

func newReader(s *selection, spec input.Spec, features []string, b *matrix.Builder, hint int) *reader {
	in := &reader{
		selection: s, builder: b, features: features, progress: spec.Progress,
		missingOK: spec.MissingOK && spec.Nulls != "error",
		drop:      spec.Nulls == "drop",
		blank:     spec.MissingOK && spec.Nulls != "error" && spec.Nulls != "drop",
		rounded:   make([]bool, len(features)),
		wanted:    spec.Want != nil,
		missing:   make([]int, len(features)),
		keys:      rowNumbers(), dropped: rowNumbers(),
		leave: make([]bool, chunkRows), levels: make([]*levels, len(features)), limited: spec.Want == nil,
	}
	in.keys.hi = make([]uint64, 0, hint)
	if s.weight != nil {
		in.weights = make([]float64, 0, hint)
	}
	return in
}

// take adds the rows of a chunk.
func (in *reader) take(c chunk) error {
	at := 0
	var key *vector
	if in.selection.key != nil {
		v := c.column(at)
		key = &v
		if err := in.checkKind(v); err != nil {
			return err
		}
		at++
	}
	var weight *vector
	if in.selection.weight != nil {
		v := c.column(at)
		weight = &v
		at++
	}
	vectors := make([]vector, len(in.selection.sources))
	for i := range vectors {
		vectors[i] = c.column(at + i)
	}
	cells, err := in.builder.Extend(c.rows)
	if err != nil {
		return err
	}
	leaving := in.drop && in.markLeaving(vectors, c.rows) || in.blank && in.markBlank(vectors, c.rows)
	in.takeCells(cells, vectors, key, c.rows)
	in.takeKeys(key, c.rows)
	if weight != nil {
		in.takeWeights(*weight, key, c.rows)
	}
	if leaving {
		in.closeGaps(cells, c.rows)
	}
	in.seen += c.rows
	clear(in.leave)
	if in.progress != nil {
		in.progress(in.seen)
	}
	return nil
}

// checkKind learns the kind of the key from the first chunk.
func (in *reader) checkKind(v vector) error {
	if in.seen > 0 {
		return nil
	}
	k, ok := v.kind()
	if !ok {
		return framework.Faultf(framework.Data, "key-type-unsupported", "column %q is %s, which cannot be a row key", in.selection.key.name, shortType(in.selection.key.typ)).
			At("id").WithHint("CAST it AS VARCHAR in a query")
	}
	in.keys.kind, in.dropped.kind = k, k
	return nil
}

// rowName says which row of the chunk is meant.
func (in *reader) rowName(key *vector, i int) string {
	if key == nil || key.null(i) {
		return fmt.Sprintf("row %d", in.seen+i+1)
	}
	one := &Keys{kind: in.keys.kind, typ: in.selection.key.typ}
	one.add(*key, i)
	return in.selection.key.name + " = " + one.Text(0)
}

// markLeaving marks the rows that have a NULL, and reports whether there are
// any.
func (in *reader) markLeaving(vectors []vector, rows int) bool {
	found := false
	mark := func(i int) { in.leave[i], found = true, true }
	for j, s := range in.selection.sources {
		if s.nullLevel || s.absent {
			continue
		}
		vectors[j].nulls(rows, mark)
		if s.array {
			entries := in.entries(s, vectors[j], rows)
			for i := range rows {
				for l := range s.width {
					if from := entries.from(i); from >= 0 && entries.child.null(from+l) {
						mark(i)
					}
				}
			}
		}
	}
	return found
}

// markBlank marks the rows in which every cell is NULL, and reports whether
// there are any.
func (in *reader) markBlank(vectors []vector, rows int) bool {
	left := rows
	for i := range rows {
		in.leave[i] = true
	}
	for j, s := range in.selection.sources {
		if s.absent {
			continue
		}
		null := in.nullTest(s, vectors[j], rows)
		for i := range rows {
			if in.leave[i] && !null(i) {
				in.leave[i] = false
				left--
			}
		}
		if left == 0 { // mostly after the first column
			return false
		}
	}
	return true
}

// nullTest returns a function that reports whether a source has no number in a
// row.
func (in *reader) nullTest(s source, v vector, rows int) func(i int) bool {
	if s.nullLevel { // NULL is a category
		return func(int) bool { return false }
	}
	if !s.array {
		return v.null
	}
	entries := in.entries(s, v, rows)
	return func(i int) bool {
		from := entries.from(i)
		if from < 0 {
			return from == -1 // a list of a wrong length is an error of its own
		}
		for l := range s.width {
			if !entries.child.null(from + l) {
				return false
			}
		}
		return true
	}
}

// takeCells writes the chunk's features to rows of the matrix.
func (in *reader) takeCells(cells []float64, vectors []vector, key *vector, rows int) {
	p, place := len(in.features), 0
	for j := 0; j < len(vectors); {
		s := in.selection.sources[j]
		if s.array {
			in.takeEntries(cells, place, in.entries(s, vectors[j], rows), key, rows)
			place += s.width
			j++
			continue
		}
		if s.category {
			in.takeCategories(cells, place, s, vectors[j], key, rows)
			place++
			j++
			continue
		}
		last := j
		in.plain = in.plain[:0]
		for last < len(vectors) && !in.selection.sources[last].array && !in.selection.sources[last].category {
			in.plain = append(in.plain, vectors[last].floats(rows))
			last++
		}
		finite := transpose(cells, p, place, in.plain)
		for ; j < last; j++ {
			v, l := vectors[j], place
			in.noteRounding(in.selection.sources[j], l, v, rows)
			absent := in.selection.sources[j].absent
			v.nulls(rows, func(i int) {
				cells[i*p+l] = math.NaN()
				if !absent {
					in.missing[l]++
				}
			})
			if !finite {
				for i, x := range v.floats(rows) {
					if x-x != 0 && !v.null(i) {
						in.badCell(key, i, l, x)
					}
				}
			}
			place++
		}
	}
}

func (in *reader) badCell(key *vector, i, l int, x float64) {
	if !in.leave[i] {
		in.badCells.add(func() string { return fmt.Sprintf("%s, column %s: %v", in.rowName(key, i), in.features[l], x) })
	}
}

// takeKeys adds the keys of the chunk.
func (in *reader) takeKeys(key *vector, rows int) {
	for i := range rows {
		to := in.keys
		if in.leave[i] {
			to = in.dropped
		}
		switch {
		case key == nil:
			to.number(int64(in.seen + i + 1))
		case key.null(i):
			in.nullKeys.add(func() string { return fmt.Sprintf("row %d", in.seen+i+1) })
			to.blank()
		default:
			to.add(*key, i)
		}
	}
}

// takeWeights adds the row weights of the chunk.
func (in *reader) takeWeights(v vector, key *vector, rows int) {
	for i, w := range v.floats(rows) {
		if in.leave[i] {
			continue
		}
		if v.null(i) {
			in.badWeights.add(func() string { return in.rowName(key, i) + ": NULL" })
		} else if !(w >= 0) || math.IsInf(w, 1) {
			in.badWeights.add(func() string { return fmt.Sprintf("%s: %v", in.rowName(key, i), w) })
		}
		in.weights = append(in.weights, w)
	}
}

// closeGaps moves the rows that stay to the front, and drops the rest.
func (in *reader) closeGaps(cells []float64, rows int) {
	p, kept := len(in.features), 0
	for i := range rows {
		if in.leave[i] {
			continue
		}
		if kept < i {
			copy(cells[kept*p:(kept+1)*p], cells[i*p:(i+1)*p])
		}
		kept++
	}
	in.builder.Truncate(in.builder.Rows() - (rows - kept))
}

// readFault explains why a stream ended early.
func readFault(err error, r *relation, seen int) error {
	if _, ok := errors.AsType[*duckError](err); !ok {
		return err
	}
	if writes := writesFault(err, r.label); writes != nil {
		return writes.WithWhere("%s", r.label)
	}
	if f := raggedFault(err, r, ""); f != nil {
		return f.WithWhere("%s", r.label)
	}
	f := framework.Faultf(framework.Data, "read-failed", "DuckDB stopped reading %s after %s", r.label, plural(seen, "row"))
	f.Err = err
	blame(f)
	return f
}
