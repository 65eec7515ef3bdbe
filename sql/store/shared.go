package store

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A run and a table that has its name from the user must not have the same name:
// drop would take the one for the other.

// checkName refuses, for a table that has its name from the user, the name of a run,
// and that of a table that belongs to one: the other tables of the run would no
// longer be about the same rows.
func (db *DB) checkName(ctx context.Context, schemaName, name string) error {
	runs, err := db.fits(ctx)
	if err != nil {
		return err
	}
	for _, t := range runs {
		if t.Schema == schemaName && strings.EqualFold(t.Name, name+fitSuffix) {
			return framework.Faultf(framework.Data, "name-of-a-run",
				"%s is the name of a run, and cannot be the name of a table too", runName(t)).
				At("into").WithHint("choose another name")
		}
	}
	if run, _ := memberOf(runs, duck.Table{Schema: schemaName, Name: name}); run != "" {
		return framework.Faultf(framework.Data, "table-of-a-run", "table %s would belong to run %s", name, run).
			At("into").WithHint("choose another name")
	}
	return nil
}

// checkNotWritten refuses the name of such a table for a run.
func (db *DB) checkNotWritten(ctx context.Context, schemaName, name string) error {
	t, result, err := db.writtenNamed(ctx, schemaName, name)
	if err != nil || result == "" {
		return err
	}
	return framework.Faultf(framework.Data, "name-of-a-table",
		"%s is the name of a table that %s wrote, and cannot be the name of a run too", t.Shown(), writerOf(result)).
		At("into").WithHint("choose another name, or drop the table first: sqlcluster drop %s%s", framework.ShellWord(t.Shown()), db.flag())
}

// checkOneOfTheName refuses the name that a run has in common with such a table.
func (db *DB) checkOneOfTheName(ctx context.Context, fit duck.Table) error {
	t, result, err := db.writtenNamed(ctx, fit.Schema, strings.TrimSuffix(fit.Name, fitSuffix))
	if err != nil || result == "" {
		return err
	}
	return framework.Faultf(framework.Data, "two-of-a-name",
		"two things have the name %s: a run, and a table that %s wrote", runName(fit), writerOf(result)).
		WithHint("nothing was dropped; rename the table with SQL, and drop each by its name: ALTER TABLE %s RENAME TO %s",
			schema.Qualified(t.Schema, t.Name), schema.Quote(t.Name+"_table"))
}

// writtenNamed returns the table of that name in a schema, and which result it is;
// "" if there is none that predict, pairs suggest or score wrote.
func (db *DB) writtenNamed(ctx context.Context, schemaName, name string) (duck.Table, string, error) {
	if db.Unmade() {
		return duck.Table{}, "", nil
	}
	known, err := db.Tables(ctx)
	if err != nil {
		return duck.Table{}, "", err
	}
	for _, t := range known {
		if t.View || t.Database != "" || t.Schema != schemaName || !strings.EqualFold(t.Name, name) {
			continue
		}
		result, err := db.resultOf(ctx, t)
		return t, result, err
	}
	return duck.Table{}, "", nil
}
