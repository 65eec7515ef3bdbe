package beside

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

const startTable = "CREATE TABLE t AS SELECT * FROM (VALUES ('c', 3, 30), ('a', 1, 10), ('b', 2, 20), ('d', NULL, 40)) v(id, x, y)"

func TestReadStart(t *testing.T) {
	db := memory(t, startTable)
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id", Nulls: "drop"})
	for name, test := range map[string]struct {
		relation string
		want     input.Start
	}{
		"labels_in_any_order":     {"VALUES ('b', 1), ('d', 0), ('c', 0), ('a', 1)", input.Start{Labels: []int32{1, 1, 0}}},
		"assignments_of_a_run":    {"VALUES ('b', 1, NULL), ('c', NULL, 'no_cells'), ('a', 1, NULL)", input.Start{Labels: []int32{1, 1, 0}}},
		"rows_in_the_given_order": {"VALUES ('c'), ('a')", input.Start{Rows: []int{2, 0}}},
		"centers": {"VALUES (1, 'Y', 4), (0, 'x', 1), (1, 'x', 3), (0, 'y', 2.5)",
			input.Start{Centers: &framework.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2.5, 3, 4}}}},
	} {
		t.Run(name, func(t *testing.T) {
			columns := map[string]string{"labels_in_any_order": "id, cluster", "assignments_of_a_run": "id, cluster, status",
				"rows_in_the_given_order": "id", "centers": "cluster, feature, center"}[name]
			got := must.Get(db.ReadStart(t.Context(), "SELECT * FROM ("+test.relation+") v("+columns+")", table, 2, false))(t)
			must.Equal(t, test.want, got)
		})
	}
}

// badStarts are starts that are refused: the message of each is in
// testdata/starts/NAME.txt.
var badStarts = map[string]string{
	"other_columns":   "SELECT 1 AS k",
	"unknown_table":   "starts",
	"labels_bad":      "SELECT * FROM (VALUES ('a', 2), ('b', NULL), ('z', 0), ('c', 1), ('c', 0), (NULL, 1)) v(id, cluster)",
	"labels_missing":  "SELECT 'a' AS id, 0 AS cluster",
	"centers_text":    "SELECT 0 AS cluster, 'x' AS feature, 'far' AS center",
	"labels_no_whole": "SELECT 'a' AS id, 'x' AS cluster",
	"labels_parts":    "SELECT * FROM (VALUES ('a', 0.4), ('b', 0.9999), ('c', 1)) v(id, cluster)",
	"labels_as_text":  "SELECT * FROM (VALUES ('a', '0.6'), ('b', '1'), ('c', '1')) v(id, cluster)",
	"centers_parts":   "SELECT * FROM (VALUES (0.5, 'x', 1), (1, 'x', 1)) v(cluster, feature, center)",
	"rows_too_few":    "SELECT 'a' AS id",
	"rows_bad":        "SELECT * FROM (VALUES ('d'), ('z')) v(id)",
	"rows_twice":      "SELECT * FROM (VALUES ('a'), ('a')) v(id)",
	"centers_bad": "SELECT * FROM (VALUES (2, 'x', 1), (0, 'xx', 1), (0, 'x', NULL), (1, 'y', 1), " +
		"(1, 'y', 1)) v(cluster, feature, center)",
	"centers_missing": "SELECT 0 AS cluster, 'x' AS feature, 1 AS center",
}

func TestReadStartRefuses(t *testing.T) {
	db := memory(t, startTable)
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id", Nulls: "drop"})
	for name, relation := range badStarts {
		t.Run(name, func(t *testing.T) {
			_, err := db.ReadStart(t.Context(), relation, table, 2, false)
			sqltest.Golden(t, filepath.Join("testdata", "starts", name+".txt"), sqltest.Explain(err)+"\n")
		})
	}
}

// A key that is cut to the type of the table's key would name another row.
func TestKeysThatACastWouldChangeAreThoseOfNoRow(t *testing.T) {
	db := memory(t, "CREATE TABLE n AS SELECT i::INTEGER AS id, i AS x FROM range(1, 11) t(i)",
		"CREATE TABLE c AS SELECT (i / 10)::DECIMAL(4, 1) AS id, i AS x FROM range(1, 10) t(i)",
		"CREATE TABLE d AS SELECT DATE '2026-01-01' + i::INTEGER AS id, i AS x FROM range(3) t(i)")
	for name, test := range map[string]struct{ table, bad, good, want string }{
		"a_fraction":               {"n", "1.4", "3.0", "1.4"},
		"a_fraction_just_below":    {"n", "9.9", "3.0", "9.9"}, // of a type that has no 10
		"no_number":                {"n", "'x3'", "'3'", "x3"},
		"beyond_the_type":          {"n", "1e30", "3.0", `1e\+30`},
		"a_fraction_as_text":       {"n", "'1.4'", "'03'", "1.4"},
		"a_real_number":            {"n", "2.5::FLOAT", "3", "2.5"},
		"more_digits":              {"c", "0.84", "0.10", "0.84"},
		"more_digits_in_a_double":  {"c", "0.84::DOUBLE", "0.1", "0.84"},
		"a_time_as_text":           {"d", "'2026-01-02 23:00:00'", "'2026-01-01'", "2026-01-02 23:00:00"},
		"a_time_of_a_day":          {"d", "TIMESTAMP '2026-01-02 10:00:00'", "TIMESTAMP '2026-01-01'", "2026-01-02 10:00:00"},
		"a_time_just_before_a_day": {"d", "TIMESTAMP '2026-01-02 23:00:00'", "TIMESTAMP '2026-01-01'", "2026-01-02 23:00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			table := sqltest.Read(t, db, input.Spec{Relation: test.table, ID: "id"})
			pairs := "SELECT " + test.bad + " AS x, " + test.good + " AS y"
			_, start := db.ReadStart(t.Context(), "SELECT * FROM (VALUES ("+test.bad+"), ("+test.good+")) v(id)", table, 2, false)
			_, first := db.ReadPairs(t.Context(), "SELECT x AS a, y AS B, 'must' AS kind FROM ("+pairs+")", table)
			_, second := db.ReadPairs(t.Context(),
				"SELECT y AS a, x AS b, 'cannot' AS kind, NULL AS weight, 'far' AS why FROM ("+pairs+")", table)
			for want, err := range map[string]error{
				"^id = " + test.want + ": there is no such row$":                           start,
				"^must " + test.want + " and .*: there is no row with id = " + test.want:   first,
				"^cannot .* and " + test.want + ": there is no row with id = " + test.want: second,
			} {
				f := framework.AsFault(err)
				if f == nil || len(f.Details) != 1 || !regexp.MustCompile(want).MatchString(f.Details[0]) {
					t.Errorf("got %s, want %s", sqltest.Explain(err), want)
				}
			}
			good, err := db.ReadPairs(t.Context(),
				"SELECT y AS a, (SELECT max(id) FROM "+test.table+") AS b, 'must' AS kind FROM ("+pairs+")", table)
			if err != nil || len(good.Links) != 1 {
				t.Errorf("%v, %v", good, err)
			}
		})
	}
}

// NAME_centers has NULL there: nothing is known of a column without values.
func TestACenterOfAColumnWithoutValuesMayBeNULLInAStart(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT i AS id, i AS x, NULL::DOUBLE AS nothing FROM range(3) r(i)")
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id", MissingOK: true})
	start := func(x string) (input.Start, error) {
		return db.ReadStart(t.Context(),
			"SELECT * FROM (VALUES (0, 'x', "+x+"), (0, 'nothing', NULL)) v(cluster, feature, center)", table, 1, false)
	}
	got := must.Get(start("1.5"))(t)
	must.Equal(t, input.Start{Centers: &framework.Matrix{Rows: 1, Cols: 2, Data: []float64{1.5, 0}}}, got)
	if _, err := start("NULL"); err == nil {
		t.Error("a NULL is taken for the center of a column with values")
	}
}

// As NAME_centers of many entries has them.
func TestEntriesOfCentersWithoutARowMayBeZeroInAStart(t *testing.T) {
	db := memory(t, startTable)
	table := sqltest.Read(t, db, input.Spec{Relation: "t", ID: "id", Nulls: "drop"})
	start := func(rows string) (input.Start, error) {
		return db.ReadStart(t.Context(), "SELECT * FROM (VALUES "+rows+") v(cluster, feature, center)", table, 2, true)
	}
	got := must.Get(start("(1, 'y', 4), (0, 'x', 0)"))(t)
	must.Equal(t, &framework.Matrix{Rows: 2, Cols: 2, Data: []float64{0, 0, 0, 4}}, got.Centers)
	_, err := start("(1, 'y', 4)")
	f := framework.AsFault(err)
	if f == nil || f.Hint != "" {
		t.Fatal(err)
	}
	must.Equal(t, []string{"cluster 0: has no center"}, f.Details)
}

func TestEncodedTablesHaveAColumnForEachCategory(t *testing.T) {
	db := memory(t, sqltest.People)
	table := sqltest.Read(t, db, input.Spec{Relation: "people", ID: "id", Features: []string{"age", "cup"}, Categories: true})
	var err error
	table.Builder, table.Encoded, err = matrix.Encode(table.Builder, table.Sources)
	must.Do(t, err)
	sqltest.Equal(t, []string{"age", "cup=S", "cup=M", "cup=L"}, table.Columns())
	sqltest.Equal(t, [][]float64{{10, 1, 0, 0}, {20, 0, 0, 1}, {30, 0, 0, 1}, {40, 0, 1, 0}}, sqltest.Cells(table))
	start := must.Get(db.ReadStart(t.Context(), `SELECT * FROM (VALUES (0, 'AGE', NULL, 1), (0, 'cup', 'S', .1), (0, 'cup', 'm', .2), `+
		`(0, 'cup', 'L', .7)) v(cluster, feature, category, center)`, table, 1, false))(t)
	must.Equal(t, &framework.Matrix{Rows: 1, Cols: 4, Data: []float64{1, .1, .2, .7}}, start.Centers)
	_, err = db.ReadStart(t.Context(), `SELECT * FROM (VALUES (0, 'age', NULL, 1), (0, 'cup', 'XS', .1), `+
		`(0, 'cup', NULL, .2)) v(cluster, feature, category, center)`, table, 1, false)
	f := framework.AsFault(err)
	if f == nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"cluster 0, feature cup=XS: there is no such feature; did you mean cup=S",
		"cluster 0, feature cup: there is no such feature; did you mean cup=S"}, f.Details); d != "" {
		t.Error(d)
	}
}
