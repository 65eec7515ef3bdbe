package source

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

var longPlace = framework.Setting("long")

// featureTables counts tables of features: several relations may be read at once.
var featureTables atomic.Int64

// long reads a relation of triples, whose rows come sorted by key and feature.
type long struct {
	*selection
	r              *Relation
	spec           input.Spec
	feature, value *Column
	maps           bool // they are made of maps: a value without a feature says that the row has no cells

	numbers string   // the temporary table that numbers the features, in the order of their names
	names   []string // of the features that are read
	place   []int32  // by the number of a feature: its place in names; −1: it is not read

	builder *matrix.Builder
	keys    *duck.Keys
	weights []float64
	rounded []bool
	limit   float64 // beyond which numbers are rounded

	one       *duck.Keys // the key of a triple
	last, now []byte     // those of the row and of a triple, as bytes
	begun     bool       // there is a row
	weight    any        // of the row: a float64, or nil for NULL
	cells     []cell     // of the row
	blanks    []int      // rows without cells
	from      int64      // the row of the maps that the row is; −1: several
	columns   []int32    // room for AppendRow
	values    []float64

	nullKeys, badCells, badWeights, repeated, apart, twice input.Tally
}

// A cell is what the triples of a key and a feature say.
type cell struct {
	column int32
	times  int // triples
	value  float64
}

// isLong reports whether the relation is to be read as triples.
func (r *Relation) isLong(l *input.Long) bool {
	return l != nil && (!l.Perhaps || r.Has(l.Key) && r.Has(l.Feature) && r.Has(l.Value))
}

// readLong reads a relation of triples into a sparse table: rows in the order of their
// keys, columns in that of the names of the features or of those that are wanted.
func (db *DB) readLong(ctx context.Context, in *long) (*input.Table, error) {
	r, spec := in.r, in.spec
	var err error
	if in.selection, err = db.chooseLong(ctx, in); err != nil {
		return nil, ofLong(db.emptyFirst(ctx, r, err))
	}
	in.numbers = fmt.Sprintf("temp.sqlcluster_features_%d", featureTables.Add(1))
	defer func() { _ = db.Exec(context.Background(), "DROP TABLE IF EXISTS "+in.numbers) }()
	if err := db.numberFeatures(ctx, in); err != nil {
		return nil, err
	}
	in.builder = matrix.NewSparseBuilder(len(in.names), in.options())
	in.rounded, in.limit = make([]bool, len(in.names)), exactUpTo(in.value.Type)
	if err := db.Stream(ctx, in.triples(), in.take); err != nil {
		_ = in.builder.Discard() // the first error counts
		return nil, ofLong(ReadFault(err, r, in.builder.Rows()))
	}
	t, err := db.longTable(ctx, in)
	if err != nil {
		_ = in.builder.Discard() // the first error counts
		return nil, ofLong(err)
	}
	t.Long = spec.Long
	if spec.Order == "input" {
		err = db.asFound(ctx, in, t)
	}
	return t, err
}

// ofLong says of what is wrong with a key that Long names it.
func ofLong(err error) error {
	if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("id") {
		return f.WithWhere("%s", longPlace)
	}
	return err
}

// chooseLong finds the columns of the triples.
func (db *DB) chooseLong(ctx context.Context, in *long) (s *selection, err error) {
	r, l := in.r, in.spec.Long
	s = &selection{}
	for _, c := range []struct {
		column **Column
		name   string
	}{{&s.key, l.Key}, {&in.feature, l.Feature}, {&in.value, l.Value}} {
		if *c.column, err = r.Column(c.name, longPlace); err != nil {
			return nil, err
		}
	}
	if err := CheckKeyName(s.key.Name, schema.Assignments); err != nil {
		return nil, err
	}
	if in.value.Type == "BOOLEAN" {
		return nil, framework.Faultf(framework.Data, "value-not-numeric", "the value %q is BOOLEAN, not a number", in.value.Name).At("long").
			WithHint("CAST(%s AS INTEGER) in a query makes 1 of true, and 0 of false", schema.Quote(in.value.Name))
	}
	if c, _ := classify(in.value.Type); c != number {
		return nil, db.badNumber(ctx, r, in.value, framework.Faultf(framework.Data, "value-not-numeric",
			"the value %q is %s, not a number", in.value.Name, shortType(in.value.Type)).At("long"))
	}
	if in.spec.Weight != "" {
		if s.weight, err = r.Column(in.spec.Weight, framework.Setting("weight")); err != nil {
			return nil, err
		}
		if c, _ := classify(s.weight.Type); c != number {
			return nil, db.badWeight(ctx, r, s.weight)
		}
		if s.weight == s.key || s.weight == in.feature || s.weight == in.value {
			return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be the row weight: %s names it",
				s.weight.Name, longPlace).At("weight")
		}
	}
	for i := range r.Columns {
		if c := &r.Columns[i]; c != s.key && c != in.feature && c != in.value && c != s.weight {
			s.excluded = append(s.excluded, input.Excluded{Name: c.Name, Why: "not in " + longPlace})
		}
	}
	if len(in.spec.WantCategories) > 0 {
		return nil, framework.Faultf(framework.Data, "categories-and-triples", "the model has columns of categories, and triples are numbers").
			At("long").WithHint("give a relation with the columns of the model")
	}
	return s, nil
}

// name is the SQL of a feature's name. Names are equal if their bytes are.
func (in *long) name() string {
	return plainText("CAST(" + schema.Quote(in.feature.Name) + " AS VARCHAR)")
}

// plainText is the SQL of a text without the collation of its column.
func plainText(text string) string { return "decode(encode(" + text + "))" }

// numberFeatures numbers the features in the order of their names, and chooses those
// that are read.
func (db *DB) numberFeatures(ctx context.Context, in *long) error {
	sql := "CREATE TEMP TABLE " + strings.TrimPrefix(in.numbers, "temp.") +
		" AS SELECT name, row_number() OVER (ORDER BY name) - 1 AS number FROM (SELECT DISTINCT " + in.name() + " AS name FROM " +
		in.r.From + ") WHERE name IS NOT NULL"
	if err := db.ExecReading(ctx, sql); err != nil {
		return ReadFault(err, in.r, 0)
	}
	var names []string
	err := db.Stream(ctx, "SELECT name FROM "+in.numbers+" ORDER BY number", func(c duck.Chunk) error {
		v := c.Column(0)
		for i := range c.Rows {
			names = append(names, string(v.Text(i)))
		}
		return nil
	})
	if err != nil {
		return ReadFault(err, in.r, 0)
	}
	if in.spec.Want != nil {
		in.wanted(names)
		return nil
	}
	return in.pick(names)
}

// wanted reads the features of a model, in its order.
func (in *long) wanted(names []string) {
	in.names, in.place = in.spec.Want, make([]int32, len(names))
	places, unknown := make(map[string]int32, len(in.names)), 0
	for l, name := range in.names {
		places[name] = int32(l)
	}
	for i, name := range names {
		l, known := places[name]
		if !known {
			l = -1
			unknown++
		}
		in.place[i] = l
	}
	if unknown > 0 {
		in.warnings = append(in.warnings, input.Counted(unknown, "feature of the relation is not in the model, and has no effect",
			"features of the relation are not in the model, and have no effect"))
	}
}

// pick reads the features that Features and Exclude choose.
func (in *long) pick(names []string) error {
	if len(names) > 0 && names[0] == "" && in.maps {
		return framework.Faultf(framework.Data, "feature-without-name", "a map has the empty text as a key").At("features").
			WithHint("leave it out in a query")
	}
	if len(names) > 0 && names[0] == "" {
		return framework.Faultf(framework.Data, "feature-without-name", "a feature has the empty text as its name").At("long").
			WithHint("nullif(%s, '') makes NULL of it; a triple without a feature says only that there is a row of that key",
				schema.Quote(in.feature.Name))
	}
	all := &Relation{Label: in.r.Label, of: "feature", Columns: make([]Column, len(names))}
	for i, name := range names {
		all.Columns[i].Name = name
	}
	left, err := (&selection{}).leave(all, input.Spec{Features: in.spec.Features, Exclude: in.spec.Exclude})
	if err != nil {
		return err
	}
	in.place = make([]int32, len(names))
	for i := range names {
		in.place[i] = -1
		if left[&all.Columns[i]] == "" {
			in.place[i] = int32(len(in.names))
			in.names = append(in.names, names[i])
		}
	}
	return nil
}

func (in *long) options() matrix.Options {
	return matrix.Options{Storage: in.spec.Storage, Dir: in.spec.Dir, Most: in.spec.Most}
}
