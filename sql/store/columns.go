package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A selection says which columns of a relation are read, and as what.
type selection struct {
	key      *column // nil: rows are numbered
	weight   *column // nil: no row weights
	sources  []source
	excluded []Excluded
}

// A source is a column that holds features.
type source struct {
	column
	array bool
	list  bool // an array of varying length
	width int  // features it holds

	category  bool // of categories, which are read as numbers of levels
	nullLevel bool // NULL is a category
}

// An Excluded is a column that is not a feature, and the reason.
type Excluded struct {
	Name, Why string
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
		if c.category {
			columns = append(columns, c.levelExpression())
		} else {
			columns = append(columns, c.expression())
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + r.from
}

// choose applies the flags about columns.
func choose(r *relation, spec ReadSpec) (*selection, error) {
	s := &selection{}
	var err error
	if spec.ID == "" && spec.Key != "" && r.has(spec.Key) {
		spec.ID = spec.Key
	}
	if spec.ID != "" {
		if s.key, err = r.column(spec.ID, "--id"); err != nil {
			return nil, err
		}
		if err := checkKeyName(s.key.name); err != nil {
			return nil, err
		}
	}
	if spec.Weight != "" {
		if s.weight, err = r.column(spec.Weight, "--weight"); err != nil {
			return nil, err
		}
		if c, _ := classify(s.weight.typ); c != number {
			return nil, framework.Faultf(framework.Data, "weight-not-numeric", "the row weight %q is %s, not a number", s.weight.name, s.weight.typ).WithWhere("--weight")
		}
		if s.weight == s.key {
			return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be both row key and row weight", s.key.name).WithWhere("--weight")
		}
	}
	if spec.Want != nil {
		return s, s.want(r, spec.Want, spec.WantCategories)
	}
	return s, s.pick(r, spec)
}

// checkKeyName refuses a key that would collide with a column of the result.
func checkKeyName(name string) error {
	for _, taken := range schema.ColumnNames(schema.Assignments) {
		if strings.EqualFold(name, taken) {
			return framework.Faultf(framework.Data, "key-name-taken", "the row key cannot be called %q: the assignments have a column of that name", name).
				WithWhere("--id").WithHint("rename it in a query: SELECT * RENAME (%s AS row_key) FROM …", schema.Quote(name))
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
		f.Hint = "its columns are " + listed(names)
	}
	return f
}

// pick selects the features by --features and --exclude.
func (s *selection) pick(r *relation, spec ReadSpec) error {
	wanted, err := s.matched(r, spec.Features, "--features")
	if err != nil {
		return err
	}
	dropped, err := s.matched(r, spec.Exclude, "--exclude")
	if err != nil {
		return err
	}
	categorical, err := s.matched(r, spec.Categorical, categoricalFlag)
	if err != nil {
		return err
	}
	var bad []column
	for i := range r.columns {
		c := &r.columns[i]
		why := ""
		switch {
		case c == s.key:
			why = "row key"
		case c == s.weight:
			why = "row weight"
		case dropped[c]:
			why = "--exclude"
		case len(spec.Features) > 0 && !wanted[c]:
			why = "not in --features"
		}
		switch {
		case why != "":
			if err := checkNamed(c, spec, why); err != nil {
				return err
			}
			s.excluded = append(s.excluded, Excluded{Name: c.name, Why: why})
		case categorical[c] || spec.Categories && textual(c.typ):
			if !s.addCategory(*c, spec.NullLevel) {
				return notCategorical(*c, categoricalFlag)
			}
		case !s.add(*c):
			bad = append(bad, *c)
		}
	}
	if len(bad) > 0 {
		return notNumeric(r, bad, false)
	}
	if len(s.sources) == 0 {
		return framework.Faultf(framework.Data, "no-features", "%s has no numeric column left to cluster by", r.label).
			WithHint("--features and --exclude choose them; sqlcluster check shows what is used")
	}
	return nil
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
			if flag == "--features" && named(p, c) && (c == s.key || c == s.weight) {
				return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be a feature: it is the row key or the row weight", c.name).WithWhere("%s", where)
			}
			set[c] = true
		}
	}
	return set, nil
}

// notNumeric refuses columns that are no numbers, all at once.
func notNumeric(r *relation, bad []column, needed bool) error {
	names := make([]string, len(bad))
	shown := tally{}
	for i, c := range bad {
		names[i] = c.name
		shown.add(func() string { return fmt.Sprintf("%s is %s: %s", c.name, shortType(c.typ), c.advice()) })
	}
	are := "columns are not numbers"
	if len(bad) == 1 {
		are = "column is not a number"
	}
	f := framework.Faultf(framework.Data, "column-not-numeric", "%d %s: %s", len(bad), are, listed(names))
	f.Details = shown.details()
	if needed {
		return f.WithWhere("%s", r.label).WithHint("the model needs them as numbers; convert them in a query as when it was fitted")
	}
	f.Where = r.label
	f.Hint = "leave them out with " + columnFlag("--exclude", names) + ", or name the features with --features"
	var texts []string
	for _, c := range bad {
		if textual(c.typ) {
			texts = append(texts, c.name)
		}
	}
	switch {
	case len(texts) == len(bad):
		f.Hint = columnFlag("--categorical", texts) + " makes features of their categories; --exclude leaves them out"
	case len(texts) > 0:
		f.Hint += "; " + columnFlag("--categorical", texts) + " makes features of categories"
	}
	return f
}

// shortType returns a type, with long ones cut.
func shortType(typ string) string {
	const limit = 40
	if len(typ) <= limit {
		return typ
	}
	return typ[:limit] + "…"
}
