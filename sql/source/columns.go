package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A selection says which columns of a relation are read, and as what.
type selection struct {
	key      *Column // nil: rows are numbered
	weight   *Column // nil: no row weights
	sources  []source
	excluded []input.Excluded
	warnings []string
	looked   bool // values of text have decided what is read
}

// A source is a column that holds features.
type source struct {
	Column
	array bool
	list  bool // an array of varying length
	width int  // features it holds

	category  bool // of categories, which are read as numbers of levels
	nullLevel bool // NULL is a category

	absent bool // there is no such column: it is NULL in every row
}

// names returns the names of the features.
func (s *selection) names() []string {
	var names []string
	for _, c := range s.sources {
		if !c.array {
			names = append(names, c.Name)
			continue
		}
		for i := range c.width {
			names = append(names, fmt.Sprintf("%s[%d]", c.Name, i+1))
		}
	}
	return names
}

// sql returns the query that reads the selection: what is to come first, then key,
// weight and features.
func (s *selection) sql(r *Relation, columns ...string) string {
	return "SELECT " + strings.Join(append(columns, s.expressions()...), ", ") + " FROM " + r.From
}

// expressions returns the SQL of the columns that are read: the key and the row weight, if
// there are any, and the sources.
func (s *selection) expressions() (columns []string) {
	if s.key != nil {
		columns = append(columns, schema.Quote(s.key.Name))
	}
	if s.weight != nil {
		columns = append(columns, "CAST("+schema.Quote(s.weight.Name)+" AS DOUBLE)")
	}
	for _, c := range s.sources {
		switch {
		case c.absent:
			columns = append(columns, "CAST(NULL AS "+c.Type+")")
		case c.category:
			columns = append(columns, c.levelExpression())
		default:
			columns = append(columns, c.expression())
		}
	}
	return columns
}

// choose applies the flags about columns.
func (db *DB) choose(ctx context.Context, r *Relation, spec input.Spec) (*selection, error) {
	s := &selection{}
	var err error
	if spec.ID == "" && spec.Key != "" && r.Has(spec.Key) {
		spec.ID = spec.Key
	}
	if spec.ID != "" {
		if s.key, err = r.Column(spec.ID, framework.Setting("id")); err != nil {
			return nil, err
		}
		if err := CheckKeyName(s.key.Name, schema.Assignments); err != nil {
			return nil, err
		}
	}
	if spec.Weight != "" {
		if s.weight, err = r.Column(spec.Weight, framework.Setting("weight")); err != nil {
			return nil, err
		}
		if c, _ := classify(s.weight.Type); c != number {
			return nil, db.badWeight(ctx, r, s.weight)
		}
		if s.weight == s.key {
			return nil, framework.Faultf(framework.Usage, "column-used-twice",
				"column %q cannot be both row key and row weight", s.key.Name).At("weight")
		}
	}
	if spec.Want != nil {
		bad, err := s.want(r, spec)
		if err == nil && len(bad) > 0 {
			err = db.notWanted(ctx, r, bad)
		}
		return s, err
	}
	return s, db.pick(ctx, s, r, spec)
}

// CheckKeyName refuses a key that would collide with a column of a result table.
func CheckKeyName(name, table string) error {
	for _, taken := range schema.ColumnNames(table) {
		if strings.EqualFold(name, taken) {
			return framework.Faultf(framework.Data, "key-name-taken",
				"the row key cannot be called %q: the %s have a column of that name", name, table).
				At("id").WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(name))
		}
	}
	return nil
}

// Column finds a column by name; case decides only between names that are
// otherwise equal.
func (r *Relation) Column(name, where string) (*Column, error) {
	if c := r.find(name); c != nil {
		return c, nil
	}
	return nil, r.missing(name, where)
}

// find returns the column of a name, or nil.
func (r *Relation) find(name string) *Column {
	found := slices.IndexFunc(r.Columns, func(c Column) bool { return c.Name == name })
	if found < 0 {
		found = slices.IndexFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	}
	if found < 0 {
		return nil
	}
	return &r.Columns[found]
}

// Has reports whether there is a column of that name.
func (r *Relation) Has(name string) bool {
	return slices.ContainsFunc(r.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
}

func (r *Relation) missing(name, where string) *framework.Fault {
	if strings.TrimSpace(name) == "" {
		return framework.Faultf(framework.Usage, "empty-name", "the name of a %s is empty", r.part()).WithWhere("%s", where).
			WithHint("leave out the comma that is too many")
	}
	names := r.names()
	f := framework.Faultf(framework.Data, "column-not-found", "%s has no %s %q", r.Label, r.part(), name).WithWhere("%s", where)
	if f.Similar = framework.Closest(name, names); f.Similar == "" {
		f.Hint = "its " + r.part() + "s are " + input.ColumnNames(names)
	}
	return f
}

// part is what Columns has, in the singular.
func (r *Relation) part() string { return cmp.Or(r.of, "column") }

func (r *Relation) names() []string {
	return input.NamesOf(r.Columns, func(c Column) string { return c.Name })
}

// add appends a column to the sources if it is numeric.
func (s *selection) add(c Column) bool {
	kind, size := classify(c.Type)
	if kind != number && kind != array {
		return false
	}
	s.sources = append(s.sources, source{Column: c, array: kind == array, list: kind == array && size == 0, width: size})
	return true
}

// matched returns the columns that names and patterns refer to.
func (s *selection) matched(r *Relation, patterns []string, flag string) (map[*Column]bool, error) {
	set := map[*Column]bool{}
	for i, p := range patterns {
		where := flag
		if len(patterns) > 1 {
			where = fmt.Sprintf("%s, item %d of %d", flag, i+1, len(patterns))
		}
		found, err := r.byItem(p, where)
		if err != nil {
			return nil, r.withComma(err, patterns[i:])
		}
		for _, c := range found {
			if flag == framework.Setting("features") && named(p, c) && (c == s.key || c == s.weight) {
				return nil, framework.Faultf(framework.Usage, "column-used-twice",
					"column %q cannot be a feature: it is the row key or the row weight", c.Name).WithWhere("%s", where)
			}
			set[c] = true
		}
	}
	return set, nil
}

// shortType returns a type, with long ones cut.
func shortType(typ string) string {
	const limit = 40
	if len(typ) <= limit {
		return typ
	}
	return typ[:limit] + "…"
}
