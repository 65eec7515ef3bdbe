package beside

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestKindsMayBeWrittenInAnyCaseWithBlanksAroundThem(t *testing.T) {
	db := memory(t)
	table := sqltest.Read(t, db, input.Spec{Relation: "SELECT i AS id, i AS x FROM range(6) r(i)", ID: "id"})
	pairs, err := db.ReadPairs(t.Context(),
		`SELECT * FROM (VALUES (0, 1, 'MUST'), (1, 2, ' Cannot '), (2, 3, E'must\n'), (3, 4, '  '), (4, 5, NULL)) v(a, b, kind), `+
			`(SELECT 'why' AS why)`, table)
	want := []framework.Link{{A: 0, B: 1, Weight: 1}, {A: 1, B: 2, Cannot: true, Weight: 1}, {A: 2, B: 3, Weight: 1}}
	if d := sqltest.Diff(want, pairs.Links); err != nil || d != "" || pairs.Unlabelled != 2 { // nothing but blanks is no label
		t.Errorf("%d without a label, %s%s", pairs.Unlabelled, sqltest.Explain(err), d)
	}
	_, err = db.ReadPairs(t.Context(), "SELECT 0 AS a, 1 AS b, ' Must not' AS kind", table)
	sqltest.WantFault(t, err, "bad-pairs: 1 problem in the query\n Must not 0 and 1: the kind is \" Must not\"; "+
		"it must be must or cannot\nwhere: pairs")
	rows, err := db.ReadConstraints(t.Context(), "SELECT unnest(['Box', ' BOX ', 'l1_Ball', NULL]) AS kind, 'A b' AS name")
	if err != nil || rows[0].Kind != "box" || rows[1].Kind != "box" || rows[2].Kind != "l1_ball" || rows[3].Kind != "" ||
		rows[0].Name != "A b" {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestPairsThatAreAllLeftOutAreRefused(t *testing.T) {
	db := memory(t, "CREATE TABLE points AS SELECT i AS id, CASE WHEN i > 2 THEN i END AS x FROM range(6) t(i)") // 0 to 2 are left out
	table := sqltest.Read(t, db, input.Spec{Relation: "points", ID: "id", Nulls: "drop"})
	pairs := func(rows string) (input.Pairs, error) {
		return db.ReadPairs(t.Context(), "SELECT * FROM (VALUES "+rows+") v(a, b, kind)", table)
	}
	_, err := pairs("(0, 4, 'must'), (1, 2, 'cannot')")
	sqltest.WantFault(t, err, "dropped-pairs: every pair of the query has a row that was left out because of a NULL\n"+
		"where: pairs\nhint: give pairs of rows without NULLs; or leave out the columns that have NULLs: exclude")
	if some, err := pairs("(0, 4, 'must'), (3, 4, 'cannot')"); err != nil || some.Dropped != 1 || len(some.Links) != 1 {
		t.Error(some, sqltest.Explain(err))
	}
}
