package beside

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// checkColumns refuses a relation that lacks columns which some things need, or has others
// than they have; all are in lower case. The things are named as the setting is; hint says
// which columns they need.
func checkColumns(r *source.Relation, things string, needed, all []string, hint string) error {
	fault := func(format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Data, things+"-columns", format, args...).At(things).WithHint("%s", hint)
	}
	if missing := slices.DeleteFunc(slices.Clone(needed), r.Has); len(missing) > 0 {
		return fault("%s has no %s: there is no column %s", r.Label, things, strings.Join(missing, ", "))
	}
	if unknown := otherColumns(r, all); unknown != nil {
		return fault("%s has columns that %s do not have: %s", r.Label, things, input.Listed(unknown)).
			WithSimilar(framework.Closest(unknown[0], all))
	}
	return nil
}

// otherColumns returns the columns of a relation that have none of these names.
func otherColumns(r *source.Relation, names []string) (others []string) {
	for _, c := range r.Columns {
		if !slices.Contains(names, strings.ToLower(c.Name)) {
			others = append(others, c.Name)
		}
	}
	return others
}
