package matrix

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Source is a column of a table: of numbers, or of categories, whose cells
// then are indices into Levels, and NaN for NULL.
type Source struct {
	Name        string
	Categorical bool
	Levels      []string // all different, in the order that their features get
	NullLevel   bool     // NULL is a category of its own, not a missing cell
}

// An Unseen says what happens to a row with a category that the recipe does not
// know.
type Unseen string

// The rules for unseen categories.
const (
	UnseenError   Unseen = "error"   // a Fault
	UnseenIgnore  Unseen = "ignore"  // the row is measured without the column: its cells are missing
	UnseenNearest Unseen = "nearest" // the row gets the category that is nearest to the mean of all rows: the most frequent one
)

// A coder says which cells the values of one source become.
type coder struct {
	categorical bool
	width       int   // columns
	at          []int // by level: the column that is 1; none or blank
	null        int   // for NULL: the same
}

const (
	none  = -1 // all columns are 0
	blank = -2 // all columns are missing
)

// Encode replaces each categorical column by a column for each of its levels
// that a row of positive weight has, which is 1 in the rows that have it, else
// 0, and last one for NULL if that is a level. A missing cell is missing in all
// of them. Other columns stay as they are, and the order of columns does. The
// builder is discarded unless nothing is to be done or an error is returned.
// The features have names and categories, for LearnEncoded.
func Encode(b *Builder, sources []Source) (*Builder, []Feature, error) {
	if len(sources) != b.cols {
		panic(fmt.Sprintf("matrix: %d sources for %d columns", len(sources), b.cols))
	}
	if b.sparse != nil {
		return b, featuresOf(sources), nil
	}
	present, null := levelsPresent(b, sources)
	coders := make([]coder, len(sources))
	var features []Feature
	for t, s := range sources {
		if !s.Categorical {
			coders[t] = coder{width: 1}
			features = append(features, Feature{Name: s.Name})
			continue
		}
		c := coder{categorical: true, at: make([]int, len(s.Levels)), null: blank}
		add := func(category string, isNull bool) int {
			features = append(features, Feature{Name: s.Name + "=" + category, Source: s.Name, Category: category, Null: isNull})
			c.width++
			return c.width - 1
		}
		for code, level := range s.Levels {
			c.at[code] = none
			if present[t][code] {
				c.at[code] = add(level, false)
			}
		}
		if s.NullLevel {
			c.null = none
			if null[t] {
				c.null = add(NullName(s.Levels), true)
			}
		}
		coders[t] = c
	}
	if err := checkNames(features); err != nil {
		return nil, nil, err
	}
	encoded, err := expand(b, coders, len(features))
	return encoded, features, err
}

// featuresOf returns the features of columns of numbers.
func featuresOf(sources []Source) []Feature {
	features := make([]Feature, len(sources))
	for t, s := range sources {
		features[t].Name = s.Name
	}
	return features
}

// NullName is what the category of NULL is called: NULL, in as many brackets as
// it takes to differ from all others.
func NullName(levels []string) string {
	name := "NULL"
	for slices.Contains(levels, name) {
		name = "(" + name + ")"
	}
	return name
}

// checkNames refuses features of the same name: results are found by it.
func checkNames(features []Feature) error {
	seen := make(map[string]bool, len(features))
	for _, f := range features {
		if seen[f.Name] {
			return framework.Faultf(framework.Data, "feature-names-collide",
				"two features would be called %q: a column, and a category of another column", f.Name).
				WithHint("rename the column in a query")
		}
		seen[f.Name] = true
	}
	return nil
}

// levelsPresent tells which levels, and which NULLs, rows of positive weight
// have.
func levelsPresent(b *Builder, sources []Source) (present [][]bool, null []bool) {
	present, null = make([][]bool, len(sources)), make([]bool, len(sources))
	var categorical []int
	for t, s := range sources {
		if s.Categorical {
			categorical = append(categorical, t)
			present[t] = make([]bool, len(s.Levels))
		}
	}
	if categorical == nil {
		return present, null
	}
	values := b.Cells()
	for i := range b.rows {
		if b.weights != nil && b.weights[i] == 0 {
			continue
		}
		row := values.Row(i)
		for _, t := range categorical {
			if v := row[t]; v == v {
				present[t][int(v)] = true
			} else {
				null[t] = true
			}
		}
	}
	return present, null
}

// expand writes the cells that coders make to a new builder.
func expand(b *Builder, coders []coder, cols int) (*Builder, error) {
	if !slices.ContainsFunc(coders, func(c coder) bool { return c.categorical }) {
		return b, nil
	}
	options := b.options
	options.RowsHint = b.rows
	to, err := NewBuilder(cols, options)
	if err != nil {
		return nil, err
	}
	if _, err := to.ExtendUnprovided(b.rows); err != nil {
		_ = to.Discard() // the first error counts
		return nil, err
	}
	values, size := to.Values(), BlockRows(b.rows, b.cols)
	eachBlock(b, func(block int, x framework.Matrix, _ []float64) {
		to.Provide(values.Slice(block*size, block*size+x.Rows).Data)
		for i := range x.Rows {
			place, dst := 0, values.Row(block*size+i)
			for t, v := range x.Row(i) {
				coders[t].write(dst[place:place+coders[t].width], v)
				place += coders[t].width
			}
		}
	})
	if err := to.SetWeights(b.weights); err != nil {
		_ = to.Discard()
		return nil, err
	}
	return to, b.Discard()
}

// write fills the cells, which are 0, of one value.
func (c coder) write(dst []float64, v float64) {
	if !c.categorical {
		dst[0] = v
		return
	}
	at := c.null
	if v == v {
		at = c.at[int(v)]
	}
	switch at {
	case none:
	case blank:
		for l := range dst {
			dst[l] = math.NaN()
		}
	default:
		dst[at] = 1
	}
}

// Encode does with new rows what Encode did with those that the recipe was
// learned from; the sources must be the recipe's columns, in their order. A
// category that the recipe does not know is treated as unseen says. NULL is
// missing where the recipe has no category for it.
func (r Recipe) Encode(b *Builder, sources []Source, unseen Unseen) (*Builder, error) {
	if b.sparse != nil {
		return b, nil
	}
	coders := make([]coder, len(sources))
	var unknown []missingLevel
	place := 0
	for t, s := range sources {
		from := place
		for place < len(r.Features) && r.Features[place].Column() == s.Name {
			place++
		}
		of := r.Features[from:place]
		if len(of) == 0 || of[0].IsCategory() != s.Categorical {
			panic(fmt.Sprintf("matrix: column %q is not the recipe's", s.Name))
		}
		coders[t] = coderOf(of, s, unseen)
		for code, at := range coders[t].at {
			if at == none {
				unknown = append(unknown, missingLevel{source: t, code: code})
			}
		}
	}
	if place != len(r.Features) {
		panic(fmt.Sprintf("matrix: %d features of %d", place, len(r.Features)))
	}
	if len(unknown) > 0 {
		return nil, unseenFault(b, sources, unknown)
	}
	return expand(b, coders, len(r.Features))
}

// coderOf returns the coder of one source of a recipe. Unseen levels get none
// where they are an error.
func coderOf(of []Feature, s Source, unseen Unseen) coder {
	if !s.Categorical {
		return coder{width: 1}
	}
	c := coder{categorical: true, width: len(of), at: make([]int, len(s.Levels)), null: blank}
	known, frequent := make(map[string]int, len(of)), 0
	for l, f := range of {
		if f.Null {
			c.null = l
		} else {
			known[f.Category] = l
		}
		if f.Share > of[frequent].Share {
			frequent = l
		}
	}
	instead := none
	switch unseen {
	case UnseenIgnore:
		instead = blank
	case UnseenNearest:
		instead = frequent
	}
	for code, level := range s.Levels {
		l, ok := known[level]
		if !ok {
			l = instead
		}
		c.at[code] = l
	}
	return c
}

// A missingLevel is a category that a recipe does not know.
type missingLevel struct{ source, code int }

// unseenFault names unseen categories and counts their rows.
func unseenFault(b *Builder, sources []Source, unknown []missingLevel) error {
	const shown = 10
	rows := make(map[missingLevel]int, len(unknown))
	for _, u := range unknown {
		rows[u] = 0
	}
	values := b.Cells()
	for i := range b.rows {
		for t, v := range values.Row(i) {
			if !sources[t].Categorical || v != v {
				continue
			}
			if n, ok := rows[missingLevel{t, int(v)}]; ok {
				rows[missingLevel{t, int(v)}] = n + 1
			}
		}
	}
	are := "1 category is"
	if len(unknown) > 1 {
		are = fmt.Sprintf("%d categories are", len(unknown))
	}
	f := framework.Faultf(framework.Data, "unseen-category", "%s not among those that the model was fitted with", are).
		WithHint("%s measures these rows without the column, %s takes its most frequent category",
			framework.SettingTo("unseen", "ignore"), framework.SettingTo("unseen", "nearest"))
	for i, u := range unknown {
		if i == shown {
			f.Details = append(f.Details, fmt.Sprintf("and %d more", len(unknown)-shown))
			break
		}
		of := "rows"
		if rows[u] == 1 {
			of = "row"
		}
		f.Details = append(f.Details, fmt.Sprintf("%s = %q: %d %s", sources[u.source].Name, sources[u.source].Levels[u.code], rows[u], of))
	}
	return f
}
