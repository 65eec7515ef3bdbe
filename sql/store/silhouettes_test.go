package store

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func silhouettes() *result.Silhouettes {
	return &result.Silhouettes{Run: "wine", KeyName: "id", Keys: input.Numbered(2), Labels: []int32{1, 0}, Nearest: []int32{0, -1},
		Values: []float64{0.5, math.NaN()}}
}

func TestSilhouettesUnderTheNameOfTheirRunAreATableOfIt(t *testing.T) {
	db, ctx := memory(t), t.Context()
	write(t, db, "wine", false, sample())
	before := tableCount(t, db)
	must.Do(t, db.WriteSilhouettes(ctx, "wine", false, silhouettes()))
	columns, rows, err := db.Show(ctx, "Wine", schema.Silhouettes)
	must.Do(t, err)
	must.Equal(t, []string{"id", "cluster", "nearest_other", "silhouette"}, columns)
	must.Equal(t, [][]any{{int64(1), int64(1), int64(0), 0.5}, {int64(2), int64(0), nil, nil}}, rows)
	must.Fault(t, db.CheckSilhouettes(ctx, "wine", "wine", false), "table-exists")
	must.Do(t, db.WriteSilhouettes(ctx, "wine", true, silhouettes()))
	must.Equal(t, []Written(nil), must.Get(db.Written(ctx))(t))

	write(t, db, "wine", true, sample()) // whose silhouettes are not those of the run before
	if n := tableCount(t, db); n != before {
		t.Errorf("%d tables of the run that replaced one of %d", n, before)
	}
	must.Do(t, db.WriteSilhouettes(ctx, "wine", false, silhouettes()))
	must.Get(db.Drop(ctx, "wine"))(t)
	if n := tableCount(t, db); n != 0 {
		t.Errorf("%d tables are left", n)
	}
}

func TestSilhouettesUnderAnotherNameAreATableOfTheirOwn(t *testing.T) {
	db, ctx := memory(t, "CREATE TABLE mine_silhouettes AS SELECT 1 AS id"), t.Context()
	write(t, db, "wine", false, sample())
	write(t, db, "other", false, sample())
	before := tableCount(t, db)
	must.Do(t, db.WriteSilhouettes(ctx, "rows", false, silhouettes()))
	must.Do(t, db.WriteSilhouettes(ctx, "ROWS", true, silhouettes()))
	must.Equal(t, []Written{{"ROWS_silhouettes", KindSilhouettes, "wine", 2}}, must.Get(db.Written(ctx))(t))
	if _, what, err := db.ShownWritten(ctx, "rows_silhouettes"); what != schema.Silhouettes || err != nil {
		t.Errorf("shown as %q, %v", what, err)
	}
	must.Get(db.Drop(ctx, "rows_silhouettes"))(t)

	sqltest.WantFault(t, db.WriteSilhouettes(ctx, "other", true, silhouettes()), "table-of-a-run: table other_silhouettes would belong to "+
		"run other, and is about the rows of run wine\nwhere: into\nhint: choose another name, or that of the run")
	sqltest.WantFault(t, db.CheckSilhouettes(ctx, "wine", "mine", true), "table-exists: table mine_silhouettes exists, and was not written "+
		"by score\nwhere: into\nhint: choose another name, or rename or drop what is there; replace replaces results only")
	named := silhouettes()
	named.KeyName = "Silhouette"
	must.Fault(t, db.WriteSilhouettes(ctx, "rows", false, named), "key-name-taken")
	if n := tableCount(t, db); n != before {
		t.Errorf("%d tables, and there were %d", n, before)
	}
}
