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

// written makes a file, and returns its path: a name of the working directory, so
// that messages do not depend on where that is.
func written(t *testing.T, name, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// proposed returns the relation that a hint ends with, as the shell reads it.
func proposed(t *testing.T, f *framework.Fault) string {
	t.Helper()
	_, word, ok := strings.Cut(f.Hint, " use the relation ")
	if !ok {
		t.Fatalf("no relation in %q", f.Hint)
	}
	if text, ok := strings.CutPrefix(word, `"`); ok {
		return strings.TrimSuffix(text, `"`)
	}
	return strings.ReplaceAll(strings.Trim(word, "'"), `'\''`, "'")
}

const eightNumbers = "1\n2.5\n3\n4\n5\n6\n7\n8\n"

// The files and rows are made here; what is no number in them can be counted.
func TestAColumnOfNumbersWithAFewTextsSaysWhichAndHowToReadIt(t *testing.T) {
	t.Chdir(t.TempDir())
	db := memory(t, `CREATE TABLE "my table" AS SELECT * FROM (VALUES ('1', 'a'), ('?', 'b'), ('2', 'c'), (NULL, 'd')) v("a b", c)`,
		"CREATE VIEW w AS SELECT * FROM (VALUES ('1,234.5'), ('12'), ('2,000'), ('1,000,000')) v(n)")
	for name, c := range map[string]struct {
		relation string
		exclude  []string
		message  string
		cells    [][]float64 // of the relation that the hint proposes
	}{
		"marks of missing values": {written(t, "na.csv", "x,y\n1,1\nNA,2\n3,\n?,4\nNA,5\n6,6\n7,7\n"), nil,
			`column-not-numeric: 1 column is not a number: x
x is VARCHAR: 3 of 7 values are not numbers: "NA" (2), "?" (1)
categorical = x makes features of their categories; exclude leaves them out
where: file na.csv
hint: to read these values as NULL, use the relation "FROM read_csv('na.csv', nullstr=['', 'NA', '?'])"`,
			[][]float64{{1, 1}, {sqltest.NaN, 2}, {3, sqltest.NaN}, {sqltest.NaN, 4}, {sqltest.NaN, 5}, {6, 6}, {7, 7}}},
		"one of them, beside a column that is truly text": {written(t, "it's.csv", "x,c\n1,red\n-,blue\n3,red\n"), nil,
			`column-not-numeric: 2 columns are not numbers: x, c
x is VARCHAR: 1 of 3 values is not a number: "-" (1)
c is VARCHAR: text is not a number; CASE, or a JOIN with a table of numbers, turns it into one
categorical = x,c makes features of their categories; exclude leaves them out
where: file it's.csv
hint: to read these values as NULL, use the relation "FROM read_csv('it''s.csv', nullstr=['', '-'])"`, nil},
		"decimal commas": {written(t, "comma.csv", "a;b\n1,5;2\n2,25;3\nn/a;4\n"), nil, `column-not-numeric: 1 column is not a number: a
a is VARCHAR: 2 of 3 values have a decimal comma; 1 of 3 values is not a number: "n/a" (1)
categorical = a makes features of their categories; exclude leaves them out
where: file comma.csv
hint: to read these values as NULL, use the relation "FROM read_csv('comma.csv', nullstr=['', 'n/a'], decimal_separator=',')"`,
			[][]float64{{1.5, 2}, {2.25, 3}, {sqltest.NaN, 4}}},
		"decimal commas beside points": {written(t, "both.csv", "a;b\n1,5;2.5\n2,25;3.5\n"), nil, `column-not-numeric: 1 column is not a number: a
a is VARCHAR: 2 of 2 values have a decimal comma
categorical = a makes features of their categories; exclude leaves them out
where: file both.csv
hint: to read them as numbers, use the relation "SELECT * REPLACE (TRY_CAST(replace(a, ',', '.') AS DOUBLE) AS a) FROM 'both.csv'"`,
			[][]float64{{1.5, 2.5}, {2.25, 3.5}}},
		"a table": {"my table", []string{"c"}, `column-not-numeric: 1 column is not a number: a b
a b is VARCHAR: 1 of 3 values is not a number: "?" (1)
categorical = a b makes features of their categories; exclude leaves them out
where: table "my table"
hint: to read these values as NULL, use the relation 'SELECT * REPLACE (TRY_CAST("a b" AS DOUBLE) AS "a b") FROM "main"."my table"'`,
			[][]float64{{1}, {2}}},
		"commas between thousands": {"w", nil, `column-not-numeric: 1 column is not a number: n
n is VARCHAR: 3 of 4 values have commas between thousands
categorical = n makes features of their categories; exclude leaves them out
where: view "w"
hint: to read them as numbers, use the relation "SELECT * REPLACE (TRY_CAST(replace(n, ',', '') AS DOUBLE) AS n) FROM w"`,
			[][]float64{{1234.5}, {12}, {2000}, {1e6}}},
		"points between thousands": {"SELECT unnest(['1.234,5', '0,5', '1.000.000,25']) AS n", nil,
			`column-not-numeric: 1 column is not a number: n
n is VARCHAR: 3 of 3 values have a decimal comma
categorical = n makes features of their categories; exclude leaves them out
where: the query
hint: to read them as numbers, use the relation "SELECT * REPLACE (TRY_CAST(replace(replace(n, '.', ''), ',', '.') AS DOUBLE) AS n) FROM (SELECT unnest(['1.234,5', '0,5', '1.000.000,25']) AS n)"`,
			[][]float64{{1234.5}, {0.5}, {1000000.25}}},
		"points between thousands, and no other ones": {"SELECT unnest(['1.234,5', '2.500', '-3', '1.000']) AS n", nil,
			`column-not-numeric: 1 column is not a number: n
n is VARCHAR: 1 of 4 values has a decimal comma
categorical = n makes features of their categories; exclude leaves them out
where: the query
hint: to read them as numbers, use the relation "SELECT * REPLACE (TRY_CAST(replace(replace(n, '.', ''), ',', '.') AS DOUBLE) AS n) FROM (SELECT unnest(['1.234,5', '2.500', '-3', '1.000']) AS n)"`,
			[][]float64{{1234.5}, {2500}, {-3}, {1000}}},
		"points between thousands, and before decimals": {"SELECT unnest(['1.234,5', '3.5', '1.5e3', '1.234']) AS n", nil,
			`column-not-numeric: 1 column is not a number: n
n is VARCHAR: 1 of 4 values has a decimal comma; 2 of 4 values have a decimal point
where: the query
hint: categorical = n makes features of their categories; exclude leaves them out`, nil},
		"numbers stored as text": {"SELECT unnest(['1', '02']) AS n", nil, `column-not-numeric: 1 column is not a number: n
n is VARCHAR: all values are numbers, but stored as text
categorical = n makes features of their categories; exclude leaves them out
where: the query
hint: to read them as numbers, use the relation "SELECT * REPLACE (TRY_CAST(n AS DOUBLE) AS n) FROM (SELECT unnest(['1', '02']) AS n)"`,
			[][]float64{{1}, {2}}},
		"a query too long to be repeated": {"SELECT unnest(['1', '2', '3', '4', 'x', 'nan', '']) AS n, '" + strings.Repeat("long", 40) + "' AS c",
			[]string{"c"},
			`column-not-numeric: 1 column is not a number: n
n is VARCHAR: 3 of 7 values are not numbers: "" (1), "nan" (1), "x" (1)
categorical = n makes features of their categories; exclude leaves them out
where: the query
hint: in a query, TRY_CAST("n" AS DOUBLE) is a number, or NULL where there is none`, nil},
		"a query of several lines": {"SELECT unnest(['1', '2', 'x']) AS n\nWHERE true", nil, `column-not-numeric: 1 column is not a number: n
n is VARCHAR: 1 of 3 values is not a number: "x" (1)
categorical = n makes features of their categories; exclude leaves them out
where: the query
hint: in a query, TRY_CAST("n" AS DOUBLE) is a number, or NULL where there is none`, nil},
		"more kinds of text than are marks": {written(t, "codes.csv", "x\n"+eightNumbers+"<1\n<2\n<3\n<4\n<5\n<6\n<7\n"), nil,
			`column-not-numeric: 1 column is not a number: x
x is VARCHAR: 7 of 15 values are not numbers: "<1" (1), "<2" (1), "<3" (1), "<4" (1), "<5" (1), and 2 more
categorical = x makes features of their categories; exclude leaves them out
where: file codes.csv
hint: to read these values as NULL, use the relation "FROM read_csv('codes.csv', nullstr=['', '<1', '<2', '<3', '<4', '<5', '<6', '<7'])"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.Read(t.Context(), input.Spec{Relation: c.relation, Exclude: c.exclude})
			sqltest.WantFault(t, err, c.message)
			if c.cells == nil || t.Failed() {
				return
			}
			again := sqltest.Read(t, db, input.Spec{Relation: proposed(t, framework.AsFault(err)), Exclude: c.exclude, Nulls: "keep",
				MissingOK: true, Order: "input", NullLevel: true})
			sqltest.Equal(t, c.cells, sqltest.Cells(again))
		})
	}
}

// 40 rows: colour has 2 different values, size 19, which is fewer than half of
// the rows, sizes 21, free 40, and level 4 numbers with 2 rows that have none.
const columnsOfText = `CREATE TABLE texts AS SELECT i AS id, i % 7 AS x, CASE i % 2 WHEN 0 THEN 'red' ELSE 'blue' END AS colour,
	i % 3 = 0 AS flag,
	's' || i % 19 AS size, CASE i WHEN 1 THEN 'z' ELSE 's' || i % 20 END AS sizes, 'name ' || i AS free,
	CASE WHEN i < 38 THEN (i % 4)::VARCHAR ELSE 'NA' END AS level, NULL::VARCHAR AS void FROM range(40) r(i)`

func TestTextIsCategoriesOrLeftOutAsTheFlagsSay(t *testing.T) {
	db := memory(t, columnsOfText)
	for name, c := range map[string]struct {
		spec     input.Spec
		features string // those of categories with a star; or the message
		left     string
	}{
		"auto takes text of few values": {input.Spec{Categorical: []string{"auto"}, Exclude: []string{"free", "sizes", "level", "void"}},
			"x colour* flag* size*", "id sizes free level void"},
		"auto refuses text of many": {input.Spec{Categorical: []string{"auto"}},
			`column-not-numeric: 4 columns are not numbers: sizes, free, level, void
level is VARCHAR: 2 of 40 values are not numbers: "NA" (2)
sizes is VARCHAR: it has 21 different values in 40 rows, too many for categorical = auto
free is VARCHAR: it has 40 different values in 40 rows, too many for categorical = auto
void is VARCHAR: it has 0 different values in 0 rows, too many for categorical = auto
categorical = sizes,free,level,void makes features of their categories; exclude leaves them out
where: table "texts"
hint: to read these values as NULL, use the relation 'SELECT * REPLACE (TRY_CAST(level AS DOUBLE) AS level) FROM texts'`, ""},
		"auto and named ones": {input.Spec{Categorical: []string{"auto", "x", "level"}, IgnoreText: true},
			"x* colour* flag* size* level*", "id sizes free void"},
		"auto is for all algorithms": {input.Spec{Categorical: []string{"auto"}, Categories: true, IgnoreText: true,
			Exclude: []string{"level"}}, "x colour* flag* size*", "id sizes free level void"},
		"text is ignored": {input.Spec{IgnoreText: true, Exclude: []string{"level"}}, "x",
			"id colour flag size sizes free level void"},
		"text is ignored of an algorithm for it": {input.Spec{IgnoreText: true, Categories: true, Exclude: []string{"level"}}, "x",
			"id colour flag size sizes free level void"},
		"patterns may match ignored text": {input.Spec{IgnoreText: true, Features: []string{"x", "s*"}}, "x",
			"id colour flag size sizes free level void"},
		"numbers with marks are not ignored": {input.Spec{IgnoreText: true}, `column-not-numeric: 1 column is not a number: level
level is VARCHAR: 2 of 40 values are not numbers: "NA" (2)
categorical = level makes features of their categories; exclude leaves them out
where: table "texts"
hint: to read these values as NULL, use the relation 'SELECT * REPLACE (TRY_CAST(level AS DOUBLE) AS level) FROM texts'`, ""},
		"an algorithm for categories takes all": {input.Spec{Categories: true, Exclude: []string{"void"}},
			"x colour* flag* size* sizes* free* level*", "id void"},
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.Relation, c.spec.ID = "texts", "id"
			table, err := db.Read(t.Context(), c.spec)
			if err != nil {
				sqltest.WantFault(t, err, c.features)
				return
			}
			defer sqltest.Close(t, table)
			var features, left []string
			for _, s := range table.Sources {
				features = append(features, s.Name+map[bool]string{true: "*"}[s.Categorical])
			}
			for _, e := range table.Excluded {
				left = append(left, e.Name)
			}
			sqltest.Equal(t, c.features, strings.Join(features, " "))
			sqltest.Equal(t, c.left, strings.Join(left, " "))
			noted := strings.Join(table.Warnings, "\n") == `the values of level are categories, though most are numbers: `+
				`2 of 40 values are not numbers: "NA" (2)`
			if want := name == "an algorithm for categories takes all"; noted != want {
				t.Errorf("warnings %q", table.Warnings)
			}
		})
	}
	named := sqltest.Read(t, memory(t, "CREATE TABLE t AS SELECT i AS x, i % 2 AS auto, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END AS y "+
		"FROM range(9) r(i)"),
		input.Spec{Relation: "t", Categorical: []string{"auto"}, IgnoreText: true})
	if !named.Sources[1].Categorical || len(named.Sources) != 2 {
		t.Errorf("a column that is called auto is meant by it: %+v", named.Sources)
	}
}

func TestAModelAndAWeightSayWhatIsNoNumberToo(t *testing.T) {
	db := memory(t, columnsOfText)
	const hint = "hint: to read these values as NULL, use the relation 'SELECT * REPLACE (TRY_CAST(level AS DOUBLE) AS level) FROM texts'"
	_, err := db.Read(t.Context(), input.Spec{Relation: "texts", Want: []string{"x", "level"}})
	sqltest.WantFault(t, err, "column-not-numeric: 1 column is not a number: level\nlevel is VARCHAR: 2 of 40 values are not numbers: "+
		"\"NA\" (2)\nwhere: table \"texts\"\n"+hint)
	_, err = db.Read(t.Context(), input.Spec{Relation: "texts", Features: []string{"x"}, Weight: "level"})
	sqltest.WantFault(t, err, "weight-not-numeric: the row weight \"level\" is VARCHAR, not a number\n2 of 40 values are not numbers: "+
		"\"NA\" (2)\nwhere: weight\n"+hint)
}
