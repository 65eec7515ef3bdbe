package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A selection says which columns of a relation are read, and as what.
type selection struct {
	key      *column // nil: rows are numbered
	weight   *column // nil: no row weights
	sources  []source
	excluded []input.Excluded
	warnings []string
}

// A source is a column that holds features.
type source struct {
	column
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
			names = append(names, c.name)
			continue
		}
		for i := range c.width {
			names = append(names, fmt.Sprintf("%s[%d]", c.name, i+1))
		}
	}
	return names
}

// sql returns the query that reads the selection: key, weight, features.
func (s *selection) sql(r *relation) string {
	var columns []string
	if s.key != nil {
		columns = append(columns, schema.Quote(s.key.name))
	}
	if s.weight != nil {
		columns = append(columns, "CAST("+schema.Quote(s.weight.name)+" AS DOUBLE)")
	}
	for _, c := range s.sources {
		switch {
		case c.absent:
			columns = append(columns, "CAST(NULL AS "+c.typ+")")
		case c.category:
			columns = append(columns, c.levelExpression())
		default:
			columns = append(columns, c.expression())
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + r.from
}

// choose applies the flags about columns.
func (db *DB) choose(ctx context.Context, r *relation, spec input.Spec) (*selection, error) {
	s := &selection{}
	var err error
	if spec.ID == "" && spec.Key != "" && r.has(spec.Key) {
		spec.ID = spec.Key
	}
	if spec.ID != "" {
		if s.key, err = r.column(spec.ID, framework.Setting("id")); err != nil {
			return nil, err
		}
		if err := checkKeyName(s.key.name); err != nil {
			return nil, err
		}
	}
	if spec.Weight != "" {
		if s.weight, err = r.column(spec.Weight, framework.Setting("weight")); err != nil {
			return nil, err
		}
		if c, _ := classify(s.weight.typ); c != number {
			return nil, db.badWeight(ctx, r, s.weight)
		}
		if s.weight == s.key {
			return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be both row key and row weight", s.key.name).At("weight")
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

// checkKeyName refuses a key that would collide with a column of the result.
func checkKeyName(name string) error {
	for _, taken := range schema.ColumnNames(schema.Assignments) {
		if strings.EqualFold(name, taken) {
			return framework.Faultf(framework.Data, "key-name-taken", "the row key cannot be called %q: the assignments have a column of that name", name).
				At("id").WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(name))
		}
	}
	return nil
}

// column finds a column by name; case decides only between names that are
// otherwise equal.
func (r *relation) column(name, where string) (*column, error) {
	if c := r.find(name); c != nil {
		return c, nil
	}
	return nil, r.missing(name, where)
}

// find returns the column of a name, or nil.
func (r *relation) find(name string) *column {
	found := slices.IndexFunc(r.columns, func(c column) bool { return c.name == name })
	if found < 0 {
		found = slices.IndexFunc(r.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
	}
	if found < 0 {
		return nil
	}
	return &r.columns[found]
}

// has reports whether there is a column of that name.
func (r *relation) has(name string) bool {
	return slices.ContainsFunc(r.columns, func(c column) bool { return strings.EqualFold(c.name, name) })
}

func (r *relation) missing(name, where string) *framework.Fault {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.name
	}
	f := framework.Faultf(framework.Data, "column-not-found", "%s has no column %q", r.label, name).WithWhere("%s", where)
	if f.Similar = framework.Closest(name, names); f.Similar == "" {
		f.Hint = "its columns are " + input.ColumnNames(names)
	}
	return f
}

// add appends a column to the sources if it is numeric.
func (s *selection) add(c column) bool {
	kind, size := classify(c.typ)
	if kind != number && kind != array {
		return false
	}
	s.sources = append(s.sources, source{column: c, array: kind == array, list: kind == array && size == 0, width: size})
	return true
}

// matched returns the columns that names and patterns refer to.
func (s *selection) matched(r *relation, patterns []string, flag string) (map[*column]bool, error) {
	set := map[*column]bool{}
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
				return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be a feature: it is the row key or the row weight", c.name).WithWhere("%s", where)
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
