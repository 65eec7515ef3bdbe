package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestARunAndAWrittenTableNeverShareAName(t *testing.T) {
	ctx := t.Context()
	db := memory(t, "CREATE SCHEMA s")
	write(t, db, "lim", false, sample())
	write(t, db, "s.other", false, sample())
	labels := sample().Assignments
	suggest := func(name string) error { return db.WriteSuggestions(ctx, name, true, input.Numbered(2), nil) }
	const taken = "name-of-a-run: lim is the name of a run, and cannot be the name of a table too\nwhere: into\nhint: choose another name"
	for _, replace := range []bool{false, true} {
		sqltest.WantFault(t, db.WriteAssignments(ctx, "LIM", replace, labels), taken)
		sqltest.WantFault(t, db.CheckSuggestions(ctx, "lim", replace), taken)
	}
	sqltest.WantFault(t, suggest("lim"), taken)
	if suggest("lim_centers") == nil {
		t.Error("a table of a run was replaced by suggestions")
	}
	for _, name := range []string{"labels", "s.lim", "other"} { // runs of these names are in other schemas, if anywhere
		must.Do(t, db.WriteAssignments(ctx, name, false, labels))
	}
	must.Do(t, suggest("asked"))
	for name, writer := range map[string]string{"labels": "predict", "s.lim": "predict", "asked": "pairs suggest"} {
		want := "name-of-a-table: " + name + " is the name of a table that " + writer + " wrote, and cannot be the name of a run too\n" +
			"where: into\nhint: choose another name, or drop the table first: sqlcluster drop " + name
		sqltest.WantFault(t, db.CheckTarget(ctx, name, true), want)
		sqltest.WantFault(t, db.Write(ctx, name, true, sample()), want)
	}
}

func TestDropRefusesANameThatARunShares(t *testing.T) {
	ctx := t.Context()
	db := memory(t)
	write(t, db, "lim", false, sample())
	members := tableCount(t, db)
	must.Do(t, db.WriteAssignments(ctx, "labels", false, sample().Assignments))
	must.Do(t, db.Exec(ctx, "ALTER TABLE labels RENAME TO lim"))
	_, err := db.Drop(ctx, "lim")
	sqltest.WantFault(t, err, "two-of-a-name: two things have the name lim: a run, and a table that predict wrote\n"+
		`hint: nothing was dropped; rename the table with SQL, and drop each by its name: ALTER TABLE "main"."lim" RENAME TO "lim_table"`)
	if n := tableCount(t, db); n != members+1 {
		t.Errorf("%d tables are left of %d", n, members+1)
	}
	must.Do(t, db.Exec(ctx, `ALTER TABLE "main"."lim" RENAME TO "lim_table"`))
	dropped, err := db.Drop(ctx, "lim_table")
	if d := cmp.Diff([]string{"lim_table"}, dropped); d != "" || err != nil {
		t.Error(d, sqltest.Explain(err))
	}
	if dropped, err := db.Drop(ctx, "lim"); len(dropped) != members || err != nil {
		t.Error(dropped, sqltest.Explain(err))
	}
}
