package matrix

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Group is a group of features of a recipe.
type Group struct {
	Name   string   `json:"name"`
	Weight *float64 `json:"weight,omitempty"` // nil: none was given
}

// SetGroups puts the features of each column into a group: that of the same
// name as all other columns with it, or the column's own if it is not in of.
// Groups are numbered in the order of their first features.
func (r *Recipe) SetGroups(of map[string]framework.Group) {
	r.Groups = []Group{}
	number := map[string]int{}
	for l := range r.Features {
		f := &r.Features[l]
		g, ok := of[f.Column()]
		if !ok {
			g = framework.Group{Name: f.Column(), Weight: math.NaN()}
		}
		at, ok := number[g.Name]
		if !ok {
			at = len(r.Groups)
			number[g.Name] = at
			group := Group{Name: g.Name}
			if g.Weight == g.Weight {
				group.Weight = &g.Weight
			}
			r.Groups = append(r.Groups, group)
		}
		f.Group = at
	}
}

// ProblemGroups returns the groups for a problem; nil if there are none.
func (r Recipe) ProblemGroups() []framework.Group {
	if r.Groups == nil {
		return nil
	}
	groups := make([]framework.Group, len(r.Groups))
	for g, group := range r.Groups {
		groups[g] = framework.Group{Name: group.Name, Weight: math.NaN()}
		if group.Weight != nil {
			groups[g].Weight = *group.Weight
		}
	}
	return groups
}

// GroupOf returns the name of the group of a feature, or "" when there are no
// groups.
func (r Recipe) GroupOf(f Feature) string {
	if r.Groups == nil {
		return ""
	}
	return r.Groups[f.Group].Name
}

// HasCategories reports whether any feature is a category.
func (r Recipe) HasCategories() bool {
	return slices.ContainsFunc(r.Features, Feature.IsCategory)
}

// Sources returns the columns of the table that the features are made from, in
// their order, and without their levels.
func (r Recipe) Sources() []Source {
	var sources []Source
	for _, f := range r.Features {
		if n := len(sources); n == 0 || sources[n-1].Name != f.Column() {
			sources = append(sources, Source{Name: f.Column(), Categorical: f.IsCategory()})
		}
		if f.Null {
			sources[len(sources)-1].NullLevel = true
		}
	}
	return sources
}
