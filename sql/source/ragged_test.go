package source

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestALineOfACSVFileWithAWrongNumberOfFieldsIsNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	db := memory(t)
	for name, c := range map[string]struct {
		text, relation, want string
	}{
		"one more": {"id,a,b\n1,2,3\n2,3,4,5\n3,9,9\n", "one.csv", `csv-line: line 3 of file one.csv has 4 fields, where there must be 3
2,3,4,5
where: relation
hint: correct the line (a field with the delimiter in it goes in double quotes), or leave such lines out with the relation ` +
			`"FROM read_csv('one.csv', delim=',', header=true, ignore_errors=true)"`},
		"one fewer": {"id;a;b\n1;2;3\n2;3\n3;9;9\n", "one.csv", `csv-line: line 3 of file one.csv has 2 fields, where there must be 3
2;3
where: relation
hint: correct the line, or give the relation "FROM read_csv('one.csv', delim=';', header=true, null_padding=true)", ` +
			`in which the fields that a line lacks are NULL`},
		// DuckDB looks at 20480 lines to learn how a file is written.
		"far down": {"id,a,b\n" + strings.Repeat("1,2,3\n", 25000) + "5,6\n", "FROM 'one.csv'",
			`csv-line: line 25002 of file one.csv has 2 fields, where there must be 3
5,6
where: the query
hint: correct the line, or let read_csv leave such lines out: ignore_errors=true`},
		"other trouble": {"a\nx\ny\n", "one.csv", `column-not-numeric: 1 column is not a number: a
a is VARCHAR: text is not a number; CASE, or a JOIN with a table of numbers, turns it into one
where: file one.csv
hint: categorical = a makes features of their categories; exclude or ignore_text leaves them out`},
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, os.WriteFile("one.csv", []byte(c.text), 0o600))
			_, err := db.Read(t.Context(), input.Spec{Relation: c.relation, MissingOK: true})
			sqltest.WantFault(t, err, c.want)
		})
	}
}

func TestNamesWithCommasAreQuotedInMessages(t *testing.T) {
	db := memory(t, `CREATE TABLE t(id INTEGER, "spend, month" INTEGER, b INTEGER)`, "INSERT INTO t VALUES (1, 2, 3), (2, 3, 5)")
	for item, want := range map[string]string{
		"zzz":            "column-not-found: table \"t\" has no column \"zzz\"\nwhere: features\nhint: its columns are id, \"spend, month\", b",
		"spend, monthly": "column-not-found: table \"t\" has no column \"spend\"\nsimilar: '\"spend, month\"'\nwhere: features, item 1 of 2",
		`"spend, mont"`:  "column-not-found: table \"t\" has no column \"spend, mont\"\nsimilar: '\"spend, month\"'\nwhere: features",
	} {
		_, err := db.Read(t.Context(), input.Spec{Relation: "t", Features: input.SplitColumns(item)})
		sqltest.WantFault(t, err, want)
	}
}
