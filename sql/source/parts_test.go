package source

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// eachAlike compares what each group is read as with what its query is, and the rows of
// all groups with those of the relation.
func eachAlike(t *testing.T, db *DB, spec input.Spec, by ...string) {
	t.Helper()
	parts, err := db.Parts(t.Context(), spec, by)
	if err != nil { // of the columns: no group can be read
		if _, wrong := db.Read(t.Context(), spec); wrong == nil {
			t.Fatalf("the whole relation can be read, and its groups cannot: %v", err)
		}
		return
	}
	defer sqltest.Close(t, parts)
	rows := 0
	for g := range parts.Groups().Len() {
		rows += parts.Groups().Sizes[g]
		alone := spec
		alone.Relation = parts.Query(g)
		want, wrong := db.Read(t.Context(), alone)
		got, err := parts.Read(t.Context(), spec, g)
		must.Equal(t, withoutHint(wrong), withoutHint(err))
		if err == nil {
			sqltest.Equal(t, described(want), described(got))
			must.Equal(t, []string{spec.Relation, want.SourceSQL}, []string{got.Name, got.SourceSQL})
			sqltest.Close(t, want)
			sqltest.Close(t, got)
		}
	}
	all := must.Get(db.Rows(t.Context(), "SELECT count(*) FROM ("+spec.Relation+")"))(t)
	must.Equal(t, all[0][0], any(int64(rows)))
}

// withoutHint is what is wrong; the hint is about the whole relation.
func withoutHint(err error) string {
	text, _, _ := strings.Cut(sqltest.Explain(err), "\nhint:")
	return text
}

func TestAPartIsReadAsItsQueryIs(t *testing.T) {
	db := memory(t)
	for seed := range map[bool]int{false: 25, true: 1000}[clustertest.Campaign] {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			one := rapid.Custom(spec).Example(seed)
			one.Features = nil // among which the last column would be
			eachAlike(t, db, one, "g")
		})
	}
}

func TestValuesOfEachTypeMakeGroups(t *testing.T) {
	db := memory(t)
	for name, values := range map[string]string{
		"text with quotes and commas": `('it''s'), ('"a", b'), (''), ('Zürich'), ('東京'), (NULL), (' a '), ('a'), ('NULL')`,
		"whole numbers":               "(3::TINYINT), (-1), (NULL), (3)",
		"numbers":                     "(0.1::DOUBLE), (-0.0), (0.0), ('inf'), ('-inf'), ('nan'), (1e300)",
		"floats":                      "(0.1::FLOAT), (2.5), (NULL)",
		"huge numbers":                "(170141183460469231731687303715884105727::HUGEINT), (-1), (0)",
		"decimals":                    "(1.50::DECIMAL(9,2)), (-0.01), (NULL)",
		"truth":                       "(true), (false), (NULL)",
		"dates":                       "(DATE '2024-02-29'), (DATE '1900-01-01'), (NULL)",
		"times":                       "(TIMESTAMP '2024-02-29 12:00:00.000001'), (TIMESTAMP '1900-01-01')",
		"words":                       "('b'::ENUM('b', 'it''s', 'a')), ('a'), ('it''s'), (NULL)",
		"UUIDs":                       "('00000000-0000-0000-0000-000000000001'::UUID), ('ffffffff-0000-0000-0000-000000000001')",
		"bytes":                       `('\x00\xFF'::BLOB), ('a'::BLOB), (''::BLOB)`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range []string{"", ", 'x' || x % 2 AS t"} { // with text, groups are read one by one
				query := "SELECT row_number() OVER () AS id, v.v AS \"the \"\"value\"\"\", x" + text + " FROM (VALUES " + values +
					") v(v), range(3) r(x)"
				eachAlike(t, db, input.Spec{Relation: query, ID: "id", Categories: text != ""}, `the "value"`)
			}
		})
	}
}

func TestGroupsAreInTheOrderOfTheirValues(t *testing.T) {
	db := memory(t)
	for _, text := range []string{"", ", 'x' AS t"} {
		query := "SELECT u, v, x" + text + " FROM (VALUES ('b', 2), (NULL, 1), ('a', NULL), ('a', 10), ('a', 9), ('B', 1)) w(u, v), range(2) r(x)"
		parts := must.Get(db.Parts(t.Context(), input.Spec{Relation: query, Categories: true}, []string{"u", "v"}))(t)
		var got []string
		for g := range parts.Groups().Len() {
			got = append(got, parts.Groups().Text(g))
		}
		sqltest.Equal(t, []string{"u = B, v = 1", "u = a, v = 9", "u = a, v = 10", "u = a, v = NULL", "u = b, v = 2", "u = NULL, v = 1"}, got)
		sqltest.Close(t, parts)
	}
}

func TestColumnsThatCannotGroupRowsAreRefused(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT i AS id, i % 3 AS region, i AS x, [i] AS list, 1 AS w, 2 AS kind FROM range(9) r(i)")
	of := input.Spec{Relation: "t", ID: "id", Weight: "w"}
	features := of
	features.Features = []string{"x", "Region"}
	for name, c := range map[string]struct {
		spec input.Spec
		by   []string
		want string
	}{
		"no such column": {of, []string{"regoin"}, `column-not-found: table "t" has no column "regoin"`},
		"twice":          {of, []string{"region", `"REGION"`}, `column-used-twice: column "region" is named twice`},
		"key": {of, []string{"ID"},
			`column-used-twice: rows cannot be grouped by column "id": it is also the row key, so that each row would be a group`},
		"weight": {of, []string{"w"},
			`column-used-twice: rows cannot be grouped by column "w": it is also the row weight, which would be the same in all rows of a group`},
		"feature": {features, []string{"region"},
			`column-used-twice: rows cannot be grouped by column "region": it is also a feature, which would be the same in all rows of a group`},
		"list": {input.Spec{Relation: "t", ID: "id", Features: []string{"x"}}, []string{"list"},
			`group-type-unsupported: rows cannot be grouped by column "list", which is BIGINT[]`},
		"name of a result": {of, []string{"kind"},
			`group-name-taken: rows cannot be grouped by a column "kind": the result table violations has one of that name`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := db.Parts(t.Context(), c.spec, c.by)
			got, _, _ := strings.Cut(sqltest.Explain(err), "\n")
			must.Equal(t, c.want, got)
		})
	}
}

// BenchmarkParts is BenchmarkSplit by the values of a column of text.
func BenchmarkParts(b *testing.B) {
	db := memory(b, "CREATE TABLE t AS SELECT i AS id, 'group ' || hash(i) % 2000 AS g, random() AS a, random() AS b, random() AS c, "+
		"random() AS d, random() AS e FROM range(40000) r(i)")
	for b.Loop() {
		spec := input.Spec{Relation: "t", ID: "id"}
		parts := must.Get(db.Parts(b.Context(), spec, []string{"g"}))(b)
		for g := range 2000 {
			sqltest.Close(b, must.Get(parts.Read(b.Context(), spec, g))(b))
		}
		sqltest.Close(b, parts)
	}
}
