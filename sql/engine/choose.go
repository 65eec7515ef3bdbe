package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A source is a column that features are made from.
type source struct {
	Column
	category  bool
	nullLevel bool     // NULL is a category
	absent    bool     // the relation does not have it: NULL in every row
	levels    []string // categories that rows have, in the order of their features
	nullSeen  bool     // and so has NULL
}

// A selection says which columns are read, and as what.
type selection struct {
	key      Column
	weight   *Column // nil: no row weights
	sources  []source
	excluded []input.Excluded
}

// choose finds the columns that a spec asks for.
func choose(r *Relation, spec input.Spec) (*selection, error) {
	s := &selection{}
	if err := s.chooseKey(r, spec); err != nil {
		return nil, err
	}
	if spec.Weight != "" {
		at, err := r.column(spec.Weight, "weight")
		if err != nil {
			return nil, err
		}
		if s.weight = &r.Columns[at]; s.weight.Kind != Number {
			return nil, framework.Faultf(framework.Data, "bad-weights", "the column of row weights, %q, is %s, and not a number",
				s.weight.Name, s.weight.Type).At("weight")
		}
		if s.weight.Name == s.key.Name {
			return nil, framework.Faultf(framework.Usage, "column-used-twice", "column %q cannot be both row key and row weight", s.key.Name).
				At("weight")
		}
	}
	if spec.Want != nil {
		return s, s.want(r, spec)
	}
	return s, s.pick(r, spec)
}

// chooseKey finds the row key, without which rows of an engine have no names.
func (s *selection) chooseKey(r *Relation, spec input.Spec) error {
	name := spec.ID
	if name == "" && spec.Key != "" && r.find(spec.Key) >= 0 {
		name = spec.Key
	}
	if name == "" {
		return framework.Faultf(framework.Usage, "id-missing", "rows that stay in an engine have no numbers, and need a key").At("id").
			WithHint("name a unique column with %s", framework.Setting("id"))
	}
	at, err := r.column(name, "id")
	if err != nil {
		return err
	}
	s.key = r.Columns[at]
	if s.key.Kind == Other {
		return framework.Faultf(framework.Data, "key-type-unsupported", "column %q is %s, which cannot be a row key", s.key.Name, s.key.Type).
			At("id").WithHint("cast it to text in a query")
	}
	for _, taken := range schema.ColumnNames(schema.Assignments) {
		if strings.EqualFold(s.key.Name, taken) {
			return framework.Faultf(framework.Data, "key-name-taken",
				"the row key cannot be called %q: the %s have a column of that name", s.key.Name, schema.Assignments).At("id").
				WithHint("rename it in a query")
		}
	}
	return nil
}

// pick selects features by the settings.
func (s *selection) pick(r *Relation, spec input.Spec) error {
	if slices.Contains(spec.Categorical, input.AutoCategories) && r.find(input.AutoCategories) < 0 {
		return framework.Faultf(framework.Usage, "needs-rows", "columns of text with few values are not looked for where rows stay in an engine").
			At("categorical").WithHint("name the columns")
	}
	wanted, err := r.matched(spec.Features, "features")
	if err != nil {
		return err
	}
	dropped, err := r.matched(spec.Exclude, "exclude")
	if err != nil {
		return err
	}
	categorical, err := r.matched(spec.Categorical, "categorical")
	if err != nil {
		return err
	}
	var bad []Column
	for i, c := range r.Columns {
		why := ""
		switch {
		case c.Name == s.key.Name:
			why = "row key"
		case s.weight != nil && c.Name == s.weight.Name:
			why = "row weight"
		case dropped[i]:
			why = framework.Setting("exclude")
		case len(spec.Features) > 0 && !wanted[i]:
			why = "not in " + framework.Setting("features")
		case categorical[i] && c.Kind != Other, spec.Categories && c.Kind == Label:
			s.sources = append(s.sources, source{Column: c, category: true, nullLevel: spec.NullLevel})
		case c.Kind == Number:
			s.sources = append(s.sources, source{Column: c})
		case c.Kind == Label && spec.IgnoreText:
			why = framework.Setting("ignore_text")
		default:
			bad = append(bad, c)
		}
		if why != "" {
			s.excluded = append(s.excluded, input.Excluded{Name: c.Name, Why: why})
		}
	}
	if len(bad) > 0 {
		return notNumeric(r, bad)
	}
	if len(s.sources) == 0 {
		return framework.Faultf(framework.Data, "no-features", "%s has no numeric column left to cluster by", r.Label).
			WithHint("%s and %s choose them", framework.Setting("features"), framework.Setting("exclude"))
	}
	return nil
}

// notNumeric refuses columns that are neither numbers nor named as categories.
func notNumeric(r *Relation, bad []Column) error {
	names := input.NamesOf(bad, func(c Column) string { return c.Name })
	var tally input.Tally
	for _, c := range bad {
		tally.Add("column %q: %s", c.Name, c.Type)
	}
	return framework.Faultf(framework.Data, "columns-not-numeric", "%s of %s %s not numeric", input.Plural(len(bad), "column"), r.Label,
		input.Agreed(len(bad), "is", "are")).WithDetails(tally.Details()).
		WithHint("%s leaves them out; %s makes features of the values of text", framework.SettingTo("exclude", input.ColumnItems(names)),
			framework.SettingTo("categorical", input.ColumnItems(names)))
}

// want selects exactly the columns of a model.
func (s *selection) want(r *Relation, spec input.Spec) error {
	for _, name := range spec.Want {
		nullLevel, category := spec.WantCategories[name]
		at := r.find(name)
		if at < 0 && spec.Optional[name] {
			s.sources = append(s.sources, source{Column: Column{Name: name, Nullable: true}, category: category, nullLevel: nullLevel, absent: true})
			continue
		}
		if at < 0 {
			f := framework.Faultf(framework.Data, "column-not-found", "%s has no column %q, which the model needs", r.Label, name)
			f.Similar = framework.Closest(name, input.NamesOf(r.Columns, func(c Column) string { return c.Name }))
			return f.At("relation")
		}
		c := r.Columns[at]
		if !category && c.Kind != Number || c.Kind == Other {
			return framework.Faultf(framework.Data, "columns-not-numeric", "column %q of %s is %s, and the model has %s there", c.Name, r.Label,
				c.Type, map[bool]string{true: "categories", false: "numbers"}[category]).At("relation")
		}
		s.sources = append(s.sources, source{Column: c, category: category, nullLevel: nullLevel})
	}
	return nil
}

// names returns the names of the sources.
func (s *selection) names() []string {
	return input.NamesOf(s.sources, func(c source) string { return c.Name })
}

// prefix returns what no column's name begins with: aliases do, so that no database takes
// one for the other.
func prefix(r *Relation) string {
	for n := 0; ; n++ {
		p := "r_"
		if n > 0 {
			p = fmt.Sprintf("r%d_", n)
		}
		if !slices.ContainsFunc(r.Columns, func(c Column) bool { return strings.HasPrefix(strings.ToLower(c.Name), p) }) {
			return p
		}
	}
}
