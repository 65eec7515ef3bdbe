package beside

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

var groupsPlace = framework.Setting("groups")

// groupColumns are the columns that a relation of groups may have; those from
// the third on may be absent.
var groupColumns = []string{"feature", "feature_group", "weight"}

// A groupLine is a row of a relation of groups; nil stands for NULL.
type groupLine struct{ feature, group, weight any }

func (l groupLine) String() string {
	return fmt.Sprintf("feature %v, group %v", orNULL(l.feature), orNULL(l.group))
}

// ReadGroups reads the groups of the table's features: a relation with the
// columns feature, feature_group and, if groups have weights, weight. The result
// has the group of each feature that is in one; the others are groups of their
// own. A categorical feature is in a group with all its categories. All rows
// that are wrong are reported together, in an order of their own: that of the
// relation changes nothing.
func (db *DB) ReadGroups(ctx context.Context, relation string, t *input.Table) (map[string]framework.Group, error) {
	r, err := db.Resolve(ctx, relation, groupsPlace)
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	weight, err := checkGroupColumns(r)
	if err != nil {
		return nil, err
	}
	rows, err := db.Rows(ctx, "SELECT CAST(feature AS VARCHAR), CAST(feature_group AS VARCHAR), CAST("+weight+" AS DOUBLE) FROM "+r.From)
	if err != nil {
		return nil, db.NumberFault(ctx, source.ReadFault(err, r, 0), r, groupsPlace, "weight")
	}
	if len(rows) == 0 {
		return nil, framework.Faultf(framework.Data, "empty-relation", "%s has no rows", r.Label).At("groups")
	}
	lines := make([]groupLine, len(rows))
	for i, row := range rows {
		lines[i] = groupLine{row[0], row[1], row[2]}
	}
	slices.SortStableFunc(lines, func(a, b groupLine) int {
		return cmp.Or(compare[string](a.feature, b.feature), compare[string](a.group, b.group), compare[float64](a.weight, b.weight))
	})
	return groupsOf(lines, t, r)
}

// checkGroupColumns refuses columns that are missing or unknown, and returns the
// expression that reads the weight.
func checkGroupColumns(r *source.Relation) (weight string, err error) {
	const hint = "it needs the columns feature and feature_group, and optionally weight"
	if err := checkColumns(r, "groups", groupColumns[:2], groupColumns, hint); err != nil {
		return "", err
	}
	if r.Has("weight") {
		return "weight", nil
	}
	return "NULL", nil
}

// groupsOf checks the lines, which are sorted by feature, and puts them
// together.
func groupsOf(lines []groupLine, t *input.Table, r *source.Relation) (map[string]framework.Group, error) {
	find := byName(t.Features)
	groups := map[string]framework.Group{}  // by feature
	weights := map[string]framework.Group{} // by name
	var bad input.Tally
	for _, line := range lines {
		name, _ := line.feature.(string)
		group, _ := line.group.(string)
		l, known := find(name)
		problem := ""
		switch before := (framework.Group{}); {
		case line.feature == nil:
			problem = "the feature is NULL"
		case !known:
			problem = noFeature(t, name)
		case group == "":
			problem = "the group has no name"
		default:
			before, known = groups[t.Features[l]]
			switch {
			case known && before.Name == group:
				problem = "given twice"
			case known:
				problem = "the feature is in group " + before.Name + " too"
			default:
				groups[t.Features[l]] = framework.Group{Name: group}
			}
		}
		if problem == "" {
			problem = weigh(weights, group, line.weight)
		}
		if problem != "" {
			bad.Add("%v: %s", line, problem)
		}
	}
	for _, name := range t.Features {
		if _, grouped := groups[name]; !grouped {
			if _, taken := weights[name]; taken {
				bad.Add("group %s: the feature %s, which is in no group, is a group of this name", name, name)
			}
		}
	}
	if bad.Count > 0 {
		return nil, framework.Faultf(framework.Data, "bad-groups", "%s in %s", input.Plural(bad.Count, "problem"), r.Label).At("groups").
			WithHint("a feature is in one row, with one group, and a group has one weight; "+
				"sqlcluster check without %s lists the features", groupsPlace).WithDetails(bad.Details())
	}
	for name, g := range groups {
		groups[name] = weights[g.Name]
	}
	return groups, nil
}

// weigh notes the weight of a group, which one of its rows has or all of them,
// or says what is wrong with it.
func weigh(weights map[string]framework.Group, group string, given any) string {
	if _, known := weights[group]; !known {
		weights[group] = framework.Group{Name: group, Weight: math.NaN()}
	}
	w, ok := given.(float64)
	before := weights[group].Weight
	switch {
	case !ok: // another row may have it
	case !(w >= 0) || math.IsInf(w, 0):
		return fmt.Sprintf("the weight is %v; it must be a finite number of at least 0", w)
	case before != before:
		weights[group] = framework.Group{Name: group, Weight: w}
	case before != w:
		return fmt.Sprintf("the weight is %v, but %v in another row of the group", w, before)
	}
	return ""
}

// noFeature says why the table has no feature of a name.
func noFeature(t *input.Table, name string) string {
	for _, e := range t.Excluded {
		if strings.EqualFold(e.Name, name) {
			return "the column is not a feature (" + e.Why + ")"
		}
	}
	return unknownFeature(name, t.Features)
}

// unknownFeature says that there is no feature of a name.
func unknownFeature(name string, known []string) string {
	if near := framework.Closest(name, known); near != "" {
		return "there is no such feature; did you mean " + near
	}
	return "there is no such feature"
}

// compare orders values of a type, NULL first and NaN next.
func compare[T cmp.Ordered](a, b any) int {
	x, someX := a.(T)
	y, someY := b.(T)
	switch {
	case someX == someY:
		return cmp.Compare(x, y)
	case someY:
		return -1
	}
	return 1
}
