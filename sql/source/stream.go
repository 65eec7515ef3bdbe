package source

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
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
	keys    *duck.Keys
	dropped *duck.Keys
	weights []float64
	missing []int // NULL cells of each feature

	nullKeys   input.Tally
	badCells   input.Tally
	badWeights input.Tally
	badLists   input.Tally
	rounded    []bool    // features with a number of more digits than a float64 has
	exact      []float64 // of each source, see exactUpTo

	levels  []*levels // by feature; nil: a number
	limited bool      // levels are at most MaxLevels, and their NULLs no missing cells

	complete func() int // counts the rows without a NULL; nil: the relation does

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
		keys:      duck.RowNumbers(hint), dropped: duck.RowNumbers(0),
		levels: make([]*levels, len(features)), limited: spec.Want == nil,
	}
	for _, c := range s.sources {
		in.exact = append(in.exact, exactUpTo(c.Type))
	}
	if s.weight != nil {
		in.weights = make([]float64, 0, hint)
	}
	return in
}

// take adds the rows of a chunk.
func (in *reader) take(c duck.Chunk) error {
	at := 0
	next := func() *duck.Vector { v := c.Column(at); at++; return &v }
	var key, weight *duck.Vector
	if in.selection.key != nil {
		key = next()
		if err := in.checkKind(*key); err != nil {
			return err
		}
	}
	if in.selection.weight != nil {
		weight = next()
	}
	vectors := make([]duck.Vector, len(in.selection.sources))
	for i := range vectors {
		vectors[i] = *next()
	}
	cells, err := in.builder.Extend(c.Rows)
	if err != nil {
		return err
	}
	leaving := in.drop && in.markLeaving(vectors, c.Rows) || in.blank && in.markBlank(vectors, c.Rows)
	in.takeCells(cells, vectors, key, c.Rows)
	in.takeKeys(key, c.Rows)
	if weight != nil {
		in.takeWeights(*weight, key, c.Rows)
	}
	if leaving {
		in.closeGaps(cells, c.Rows)
	}
	in.seen += c.Rows
	clear(in.leave)
	if in.progress != nil {
		in.progress(in.seen)
	}
	return nil
}

// checkKind learns the kind of the key from the first chunk.
func (in *reader) checkKind(v duck.Vector) error {
	if in.seen > 0 {
		return nil
	}
	typ := in.selection.key.Type
	if !in.keys.Become(v, typ) || !in.dropped.Become(v, typ) {
		return notKey(in.selection.key)
	}
	return nil
}

// notKey is the fault of a column whose type cannot be that of keys.
func notKey(c *Column) error {
	return framework.Faultf(framework.Data, "key-type-unsupported",
		"column %q is %s, which cannot be a row key", c.Name, shortType(c.Type)).
		At("id").WithHint("CAST it AS VARCHAR in a query")
}

// rowName says which row of the chunk is meant.
func (in *reader) rowName(key *duck.Vector, i int) string {
	if key == nil || key.Null(i) {
		return fmt.Sprintf("row %d", in.seen+i+1)
	}
	one := in.keys.Empty()
	one.Add(*key, i)
	return in.selection.key.Name + " = " + one.Text(0)
}

// markLeaving marks the rows that have a NULL, and reports whether there are
// any.
func (in *reader) markLeaving(vectors []duck.Vector, rows int) bool {
	found := false
	mark := func(i int) { in.leave[i], found = true, true }
	for j, s := range in.selection.sources {
		if s.nullLevel || s.absent {
			continue
		}
		vectors[j].Nulls(rows, mark)
		if s.array {
			entries := vectors[j].Lists(rows, s.width, s.list)
			for i := range rows {
				for l := range s.width {
					if from := entries.From(i); from >= 0 && entries.Null(from+l) {
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
func (in *reader) markBlank(vectors []duck.Vector, rows int) bool {
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
func (in *reader) nullTest(s source, v duck.Vector, rows int) func(i int) bool {
	if s.nullLevel { // NULL is a category
		return func(int) bool { return false }
	}
	if !s.array {
		return v.Null
	}
	entries := v.Lists(rows, s.width, s.list)
	return func(i int) bool {
		from := entries.From(i)
		if from < 0 {
			return from == -1 // a list of a wrong length is an error of its own
		}
		for l := range s.width {
			if !entries.Null(from + l) {
				return false
			}
		}
		return true
	}
}

// takeCells writes the chunk's features to rows of the matrix.
func (in *reader) takeCells(cells []float64, vectors []duck.Vector, key *duck.Vector, rows int) {
	p, place := len(in.features), 0
	for j := 0; j < len(vectors); {
		s := in.selection.sources[j]
		if s.array || s.category {
			take := in.takeCategories
			if s.array {
				take = in.takeEntries
			}
			take(cells, place, s, vectors[j], key, rows)
			place += s.width
			j++
			continue
		}
		in.plain = in.plain[:0]
		for i := j; i < len(vectors) && !in.selection.sources[i].array && !in.selection.sources[i].category; i++ {
			in.plain = append(in.plain, duck.View[float64](vectors[i], rows))
		}
		finite := transpose(cells, p, place, in.plain)
		for _, values := range in.plain {
			v, l := vectors[j], place
			in.noteRounding(in.exact[j], l, values, v.Null)
			absent := in.selection.sources[j].absent
			v.Nulls(rows, func(i int) {
				cells[i*p+l] = math.NaN()
				if !absent {
					in.missing[l]++
				}
			})
			if !finite {
				for i, x := range values {
					if x-x != 0 && !v.Null(i) {
						in.badCell(key, i, l, x)
					}
				}
			}
			j++
			place++
		}
	}
}

func (in *reader) badCell(key *duck.Vector, i, l int, x float64) {
	if !in.leave[i] {
		in.badCells.Add("%s, column %s: %v", in.rowName(key, i), in.features[l], x)
	}
}

// takeKeys adds the keys of the chunk.
func (in *reader) takeKeys(key *duck.Vector, rows int) {
	if key != nil && key.Full() && !slices.Contains(in.leave[:rows], true) {
		in.keys.AddAll(*key, rows)
		return
	}
	for i := range rows {
		to := in.keys
		if in.leave[i] {
			to = in.dropped
		}
		switch {
		case key == nil:
			to.AddNumber(int64(in.seen + i + 1))
		case key.Null(i):
			in.nullKeys.Add("row %d", in.seen+i+1)
			to.AddNull()
		default:
			to.Add(*key, i)
		}
	}
}

// takeWeights adds the row weights of the chunk.
func (in *reader) takeWeights(v duck.Vector, key *duck.Vector, rows int) {
	for i, w := range duck.View[float64](v, rows) {
		if in.leave[i] {
			continue
		}
		if v.Null(i) {
			in.badWeights.Add("%s: NULL", in.rowName(key, i))
		} else if !isWeight(w) {
			in.badWeights.Add("%s: %v", in.rowName(key, i), w)
		}
		in.weights = append(in.weights, w)
	}
}

// isWeight reports whether a row can have this weight.
func isWeight(w float64) bool { return w >= 0 && !math.IsInf(w, 1) }

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
