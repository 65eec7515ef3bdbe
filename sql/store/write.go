package store

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// Write creates the tables of run name, which may have a schema, in one
// transaction. Tables that exist are refused, or replaced if replace is true
// and all of them are result tables. After an error or a cancellation nothing
// has changed; a cancellation that comes after the commit is not an error.
func (db *DB) Write(ctx context.Context, name string, replace bool, r *result.Tables) error {
	return db.writeRun(ctx, name, replace, fitTables(r), keyed{name: r.Assignments.KeyName, typ: r.Assignments.Keys.Type()})
}

// WriteTune creates the tables of a tuning as Write does those of a fit.
func (db *DB) WriteTune(ctx context.Context, name string, replace bool, r *result.Tune) error {
	return db.writeRun(ctx, name, replace, tuneTables(r), keyed{name: r.KeyName, typ: r.Keys.Type()})
}

// WritePath creates the tables of a path as Write does those of a fit.
func (db *DB) WritePath(ctx context.Context, name string, replace bool, r *result.Path) error {
	return db.writeRun(ctx, name, replace, pathTables(r), keyed{name: r.KeyName, typ: r.Keys.Type()})
}

// WriteFrom creates the tables of run name as Write does, of rows that queries return.
// A table without a query is not created. The type of keys is SQL.
func (db *DB) WriteFrom(ctx context.Context, name string, replace bool, keyName, keyType string, query func(table string) string) error {
	var tables []newTable
	for _, what := range schema.OfFit() {
		from := query(what)
		tables = append(tables, newTable{result: what, from: from, absent: from == ""})
	}
	return db.writeRun(ctx, name, replace, tables, keyed{name: keyName, typ: keyType})
}

// keyed says what the columns of tables are that the schema leaves open.
type keyed struct {
	name, typ string          // of the row key
	groups    []schema.Column // of groups; nil: there are none
}

// writeRun creates the tables of a run, whose names it fills in.
func (db *DB) writeRun(ctx context.Context, name string, replace bool, tables []newTable, key keyed) error {
	db.Begun()
	schemaName, base, err := db.runTarget(ctx, name)
	if err != nil {
		return err
	}
	for i := range tables {
		tables[i].name = base + "_" + tables[i].result
	}
	return db.create(ctx, schemaName, runTables(base), tables, replace, key)
}

// WriteAssignments creates one table of assignments with exactly the given
// name, as predictions need it, and one of their distances, if there are any, with
// _distances behind it. Old distances of that name do not outlive their assignments.
func (db *DB) WriteAssignments(ctx context.Context, name string, replace bool, a result.Assignments) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	labels, _ := labelTable(a, schema.Assignments)
	var distances *newTable
	if d, has := labelTable(a, schema.Distances); has {
		distances = &d
	}
	return db.writeLabels(ctx, schemaName, base, replace, labels, distances, a.By, keyed{name: a.KeyName, typ: a.Keys.Type()})
}

// WriteGroupAssignments creates the tables of WriteAssignments with the rows of all
// groups, which they begin with the values of.
func (db *DB) WriteGroupAssignments(ctx context.Context, name string, replace bool, r *result.Grouped[result.Assignments]) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	labels, _ := joined(r, 0, r.Groups.Len(), schema.Assignments, labelTable)
	var distances *newTable
	if d, has := joined(r, 0, r.Groups.Len(), schema.Distances, labelTable); has {
		distances = &d
	}
	first := r.Of[0]
	return db.writeLabels(ctx, schemaName, base, replace, labels, distances, first.By,
		keyed{name: first.KeyName, typ: first.Keys.Type(), groups: groupColumns(r.Groups)})
}

// labelTable returns the assignments, or the distances of the same rows.
func labelTable(a result.Assignments, what string) (t newTable, has bool) {
	t.result = what
	if what == schema.Distances && a.Distances != nil {
		t.rows, t.columns = distanceCells(a)
		return t, true
	}
	if t.from = a.From; t.from == "" {
		t.rows, t.columns = assignmentCells(a)
	}
	return t, what == schema.Assignments
}

// writeLabels creates a table of assignments, and perhaps one of distances.
func (db *DB) writeLabels(
	ctx context.Context, schemaName, base string, replace bool, labels newTable, distances *newTable, by string, key keyed,
) error {
	labels.name, labels.comment, labels.named = base, commentOf(schema.Assignments, by), true
	tables, others := []newTable{labels}, []newTable{labels}
	second := newTable{result: schema.Distances, name: base + distancesSuffix, named: true}
	if _, result, err := db.writtenNamed(ctx, schemaName, second.name); err != nil {
		return err
	} else if result == schema.Distances || distances != nil {
		others = append(others, second)
	}
	if distances != nil {
		distances.name, distances.named = second.name, true
		tables = append(tables, *distances)
	}
	if _, err := db.existing(ctx, schemaName, others, replace); err != nil {
		return err
	}
	for _, t := range tables {
		if err := db.checkName(ctx, schemaName, t.name); err != nil {
			return err
		}
	}
	return db.create(ctx, schemaName, others, tables, replace, key)
}

// WriteSuggestions creates one table of pairs to be labelled, with exactly the
// given name. Their rows are those of the keys.
func (db *DB) WriteSuggestions(ctx context.Context, name string, replace bool, keys input.Keys, all []result.Suggestion) error {
	schemaName, tables, err := db.suggestionTarget(ctx, name)
	if err != nil {
		return err
	}
	tables[0].rows, tables[0].columns = len(all), suggestionCells(duck.KeysOf(keys), all)
	return db.create(ctx, schemaName, tables, tables, replace, keyed{typ: keys.Type()})
}

// CheckSuggestions refuses, without writing anything, what WriteSuggestions
// would refuse.
func (db *DB) CheckSuggestions(ctx context.Context, name string, replace bool) error {
	schemaName, tables, err := db.suggestionTarget(ctx, name)
	if err == nil {
		_, err = db.existing(ctx, schemaName, tables, replace)
	}
	return err
}

// suggestionTarget returns the one table of suggestions, still without rows.
func (db *DB) suggestionTarget(ctx context.Context, name string) (schemaName string, tables []newTable, err error) {
	schemaName, base, err := db.target(ctx, name)
	if err == nil {
		err = db.checkName(ctx, schemaName, base)
	}
	return schemaName, []newTable{{result: schema.Suggestions, name: base, named: true}}, err
}

// CheckTarget refuses, without writing anything, what Write would refuse: a
// database that cannot be written, an unknown schema, tables that exist.
func (db *DB) CheckTarget(ctx context.Context, name string, replace bool) error {
	schemaName, base, err := db.runTarget(ctx, name)
	if err == nil {
		_, err = db.existing(ctx, schemaName, runTables(base), replace)
	}
	return err
}

// runTarget is target for a run, which no written table may have the name of.
func (db *DB) runTarget(ctx context.Context, name string) (schemaName, base string, err error) {
	if schemaName, base, err = db.target(ctx, name); err == nil {
		err = db.checkNotWritten(ctx, schemaName, base)
	}
	return schemaName, base, err
}

// target splits the name of a run, and refuses one that cannot be written to.
func (db *DB) target(ctx context.Context, name string) (schemaName, base string, err error) {
	parts := duck.SplitName(name)
	base = parts[len(parts)-1]
	if len(parts) > 2 || base == "" || parts[0] == "" {
		return "", "", framework.Faultf(framework.Usage, "bad-name",
			"%q cannot be the name of a run: it must be NAME or SCHEMA.NAME", name).At("into")
	}
	if err := db.Writable(); err != nil {
		return "", "", err
	}
	if len(parts) == 1 {
		rows, err := db.Catalog(ctx, "SELECT current_schema()")
		if err != nil {
			return "", "", err
		}
		return rows[0][0].(string), base, nil
	}
	rows, err := db.Catalog(ctx, "SELECT DISTINCT schema_name FROM duckdb_schemas() WHERE database_name = current_database() ORDER BY 1")
	if err != nil {
		return "", "", err
	}
	var known []string
	for _, r := range rows {
		known = append(known, r[0].(string))
		if strings.EqualFold(r[0].(string), parts[0]) {
			return r[0].(string), base, nil
		}
	}
	return "", "", framework.Faultf(framework.Data, "schema-not-found", "the database has no schema %q", parts[0]).At("into").
		WithHint("CREATE SCHEMA %s makes one", schema.Quote(parts[0])).WithSimilar(framework.Closest(parts[0], known))
}

// existing returns the names of those tables that are there already. It refuses
// them unless they may be replaced, which views and tables that are no result
// tables never may: they are somebody's own. Tables of a run are known by their
// names and columns, those whose name the user gives by columns and comment.
func (db *DB) existing(ctx context.Context, schemaName string, tables []newTable, replace bool) ([]string, error) {
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	var old, views, foreign []string
	for _, t := range known {
		if t.Database != "" || t.Schema != schemaName {
			continue
		}
		for _, wanted := range tables {
			if !strings.EqualFold(wanted.name, t.Name) {
				continue
			}
			if t.View {
				views = append(views, t.Name)
				continue
			}
			ours, err := db.isResult(ctx, t, wanted)
			switch {
			case err != nil:
				return nil, err
			case ours:
				old = append(old, t.Name)
			case wanted.named:
				return nil, framework.Faultf(framework.Data, "table-exists",
					"table %s exists, and was not written by %s", t.Name, writerOf(wanted.result)).
					At("into").WithHint("choose another name, or rename or drop what is there; %s replaces results only", framework.Setting("replace"))
			default:
				foreign = append(foreign, t.Name)
			}
		}
	}
	if len(views) > 0 {
		return nil, framework.Faultf(framework.Data, "table-exists", "%s exists, and is a view", input.Listed(views)).
			At("into").WithHint("choose another name, or drop the view")
	}
	if len(foreign) > 0 {
		return nil, foreignFault(foreign).At("into").
			WithHint("choose another name, or rename or drop what is there; %s replaces results only", framework.Setting("replace"))
	}
	if len(old) > 0 && !replace {
		return nil, framework.Faultf(framework.Data, "table-exists",
			"%s: %s already %s", input.Plural(len(old), "table"), input.Listed(old), input.Agreed(len(old), "exists", "exist")).
			At("into").WithHint("%s replaces %s, or choose another name", framework.Setting("replace"), input.Agreed(len(old), "it", "them"))
	}
	return old, nil
}

// isResult reports whether a table is a result table that may be replaced.
func (db *DB) isResult(ctx context.Context, t duck.Table, wanted newTable) (bool, error) {
	if wanted.named {
		result, err := db.resultOf(ctx, t)
		return result == wanted.result, err
	}
	columns, err := db.ColumnsOf(ctx, t)
	return err == nil && schema.Matches(wanted.result, columns), err
}

// writerOf names the command that writes a result table whose name the user gives.
func writerOf(result string) string {
	for _, k := range kinds {
		if k.result == result {
			return k.writer
		}
	}
	return ""
}

// foreignFault refuses tables that have the name of a result, but not its
// columns.
func foreignFault(names []string) *framework.Fault {
	return framework.Faultf(framework.Data, "table-exists", "%s: %s %s, with other columns than the result has",
		input.Plural(len(names), "table"), input.Listed(names), input.Agreed(len(names), "exists", "exist"))
}
