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

func TestHintsWithNamesCanBePasted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"it's here", "plain"} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	written(t, "it's.dat", "x\n1\n")
	var many []string
	for i := range 40 {
		many = append(many, "'a' AS a_column_of_text_"+string(rune('a'+i%26))+strings.Repeat("x", i/26))
	}
	db := memory(t)
	for name, c := range map[string]struct {
		spec input.Spec
		want string
	}{
		"a directory": {input.Spec{Relation: "it's here"}, `to read all its files, give a pattern such as "it's here/*.parquet"`},
		"a plain one": {input.Spec{Relation: "plain"}, `to read all its files, give a pattern such as 'plain/*.parquet'`},
		"a file":      {input.Spec{Relation: "it's.dat"}, `say how to read it: "FROM read_csv('it''s.dat')"`},
		"a key": {input.Spec{Relation: `SELECT NULL::INTEGER AS "the key", 1 AS x`, ID: "the key"},
			`leave these rows out with WHERE "the key" IS NOT NULL, or use another column`},
		"columns": {input.Spec{Relation: `SELECT 'a' AS "a b", DATE '2020-01-01' AS d`},
			`leave them out with exclude = a b,d, or name the features with features; categorical = a b makes features of categories`},
		"too many for it": {input.Spec{Relation: "SELECT " + strings.Join(many, ", ")},
			"categorical = COLUMN,... makes features of their categories; exclude or ignore_text leaves them out"},
	} {
		_, err := db.Read(t.Context(), c.spec)
		if f := framework.AsFault(err); f == nil || f.Render(nil).Hint != c.want {
			t.Errorf("%s: %s\nwant: %s", name, sqltest.Explain(err), c.want)
		}
	}
}
