package source

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// TestOrder reads the same rows in many orders: several chunks, with NULLs,
// weights, an array, and keys of one type at a time.
func TestOrder(t *testing.T) {
	db := memory(t, `CREATE TABLE rows AS SELECT i AS id, sin(i) AS a, CASE WHEN i % 7 > 0 THEN i END AS b, [i, -i]::DOUBLE[2] AS e, `+
		`1 + i % 3 AS w, 'level ' || i % 11 AS c FROM range(5000) r(i)`)
	spec := func(key, seed string) input.Spec {
		return input.Spec{Relation: "SELECT * REPLACE (" + key + " AS id) FROM rows ORDER BY hash(id + " + seed + ")",
			ID: "id", Weight: "w", MissingOK: true, Categories: true}
	}
	for name, key := range map[string]string{"numbers": "id - 2500", "text": "'row ' || id || repeat('x', id % 20)"} {
		t.Run("of_rows_changes_nothing/"+name, func(t *testing.T) {
			want := sqltest.Read(t, db, spec(key, "0"))
			sum := want.Fingerprint()
			for _, seed := range []string{"1", "2"} {
				got := sqltest.Read(t, db, spec(key, seed))
				must.Equal(t, sum, got.Fingerprint())
				if !slices.Equal(sqltest.KeyTexts(want.Keys), sqltest.KeyTexts(got.Keys)) || !slices.Equal(want.Weights, got.Weights) ||
					!slices.EqualFunc(sqltest.Cells(want), sqltest.Cells(got), sameBits) {
					t.Fatal("keys, weights or cells are not those of the first order")
				}
			}
		})
	}
	t.Run("is_ascending_by_bytes_for_text", func(t *testing.T) {
		table := sqltest.Read(t, db, input.Spec{Relation: "VALUES ('b', 1), ('B', 2), ('é', 3), ('a', 4), ('', 5)", ID: "col0"})
		sqltest.Equal(t, []string{"", "B", "a", "b", "é"}, sqltest.KeyTexts(table.Keys))
	})
	t.Run("leaves_dropped_keys_ascending", func(t *testing.T) {
		table := sqltest.Read(t, db, input.Spec{Relation: "FROM rows ORDER BY id DESC", ID: "id", Nulls: "drop", Exclude: []string{"c"}})
		if table.Dropped != 715 || table.DroppedKeys.Text(1) != "7" || table.Keys.Len() != 4285 { // 0, 7, … 4998 are 715
			t.Errorf("%d dropped, %d kept, second is %s", table.Dropped, table.Keys.Len(), table.DroppedKeys.Text(1))
		}
	})
}

// sameBits reports whether two rows are the same, NaN for NaN.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

func TestFingerprint(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT i AS id, i * 2 AS x, 1 AS w FROM range(10) r(i)")
	base := input.Spec{Relation: "t", ID: "id", Features: []string{"x"}}
	want := sqltest.Read(t, db, base).Fingerprint()
	for name, change := range map[string]func(*input.Spec){
		"a_cell": func(s *input.Spec) { s.Relation = "SELECT * REPLACE (CASE id WHEN 3 THEN 0 ELSE x END AS x) FROM t" },
		"a_key":  func(s *input.Spec) { s.Relation = "SELECT * REPLACE (CASE id WHEN 9 THEN 99 ELSE id END AS id) FROM t" },
		"a_name": func(s *input.Spec) {
			s.Relation = "SELECT * RENAME (x AS y) FROM t"
			s.Features = nil
			s.Exclude = []string{"w"}
		},
		"a_weight":  func(s *input.Spec) { s.Weight = "w" },
		"a_feature": func(s *input.Spec) { s.Features = nil },
	} {
		t.Run("depends_on_"+name, func(t *testing.T) {
			spec := base
			change(&spec)
			if sqltest.Read(t, db, spec).Fingerprint() == want {
				t.Error("the fingerprint is the same")
			}
		})
	}
}
