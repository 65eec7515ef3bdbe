package source

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestASmallFileIsReadOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("one.csv", []byte("id,a,b\n3,1.5,x\n1,2.5,\n"), 0o600))
	db := memory(t)
	r := must.Get(db.Resolve(t.Context(), "one.csv", framework.Setting("relation")))(t)
	must.Do(t, os.Remove("one.csv"))
	sqltest.Equal(t, []Column{{"id", "BIGINT"}, {"a", "DOUBLE"}, {"b", "VARCHAR"}}, r.Columns)
	rows := must.Get(db.Rows(t.Context(), "SELECT * FROM "+r.From))(t)
	sqltest.Equal(t, [][]any{{int64(3), 1.5, "x"}, {int64(1), 2.5, nil}}, rows)
	db.Release(r)
	sqltest.Equal(t, 0, len(must.Get(db.Tables(t.Context()))(t)))
}

func TestTwoSmallFilesDoNotMix(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("one.csv", []byte("a\n1\n"), 0o600))
	must.Do(t, os.WriteFile("two.csv", []byte("a\n2\n"), 0o600))
	db := memory(t)
	for i, name := range []string{"one.csv", "two.csv"} {
		r := must.Get(db.Resolve(t.Context(), name, framework.Setting("relation")))(t)
		defer db.Release(r)
		sqltest.Equal(t, [][]any{{int64(i + 1)}}, must.Get(db.Rows(t.Context(), "FROM "+r.From))(t))
	}
}

func TestAColumnThatIsNotReadMayHaveValuesOfAnotherType(t *testing.T) {
	t.Chdir(t.TempDir())
	db := memory(t)
	lines := strings.Repeat("1,2\n", 30000) // DuckDB looks at 20480 lines to learn the types
	must.Do(t, os.WriteFile("one.csv", []byte("a,b\n"+lines+"1,x\n"), 0o600))
	table := sqltest.Read(t, db, input.Spec{Relation: "one.csv", Exclude: []string{"b"}})
	sqltest.Equal(t, 30001, table.Builder.Rows())
	_, err := db.Read(t.Context(), input.Spec{Relation: "one.csv"})
	must.Fault(t, err, "read-failed")
}
