package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

var entryName = pattern.New(`^(.+)\[\d+\]$`)

// want selects exactly the features that are wanted, in their order: those of a
// model. It returns those that must be numbers and are none.
func (s *selection) want(r *Relation, spec input.Spec) (bad []*Column, err error) {
	var missing []string
	var first *framework.Fault
	taken := map[*Column]bool{}
	for _, name := range spec.Want {
		c, err := r.Column(name, "the model's features")
		if err != nil {
			if m := entryName().FindStringSubmatch(name); m != nil {
				if whole, wholeErr := r.Column(m[1], ""); wholeErr == nil {
					c, err = whole, nil
				}
			}
		}
		nullLevel, categorical := spec.WantCategories[name]
		switch {
		case err != nil && spec.Optional[name]:
			s.addAbsent(name, categorical, nullLevel)
		case err != nil:
			if first == nil {
				first = framework.AsFault(err)
			}
			missing = append(missing, name)
		case taken[c] && strings.EqualFold(c.Name, name): // of another case
			missing = append(missing, name)
			first = cmp.Or(first, framework.AsFault(r.missing(name, "the model's features")))
		case !taken[c]:
			taken[c] = true
			if categorical && !s.addCategory(*c, nullLevel) {
				return nil, notCategorical(*c, r.Label)
			}
			if !categorical && !s.add(*c) {
				bad = append(bad, c)
			}
		}
	}
	if len(missing) > 1 {
		first.Summary = r.Label + " lacks columns that the model needs: " + input.ColumnNames(missing)
	}
	if first != nil {
		return nil, r.remedy(first, missing, spec)
	}
	for i := range r.Columns {
		if c := &r.Columns[i]; !taken[c] && c != s.key && c != s.weight {
			s.excluded = append(s.excluded, input.Excluded{Name: c.Name, Why: "not in the model"})
		}
	}
	return bad, nil
}

// addAbsent adds a column that the relation does not have.
func (s *selection) addAbsent(name string, categorical, nullLevel bool) {
	c := Column{Name: name, Type: "DOUBLE"}
	if categorical {
		c.Type = "VARCHAR"
	}
	s.sources = append(s.sources, source{Column: c, category: categorical, nullLevel: nullLevel, width: 1, absent: true})
}

// features returns the names of the features, those of the model if it wants some, and
// refuses arrays whose entries are not what it wants.
func (s *selection) features(r *Relation, names []string) ([]string, error) {
	have := s.names()
	if names == nil {
		return have, nil
	}
	if slices.EqualFunc(have, names, strings.EqualFold) {
		return names, nil
	}
	return nil, framework.Faultf(framework.Data, "features-differ",
		"%s has features other than the %d of the model: an array column has another length", r.Label, len(names))
}
