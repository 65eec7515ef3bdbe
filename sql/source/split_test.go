package source

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// described is all that can be seen of a table, but its name.
func described(t *input.Table) []any {
	dropped := sqltest.KeyTexts(t.DroppedKeys)
	return []any{t.Features, sqltest.Cells(t), t.Builder.Weights(), t.Sources, t.Weights, sqltest.KeyTexts(t.Keys), t.Keys.Type(),
		t.KeyName, t.KeyType, t.Dropped, dropped, t.DroppedKeys.Type(), t.DroppedWhy, t.Missing, t.Absent, t.KeyLike, t.Excluded,
		t.Warnings}
}

// cells draws a generator of the literals of a column: plain ones only, or also some
// of one odd kind.
func cells(t *rapid.T, plain *rapid.Generator[string], odd ...string) *rapid.Generator[string] {
	if rapid.IntRange(0, 4).Draw(t, "flawed") > 1 {
		return plain
	}
	return rapid.OneOf(plain, plain, plain, rapid.Just(rapid.SampledFrom(odd).Draw(t, "odd")))
}

// relation draws a query of rows in three groups.
func relation(t *rapid.T) string {
	number := rapid.SampledFrom([]string{"1", "2", "3.5", "-7", "0.25"})
	id := cells(t, rapid.Just(""), "NULL", "3")
	columns := []*rapid.Generator[string]{
		cells(t, rapid.SampledFrom([]string{"0", "1", "3"}), "NULL", "-1", "9"),
		cells(t, number, "NULL", "NULL", "NULL", "'nan'::DOUBLE", "'-inf'::DOUBLE"),
		cells(t, rapid.SampledFrom([]string{"4", "5", "6"}), "NULL", "NULL", "9007199254740995"),
		cells(t, rapid.SampledFrom([]string{"1", "2"}), "NULL", "-1", "0"),
		cells(t, rapid.SampledFrom([]string{"'x'", "'y'", "'1'"}), "NULL"),
	}
	var rows []string
	for i := range rapid.IntRange(1, 24).Draw(t, "rows") {
		row := []string{cmp.Or(id.Draw(t, "id"), fmt.Sprint(i*7%24))}
		for _, c := range columns {
			row = append(row, c.Draw(t, "cell"))
		}
		rows = append(rows, "("+strings.Join(row, ", ")+")")
	}
	last := rapid.SampledFrom([]string{"", "", "", ", t", ", [a, b]::DOUBLE[2] AS l", ", range(1 + b % 2)::DOUBLE[] AS l"}).Draw(t, "last")
	return "SELECT id, g, a::DOUBLE AS a, b::BIGINT AS b, w::DOUBLE AS w" + last + " FROM (VALUES " + strings.Join(rows, ", ") +
		") v(id, g, a, b, w, t)"
}

func spec(t *rapid.T) input.Spec {
	flag := func(name string) bool { return rapid.Bool().Draw(t, name) }
	s := input.Spec{Relation: relation(t), MissingOK: flag("missing"), Categories: flag("categories"), IgnoreText: flag("ignore"),
		Nulls: rapid.SampledFrom([]string{"", "", "keep", "drop", "error"}).Draw(t, "nulls")}
	if flag("keyed") {
		s.ID = rapid.SampledFrom([]string{"id", "id", "id", "id", "no"}).Draw(t, "id")
		s.Order = rapid.SampledFrom([]string{"", "input"}).Draw(t, "order")
	}
	if flag("weighted") {
		s.Weight = "w"
	}
	switch rapid.IntRange(0, 7).Draw(t, "columns") {
	case 0:
		s.Want, s.Optional = []string{"b", "a"}, map[string]bool{"a": true}
	case 1:
		s.Want, s.Optional = []string{"b", "z"}, map[string]bool{"z": flag("optional")}
	case 2:
		s.Features = []string{"a"}
	case 3:
		s.Categorical = []string{input.AutoCategories}
	}
	return s
}

// alike compares what each of four groups is read as with what a query of its rows is.
func alike(t *testing.T, db *DB, spec input.Spec) {
	t.Helper()
	split := must.Get(db.Split(t.Context(), spec, "g", 4))(t)
	defer sqltest.Close(t, split)
	for g := range 4 {
		alone := spec
		alone.Relation = fmt.Sprintf("SELECT * EXCLUDE (\"g\") FROM (\n%s\n) WHERE \"g\" = %d", spec.Relation, g)
		want, wrong := db.Read(t.Context(), alone)
		got, err := split.Read(t.Context(), g)
		must.Equal(t, sqltest.Explain(wrong), sqltest.Explain(err))
		if err == nil {
			sqltest.Equal(t, described(want), described(got))
			must.Equal(t, []string{spec.Relation, spec.Relation}, []string{got.Name, got.SourceSQL})
			sqltest.Close(t, want)
			sqltest.Close(t, got)
		}
	}
}

func TestAGroupIsReadAsAQueryOfItsRowsIs(t *testing.T) {
	db := memory(t)
	for seed := range map[bool]int{false: 25, true: 1000}[clustertest.Campaign] {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { alike(t, db, rapid.Custom(spec).Example(seed)) })
	}
	for name, rows := range map[string]string{
		"a row without cells":   "(1, 0, 1, NULL, NULL), (2, 0, 1, 5, 6), (3, 1, 1, 5, NULL)",
		"a weight that is NULL": "(1, 0, NULL, 1, 2), (2, 0, 1, 5, 6), (3, 1, 1, 5, 6)",
		"weights of 0":          "(1, 0, 0, 1, 2), (2, 1, 0, 5, 6), (3, 1, 1, 5, 6)",
		"keys that occur twice": "(1, 0, 1, 1, 2), (1, 0, 1, 5, 6), (1, 1, 1, 5, 6)",
		"rows in no group":      "(1, -1, 1, 1, 2), (2, 4, 1, 5, 6), (3, NULL, 1, 5, 6), (4, 2, 1, 5, 6)",
	} {
		t.Run(name, func(t *testing.T) {
			relation := "SELECT id, g, w::DOUBLE AS w, a, b FROM (VALUES " + rows + ") v(id, g, w, a, b)"
			alike(t, db, input.Spec{Relation: relation, ID: "id", Weight: "w", MissingOK: true})
		})
	}
}

func TestGroupsOfPlainNumbersAreReadAtOnce(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 99 - i AS id, i % 5 AS g, i * i AS x, CASE WHEN i <> 13 THEN i / 8 END AS y "+
		"FROM range(100) r(i)")
	split := must.Get(db.Split(t.Context(), input.Spec{Relation: "t", ID: "id"}, "g", 6))(t)
	defer sqltest.Close(t, split)
	must.Do(t, db.Exec(t.Context(), "DROP TABLE t"))
	for g, want := range []string{"no error", "no error", "no error", "relation-invalid", "no error", "empty-relation"} { // 13 is in group 3
		table, err := split.Read(t.Context(), g)
		if code, _, _ := strings.Cut(sqltest.Explain(err), ":"); code != want {
			t.Fatalf("group %d: %v, want %s", g, err, want)
		}
		if err != nil {
			continue
		}
		// Keys fall where i rises: the last of a group is 95 + g.
		x, first := sqltest.Cells(table)[0][0], table.Keys.Text(0)
		if x != float64((95+g)*(95+g)) || first != fmt.Sprint(4-g) || table.Keys.Len() != 20 {
			t.Errorf("group %d begins with %v, key %s", g, x, first)
		}
		sqltest.Close(t, table)
	}
}

// BenchmarkSplit reads 2000 groups of 20 rows, from a table in memory.
func BenchmarkSplit(b *testing.B) {
	db := memory(b, "CREATE TABLE t AS SELECT i AS id, hash(i) % 2000 AS g, random() AS a, random() AS b, random() AS c, random() AS d, "+
		"random() AS e FROM range(40000) r(i)")
	for b.Loop() {
		split := must.Get(db.Split(b.Context(), input.Spec{Relation: "t", ID: "id"}, "g", 2000))(b)
		for g := range 2000 {
			sqltest.Close(b, must.Get(split.Read(b.Context(), g))(b))
		}
		sqltest.Close(b, split)
	}
}
