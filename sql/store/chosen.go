package store

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// A run with groups has many models. One of them is a run of its own once it is chosen:
// its tables are copies of the rows of its group.
type chosen struct {
	values []string              // of the columns of groups, as input.Groups.Item writes them
	alone  bool                  // runs without groups are there, too
	tables map[string]duck.Table // by the name of the table that they are of
}

// Choose makes a run with groups be the run of one of them: values are those of its
// columns, as input.Groups.Item writes them. Runs without groups stay as they are if they
// may be there, too, and are refused else.
func (db *DB) Choose(values []string, alone bool) {
	db.chosen = &chosen{values: values, alone: alone, tables: map[string]duck.Table{}}
}

// ofChosen returns the table of the chosen model of a run.
func (db *DB) ofChosen(ctx context.Context, fit, t duck.Table, what string) (duck.Table, error) {
	columns, err := db.groupColumnsOf(ctx, t, what)
	if err != nil || what == schema.Models {
		return t, err
	}
	if columns == nil {
		if db.chosen.alone {
			return t, nil
		}
		return t, framework.Faultf(framework.Usage, "no-groups", "run %q has one model, and none to be chosen", runName(fit)).At("model").
			WithHint("leave out %s", framework.Setting("model"))
	}
	if made, ok := db.chosen.tables[t.Qualified()]; ok {
		return made, nil
	}
	where, err := db.chosenWhere(ctx, fit)
	if err != nil {
		return t, err
	}
	made := duck.Table{Database: "temp", Schema: "main", Name: "sqlcluster_model_" + t.Name}
	names := input.NamesOf(columns, func(c source.Column) string { return schema.Quote(c.Name) })
	err = db.ExecReading(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT * EXCLUDE (%s) FROM %s WHERE %s ORDER BY rowid",
		schema.Quote(made.Name), strings.Join(names, ", "), t.Qualified(), where))
	if err != nil {
		return t, duck.InternalFault("model-unreadable", "cannot read "+t.Name, err)
	}
	db.chosen.tables[t.Qualified()] = made
	return made, nil
}

// ChosenGroup names the group of the chosen model of a run: region = north; "" if none is
// chosen, or the run has no groups.
func (db *DB) ChosenGroup(ctx context.Context, run string) (string, error) {
	if db.chosen == nil {
		return "", nil
	}
	fit, err := db.findRun(ctx, run)
	if err != nil {
		return "", err
	}
	models, err := db.member(ctx, fit, schema.Models)
	if IsMissing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	columns, err := db.groupColumnsOf(ctx, models, schema.Models)
	if err != nil || len(columns) != len(db.chosen.values) {
		return "", err
	}
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Name + " = " + db.chosen.values[i]
	}
	return strings.Join(all, ", "), nil
}

// chosenWhere is the SQL that is true of the rows of the chosen model of a run. A group
// without a model is refused.
func (db *DB) chosenWhere(ctx context.Context, fit duck.Table) (string, error) {
	where, models, err := db.chosenModels(ctx, fit)
	if err != nil {
		return "", err
	}
	rows, err := db.Rows(ctx, "SELECT status, message FROM "+models.Qualified()+" WHERE "+where)
	if err != nil {
		return "", duck.InternalFault("model-unreadable", "cannot read "+models.Name, err)
	}
	if status, _ := rows[0][0].(string); status != result.Fitted && status != result.NoStructure {
		return "", framework.Faultf(framework.Data, "no-model", "run %q has no model of %s: %v (%s)", runName(fit),
			strings.Join(db.chosen.values, ", "), rows[0][1], status).At("model")
	}
	return where, nil
}

// chosenModels is the SQL that is true of the chosen row of the models of a run, which is
// there.
func (db *DB) chosenModels(ctx context.Context, fit duck.Table) (where string, models duck.Table, err error) {
	run := runName(fit)
	models, err = db.member(ctx, fit, schema.Models)
	if err != nil {
		return "", models, err
	}
	columns, err := db.groupColumnsOf(ctx, models, schema.Models)
	if err != nil {
		return "", models, err
	}
	if len(columns) != len(db.chosen.values) {
		return "", models, framework.Faultf(framework.Usage, "model-not-found", "%s not name a model of run %q, which has one for each %s",
			input.Counted(len(db.chosen.values), "value does", "values do"), run, columnList(columns)).At("model").
			WithHint(`give a value for each column, with commas between them; a value that has a comma goes in double quotes: '"a,b",2'`)
	}
	conditions := make([]string, len(columns))
	for i, c := range columns {
		text, quoted := input.Literal(db.chosen.values[i])
		if !quoted {
			text = db.chosen.values[i]
		}
		conditions[i] = fmt.Sprintf("%s IS NOT DISTINCT FROM TRY_CAST(%s AS %s)", schema.Quote(c.Name), schema.Text(text), c.Type)
		if text == "NULL" && !quoted {
			conditions[i] = schema.Quote(c.Name) + " IS NULL"
		}
	}
	where = strings.Join(conditions, " AND ")
	rows, err := db.Rows(ctx, "SELECT 1 FROM "+models.Qualified()+" WHERE "+where)
	if err != nil {
		return "", models, duck.InternalFault("model-unreadable", "cannot read "+models.Name, err)
	}
	if len(rows) == 0 {
		return "", models, db.noModel(ctx, fit, columns)
	}
	return where, models, nil
}

// noModel is the fault of values that no group has.
func (db *DB) noModel(ctx context.Context, fit duck.Table, columns []source.Column) error {
	run := runName(fit)
	f := framework.Faultf(framework.Data, "model-not-found", "run %q has no model of %s = %s", run, columnList(columns),
		strings.Join(db.chosen.values, ", ")).At("model")
	groups, err := db.groupsOf(ctx, fit)
	if err != nil || groups == nil {
		return f
	}
	var items []string
	for g := range min(groups.Len(), mostItems) {
		items = append(items, groups.Item(g))
	}
	f.Similar = framework.Closest(strings.Join(db.chosen.values, ","), items)
	return f.WithHint("sqlcluster show %s models%s lists them", framework.ShellWord(run), db.flag())
}

// mostItems is among how many groups a similar one is looked for.
const mostItems = 1000

// hasGroups is the fault of a run with groups where one model is needed; nil for another.
func (db *DB) hasGroups(ctx context.Context, fit duck.Table) *framework.Fault {
	groups, err := db.groupsOf(ctx, fit)
	if err != nil || groups == nil {
		return nil
	}
	return framework.Faultf(framework.Data, "run-has-groups", "run %q has a model for each %s (%s), and one is needed here", runName(fit),
		strings.Join(groups.Names(), ", "), input.Plural(groups.Len(), "group")).
		WithHint("choose one: %s", framework.SettingTo("model", groups.Item(0)))
}

// IsGrouped reports whether err says that a run has several models.
func IsGrouped(err error) bool { return hasCode(err, "run-has-groups") }

// Groups lists the groups of a run, and whether each has a model; nil for a run without
// groups.
func (db *DB) Groups(ctx context.Context, run string) (groups *input.Groups, fits []*result.Fit, err error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	if groups, err = db.groupsOf(ctx, t); err != nil || groups == nil {
		return nil, nil, err
	}
	all, err := db.readFits(ctx, t, true)
	if err != nil {
		return nil, nil, err
	}
	models, err := db.member(ctx, t, schema.Models)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.Rows(ctx, "SELECT message IS NULL OR status = "+schema.Text(result.NoStructure)+" FROM "+models.Qualified()+
		" ORDER BY rowid")
	if err != nil {
		return nil, nil, duck.InternalFault("model-unreadable", "cannot read "+models.Name, err)
	}
	for _, row := range rows {
		fits = append(fits, nil)
		if row[0] == true && len(all) > 0 {
			fits[len(fits)-1], all = all[0], all[1:]
		}
	}
	return groups, fits, nil
}

// groupsOf lists the groups of the run that a fit table belongs to; nil: it has none.
func (db *DB) groupsOf(ctx context.Context, fit duck.Table) (*input.Groups, error) {
	columns, err := db.groupColumnsOf(ctx, fit, schema.Fit)
	if err != nil || columns == nil {
		return nil, err
	}
	models, err := db.member(ctx, fit, schema.Models)
	if err != nil {
		return nil, err
	}
	names := input.NamesOf(columns, func(c source.Column) string { return schema.Quote(c.Name) })
	return db.ListedGroups(ctx, "SELECT "+strings.Join(names, ", ")+", coalesce(rows, 0) FROM "+models.Qualified()+" ORDER BY rowid", columns)
}

// groupColumnsOf returns the columns of groups of a result table; nil: it has none.
func (db *DB) groupColumnsOf(ctx context.Context, t duck.Table, what string) ([]source.Column, error) {
	names, err := db.ColumnsOf(ctx, t)
	if err != nil {
		return nil, err
	}
	n := schema.Grouping(what, names)
	if n <= 0 {
		return nil, nil
	}
	rows, err := db.Rows(ctx, "DESCRIBE "+t.Qualified())
	if err != nil {
		return nil, duck.InternalFault("list-failed", "cannot list the columns of "+t.Name, err)
	}
	columns := make([]source.Column, n)
	for i := range columns {
		columns[i].Name, _ = rows[i][0].(string)
		columns[i].Type, _ = rows[i][1].(string)
	}
	return columns, nil
}

// groupList is the list of the columns of groups of a result table, with a comma behind it.
func (db *DB) groupList(ctx context.Context, t duck.Table, what string) string {
	columns, err := db.groupColumnsOf(ctx, t, what)
	if err != nil { // who reads the table hears of it
		return ""
	}
	list := ""
	for _, c := range columns {
		list += schema.Quote(c.Name) + ", "
	}
	return list
}

// columnList names the columns of groups.
func columnList(columns []source.Column) string {
	return strings.Join(input.NamesOf(columns, func(c source.Column) string { return c.Name }), ", ")
}

// together is what the models of groups have in common, and their rows.
func together(fits []*result.Fit, groups *input.Groups) result.Fit {
	all := *fits[0]
	for g := range groups.Len() { // some may have no model
		if whole, ok := groups.Whole(all.Source, g); ok {
			all.Source = whole
			break
		}
	}
	all.N, all.Objective, all.Inertia = 0, math.NaN(), math.NaN()
	for _, f := range fits {
		all.N += f.N
		all.P, all.K, all.Converged = max(all.P, f.P), max(all.K, f.K), all.Converged && f.Converged
	}
	return all
}
