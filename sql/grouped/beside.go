package grouped

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// besides are the relations beside the table. Each group has a part of each as a query of
// its own, which its run records: a run of the group alone reads the same.
//
//   - A relation that has the columns of the groups: the rows with the values of the group,
//     without these columns.
//   - Another that has keys of rows: those whose rows are in the group.
//   - Another holds for all groups alike.
type besides struct {
	source PartSource

	mu   sync.Mutex
	part map[string]func(group int) string // by setting
}

// ofGroup changes settings to those of a group.
func (b *besides) ofGroup(ctx context.Context, e *Each, s *settings.Settings, group int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range s.Beside() {
		if *r.Relation == "" {
			continue
		}
		part, known := b.part[r.Setting]
		if !known {
			var err error
			if part, err = b.look(ctx, e, r.Setting, *r.Relation); err != nil {
				return err
			}
			if b.part == nil {
				b.part = map[string]func(int) string{}
			}
			b.part[r.Setting] = part
		}
		*r.Relation = part(group)
	}
	return nil
}

// meanings are the columns that mean something else in a relation beside the table.
var meanings = map[string][]string{
	"groups":      {"feature", "feature_group"},
	"pairs":       {"a", "b", "kind"},
	"labels":      {"class"},
	"constraints": {"kind", "name", "cluster", "feature", "coef", "lo", "hi", "value"},
	"start":       {"cluster", "feature", "center"},
}

// look returns what each group has of a relation.
func (b *besides) look(ctx context.Context, e *Each, setting, relation string) (func(group int) string, error) {
	from, names, types, err := b.source.Columns(ctx, relation, framework.Setting(setting))
	if err != nil {
		return nil, err
	}
	place := func(name string) int {
		return slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	by := e.Groups().Names()
	lacks := slices.ContainsFunc(by, func(name string) bool { return place(name) < 0 })
	for _, name := range by {
		if !lacks && slices.ContainsFunc(meanings[setting], func(m string) bool { return strings.EqualFold(m, name) }) {
			return nil, framework.Faultf(framework.Data, "beside-columns", "column %q of %s has a meaning there, and rows are grouped by a column "+
				"of the same name", name, framework.Setting(setting)).At(setting).
				WithHint("give the column of the table that rows are grouped by another name, in a query")
		}
	}
	if !lacks {
		return func(group int) string { return e.Groups().Where("("+from+")", group) }, nil
	}
	k := keyed{setting: setting, from: "(" + from + ")", key: schema.Quote(e.key()), rows: "(" + e.parts.Whole() + ")"}
	k.by = input.NamesOf(by, schema.Quote)
	columns := map[string][]string{"pairs": {"a", "b"}, "labels": {e.key()}, "start": {e.key()}}[setting]
	if e.key() == "" || len(columns) == 0 || slices.ContainsFunc(columns, func(name string) bool { return place(name) < 0 }) {
		return func(int) string { return relation }, nil
	}
	_, all, allTypes, err := b.source.Columns(ctx, e.parts.Whole(), framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(n string) bool { return strings.EqualFold(n, e.key()) })
	for _, name := range columns {
		c := schema.Quote(names[place(name)])
		if at >= 0 && types[place(name)] != allTypes[at] {
			c = "TRY_CAST(" + c + " AS " + allTypes[at] + ")"
		}
		k.columns, k.shown = append(k.columns, c), append(k.shown, schema.Quote(names[place(name)]))
	}
	if err := k.check(ctx, b.source); err != nil {
		return nil, err
	}
	return func(group int) string { return k.part(e.parts.Query(group)) }, nil
}

// A keyed relation has keys of rows, and not the columns of the groups.
type keyed struct {
	setting        string
	from           string   // SQL, in parentheses
	columns, shown []string // of keys, as keys of the table and as they are: SQL
	key            string   // of the table
	rows           string   // of all groups, in parentheses
	by             []string
}

// part is the query of what is of the rows of a group, whose query is given.
func (k *keyed) part(rows string) string {
	conditions := make([]string, len(k.columns))
	for i, c := range k.columns {
		conditions[i] = fmt.Sprintf("%s IN (SELECT %s FROM (%s))", c, k.key, rows)
	}
	if k.setting == "labels" { // a row whose class is not known is as one that is not there
		conditions = append(conditions, "class IS NOT NULL")
	}
	return "SELECT * FROM " + k.from + " WHERE " + strings.Join(conditions, " AND ")
}

// check refuses keys that no group has, and pairs of rows of different groups.
func (k *keyed) check(ctx context.Context, src PartSource) error {
	var bad input.Tally
	for i, c := range k.columns {
		keys, err := src.Rows(ctx, fmt.Sprintf("SELECT CAST(%s AS VARCHAR) FROM %s WHERE coalesce(%s NOT IN (SELECT %s FROM %s WHERE %[4]s "+
			"IS NOT NULL), true) ORDER BY 1", k.shown[i], k.from, c, k.key, k.rows))
		if err != nil {
			return err
		}
		for _, row := range keys {
			bad.Add("%s = %v: there is no such row in any group", strings.Trim(k.shown[i], `"`), cmp.Or(row[0], any("NULL")))
		}
	}
	if bad.Count == 0 && len(k.columns) == 2 {
		same := make([]string, len(k.by))
		for i, c := range k.by {
			same[i] = "x." + c + " IS NOT DISTINCT FROM y." + c
		}
		pairs, err := src.Rows(ctx, fmt.Sprintf("SELECT CAST(p AS VARCHAR), CAST(q AS VARCHAR) FROM (SELECT %[1]s AS p, %[2]s AS q FROM %[3]s "+
			"EXCEPT SELECT x.%[4]s, y.%[4]s FROM (SELECT %[1]s AS p, %[2]s AS q FROM %[3]s) o JOIN %[5]s x ON x.%[4]s = o.p "+
			"JOIN %[5]s y ON y.%[4]s = o.q AND %[6]s) ORDER BY ALL",
			k.columns[0], k.columns[1], k.from, k.key, k.rows, strings.Join(same, " AND ")))
		if err != nil {
			return err
		}
		for _, row := range pairs {
			bad.Add("%v and %v are in different groups", row[0], row[1])
		}
	}
	if bad.Count == 0 {
		return nil
	}
	return framework.Faultf(framework.Data, "keys-of-no-group", "%s in %s", input.Plural(bad.Count, "problem"), framework.Setting(k.setting)).
		At(k.setting).WithDetails(bad.Details())
}
