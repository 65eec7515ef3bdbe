package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// Write creates the tables of run name, which may have a schema, in one
// transaction. Tables that exist are refused, or replaced if replace is true
// and all of them are result tables. After an error or a cancellation nothing
// has changed; a cancellation that comes after the commit is not an error.
func (db *DB) Write(ctx context.Context, name string, replace bool, r *result.Tables) error {
	return db.writeRun(ctx, name, replace, fitTables(r), r.Assignments)
}

// WriteTune creates the tables of a tuning as Write does those of a fit.
func (db *DB) WriteTune(ctx context.Context, name string, replace bool, r *result.Tune) error {
	return db.writeRun(ctx, name, replace, tuneTables(r), result.Assignments{KeyName: r.KeyName, Keys: r.Keys})
}

// WritePath creates the tables of a path as Write does those of a fit.
func (db *DB) WritePath(ctx context.Context, name string, replace bool, r *result.Path) error {
	return db.writeRun(ctx, name, replace, pathTables(r), result.Assignments{KeyName: r.KeyName, Keys: r.Keys})
}

// writeRun creates the tables of a run, whose names it fills in.
func (db *DB) writeRun(ctx context.Context, name string, replace bool, tables []newTable, a result.Assignments) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	if err := db.checkNotWritten(ctx, schemaName, base); err != nil {
		return err
	}
	for i := range tables {
		tables[i].name = base + "_" + tables[i].result
	}
	return db.create(ctx, schemaName, runTables(base), tables, replace, a)
}

// WriteAssignments creates one table of assignments with exactly the given
// name, as predictions need it.
func (db *DB) WriteAssignments(ctx context.Context, name string, replace bool, a result.Assignments) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	n, columns := assignmentCells(a)
	tables := []newTable{{result: schema.Assignments, name: base, rows: n, columns: columns, comment: predictedBy(a.By), named: true}}
	if _, err := db.existing(ctx, schemaName, tables, replace); err != nil {
		return err
	}
	if err := db.checkName(ctx, schemaName, base); err != nil {
		return err
	}
	return db.create(ctx, schemaName, tables, tables, replace, a)
}

// checkName refuses the name of a run, and of a table that belongs to one.
func (db *DB) checkName(ctx context.Context, schemaName, name string) error {
	if err := db.checkNoRun(ctx, schemaName, name); err != nil {
		return err
	}
	return db.checkNoMember(ctx, schemaName, name)
}

// checkNoMember refuses the name of a table that belongs to a run: its other
// tables would no longer be about the same rows.
func (db *DB) checkNoMember(ctx context.Context, schemaName, name string) error {
	runs, err := db.fits(ctx)
	if err != nil {
		return err
	}
	for _, t := range runs {
		for _, what := range schema.Names() {
			if t.schema == schemaName && strings.EqualFold(name, strings.TrimSuffix(t.name, fitSuffix)+"_"+what) {
				return framework.Faultf(framework.Data, "table-of-a-run", "table %s would belong to run %s", name, runName(t)).
					At("into").WithHint("choose another name")
			}
		}
	}
	return nil
}

// WriteSuggestions creates one table of pairs to be labelled, with exactly the
// given name. Their rows are those of the keys.
func (db *DB) WriteSuggestions(ctx context.Context, name string, replace bool, keys input.Keys, all []result.Suggestion) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	if err := db.checkName(ctx, schemaName, base); err != nil {
		return err
	}
	tables := []newTable{{result: schema.Suggestions, name: base, rows: len(all), columns: suggestionCells(keysOf(keys), all), named: true}}
	return db.create(ctx, schemaName, tables, tables, replace, result.Assignments{Keys: keys})
}

// CheckSuggestions refuses, without writing anything, what WriteSuggestions
// would refuse.
func (db *DB) CheckSuggestions(ctx context.Context, name string, replace bool) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	if err := db.checkName(ctx, schemaName, base); err != nil {
		return err
	}
	_, err = db.existing(ctx, schemaName, []newTable{{result: schema.Suggestions, name: base, named: true}}, replace)
	return err
}

// CheckTarget refuses, without writing anything, what Write would refuse: a
// database that cannot be written, an unknown schema, tables that exist.
func (db *DB) CheckTarget(ctx context.Context, name string, replace bool) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	if err := db.checkNotWritten(ctx, schemaName, base); err != nil {
		return err
	}
	_, err = db.existing(ctx, schemaName, runTables(base), replace)
	return err
}

// A newTable is a table to be created.
type newTable struct {
	result  string // which of schema.Names
	name    string
	rows    int
	columns cellWriters
	absent  bool   // it is not created
	named   bool   // its whole name is the user's
	comment string // in place of that of its .sql file; "": that
}

// runTables lists all tables that a run of that name may have, without rows.
func runTables(base string) []newTable {
	var tables []newTable
	for _, t := range schema.Names() {
		tables = append(tables, newTable{result: t, name: base + "_" + t})
	}
	return tables
}

// create makes all tables in one transaction, in the place of others.
func (db *DB) create(ctx context.Context, schemaName string, others, tables []newTable, replace bool, a result.Assignments) error {
	return db.transaction(ctx, func() error {
		old, err := db.existing(ctx, schemaName, others, replace)
		if err != nil {
			return err
		}
		for _, name := range old {
			if err := db.exec(ctx, "DROP TABLE "+schema.Qualified(schemaName, name)); err != nil {
				return writeFault(err, name)
			}
		}
		tables := slices.DeleteFunc(slices.Clone(tables), func(t newTable) bool { return t.absent })
		for _, t := range tables {
			ddl := schema.DDL(t.result, schemaName, t.name, a.KeyName, a.Keys.Type())
			if err := db.exec(ctx, ddl); err != nil {
				return writeFault(err, t.name)
			}
			if t.comment == "" {
				continue
			}
			if err := db.exec(ctx, "COMMENT ON TABLE "+schema.Qualified(schemaName, t.name)+" IS "+schema.Text(t.comment)); err != nil {
				return writeFault(err, t.name)
			}
		}
		for _, t := range tables {
			if err := db.appendRows(ctx, schemaName, t.name, t.rows, t.columns.of(t.result)); err != nil {
				return writeFault(err, t.name)
			}
		}
		return nil
	})
}

// target splits the name of a run, and refuses one that cannot be written to.
func (db *DB) target(ctx context.Context, name string) (schemaName, base string, err error) {
	parts := splitName(name)
	base = parts[len(parts)-1]
	if len(parts) > 2 || base == "" || parts[0] == "" {
		return "", "", framework.Faultf(framework.Usage, "bad-name", "%q cannot be the name of a run: it must be NAME or SCHEMA.NAME", name).At("into")
	}
	if db.mode == ReadOnly {
		return "", "", framework.Faultf(framework.Data, "database-read-only", "the database %s was opened for reading only", db.path).At("db")
	}
	if len(parts) == 1 {
		rows, err := db.rows(ctx, "SELECT current_schema()")
		if err != nil {
			return "", "", err
		}
		return rows[0][0].(string), base, nil
	}
	rows, err := db.rows(ctx, "SELECT DISTINCT schema_name FROM duckdb_schemas() WHERE database_name = current_database() ORDER BY 1")
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
	f := framework.Faultf(framework.Data, "schema-not-found", "the database has no schema %q", parts[0]).At("into").
		WithHint("CREATE SCHEMA %s makes one", schema.Quote(parts[0]))
	f.Similar = framework.Closest(parts[0], known)
	return "", "", f
}

// existing returns the names of those tables that are there already. It refuses
// them unless they may be replaced, which views and tables that are no result
// tables never may: they are somebody's own. Tables of a run are known by their
// names and columns, those whose name the user gives by columns and comment.
func (db *DB) existing(ctx context.Context, schemaName string, tables []newTable, replace bool) ([]string, error) {
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	var old, views, foreign []string
	for _, t := range known {
		if t.database != "" || t.schema != schemaName {
			continue
		}
		for _, wanted := range tables {
			if !strings.EqualFold(wanted.name, t.name) {
				continue
			}
			if t.view {
				views = append(views, t.name)
				continue
			}
			ours, err := db.isResult(ctx, t, wanted)
			switch {
			case err != nil:
				return nil, err
			case ours:
				old = append(old, t.name)
			case wanted.named:
				return nil, framework.Faultf(framework.Data, "table-exists", "table %s exists, and was not written by %s", t.name, writerOf(wanted.result)).
					At("into").WithHint("choose another name, or rename or drop what is there; %s replaces results only", framework.Setting("replace"))
			default:
				foreign = append(foreign, t.name)
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
		verb, them := "exists", "it"
		if len(old) > 1 {
			verb, them = "exist", "them"
		}
		return nil, framework.Faultf(framework.Data, "table-exists", "%s: %s already %s", plural(len(old), "table"), input.Listed(old), verb).
			At("into").WithHint("%s replaces %s, or choose another name", framework.Setting("replace"), them)
	}
	return old, nil
}

// isResult reports whether a table is a result table that may be replaced.
func (db *DB) isResult(ctx context.Context, t table, wanted newTable) (bool, error) {
	if wanted.named {
		result, err := db.resultOf(ctx, t)
		return result == wanted.result, err
	}
	columns, err := db.columnNames(ctx, t)
	return err == nil && schema.Matches(wanted.result, columns), err
}

// writerOf names the command that writes a result table whose name the user gives.
func writerOf(result string) string {
	if result == schema.Suggestions {
		return "pairs suggest"
	}
	return "predict"
}

// foreignFault refuses tables that have the name of a result, but not its
// columns.
func foreignFault(names []string) *framework.Fault {
	verb := "exists"
	if len(names) > 1 {
		verb = "exist"
	}
	return framework.Faultf(framework.Data, "table-exists", "%s: %s %s, with other columns than the result has", plural(len(names), "table"), input.Listed(names), verb)
}

// writeFault explains why nothing was written.
func writeFault(err error, name string) error {
	summary := "the result tables cannot be written"
	if name != "" {
		summary = fmt.Sprintf("table %s cannot be written", name)
	}
	err = internalFault("write-failed", summary, err)
	if f := framework.AsFault(err); f != nil && f.Code == "write-failed" && f.Err != nil && strings.Contains(f.Err.Error(), "No space left") {
		return f.At("db").WithHint("nothing was written; make room on its disk, or choose another place for the database")
	}
	return err
}
