package source

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// keyLikeNames returns the columns of a query that look like keys, a * behind
// those that could be the key.
func keyLikeNames(t *testing.T, db *DB, spec input.Spec) []string {
	t.Helper()
	spec.MissingOK = true
	names := []string{}
	for _, k := range sqltest.Read(t, db, spec).KeyLike {
		if k.Unique {
			k.Name += "*"
		}
		names = append(names, k.Name)
	}
	return names
}

func TestAColumnLooksLikeAKeyByItsNameAndItsWholeNumbers(t *testing.T) {
	db := memory(t)
	for name, c := range map[string]struct {
		query string
		want  []string
	}{
		"row numbers in order": {"SELECT i AS visit, 0.5 AS x FROM range(50) t(i)", []string{"visit*"}},
		"in any order":         {"SELECT (i * 37) % 101 AS visit, 0.5 AS x FROM range(101) t(i)", []string{"visit*"}},
		// 37 and 101 have no common factor
		"ascending, with gaps":       {"SELECT i * 7 AS visit FROM range(50) t(i)", []string{"visit*"}},
		"the same in any order":      {"SELECT (i * 37) % 101 * 7 AS price FROM range(101) t(i)", nil},
		"wide gaps":                  {"SELECT i * 1000 AS people FROM range(50) t(i)", nil},
		"ages":                       {"SELECT 20 + i % 40 AS age FROM range(100) t(i)", nil},
		"few rows":                   {"SELECT i AS age FROM range(19) t(i)", nil},
		"measurements that differ":   {"SELECT sin(i) AS x FROM range(100) t(i)", nil},
		"whole measurements":         {"SELECT i::DOUBLE AS x FROM range(100) t(i)", nil},
		"named a key, few rows":      {"SELECT i AS id, i AS age FROM range(3) t(i)", []string{"id*"}},
		"a DOUBLE that is named one": {"SELECT i::DOUBLE AS ID FROM range(3) t(i)", []string{"ID*"}},
		"with a NULL":                {"SELECT nullif(i, 7) AS id, 0.5 AS x FROM range(50) t(i)", []string{"id"}},
		"the key of another table": {"SELECT i // 5 AS customer_id, i // 5 AS storeId, i // 7 AS sale_key FROM range(50) t(i)",
			[]string{"customer_id", "storeId", "sale_key"}},
		"names that end like it":      {"SELECT i % 5 AS paid, i % 5 AS key, i % 5 AS number, i % 3 AS rooms_no FROM range(50) t(i)", nil},
		"numbered far apart":          {"SELECT hash(i) % 1000000007 AS invoice_no, i % 4 AS x FROM range(50) t(i)", []string{"invoice_no*"}},
		"constant":                    {"SELECT 1 AS id, i % 4 AS x FROM range(50) t(i)", nil},
		"fractions":                   {"SELECT i + 0.5 AS id FROM range(50) t(i)", nil},
		"a name alone does not count": {"SELECT i % 2 = 0 AS b, i % 5 AS idea, 1.5 * i AS identity FROM range(50) t(i)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := keyLikeNames(t, db, input.Spec{Relation: c.query, Exclude: nil, Categorical: nil, Categories: true})
			sqltest.Equal(t, append([]string{}, c.want...), got)
		})
	}
}

func TestASecondKeyOfAJoinLooksLikeAKey(t *testing.T) {
	db := memory(t, "CREATE TABLE a AS SELECT i AS id, i % 3 AS x FROM range(40) t(i)",
		"CREATE TABLE b AS SELECT i AS id, i % 4 AS y FROM range(40) t(i)")
	got := keyLikeNames(t, db, input.Spec{Relation: "SELECT * FROM a JOIN b ON a.id = b.id", ID: "id"})
	sqltest.Equal(t, []string{"id_1*"}, got)
}

func TestTextThatIsNeverTheSameLooksLikeAKey(t *testing.T) {
	db := memory(t)
	query := "SELECT 'r' || i AS name, (['a', 'b'])[1 + i % 2] AS plan, i % 3 AS x FROM range(20) t(i)"
	sqltest.Equal(t, []string{"name*"}, keyLikeNames(t, db, input.Spec{Relation: query, Categorical: []string{"name", "plan"}}))
	if d := sqltest.Diff([]string{}, keyLikeNames(t, db,
		input.Spec{Relation: query + " WHERE i < 5", Categorical: []string{"name", "plan"}})); d != "" {
		t.Error(d)
	}
}

// A column that is asked for by its name is what somebody wants.
func TestAColumnThatIsAskedForDoesNotLookLikeAKey(t *testing.T) {
	db := memory(t)
	query := "SELECT i AS id, i AS other_id, i % 3 AS x FROM range(20) t(i)"
	if d := sqltest.Diff([]string{"other_id*"},
		keyLikeNames(t, db, input.Spec{Relation: query, Features: []string{"ID", "other*", "x"}})); d != "" {
		t.Error(d)
	}
}

func TestAColumnThatIsAskedForInQuotesDoesNotLookLikeAKey(t *testing.T) {
	db := memory(t)
	query := `SELECT i AS "order,id", i AS """a"" id", i AS "*id", i % 3 AS x FROM range(20) t(i)`
	for items, want := range map[string][]string{
		`"order,id","""a"" id","*id"`: {},
		`"ORDER,ID",x,"a"*`:           {`"a" id*`},
		` *id,o*`:                     {"order,id*"}, // *id is the column of that name, and no pattern
	} {
		got := keyLikeNames(t, db, input.Spec{Relation: query, Features: input.SplitColumns(items)})
		if d := sqltest.Diff(want, got); d != "" {
			t.Errorf("%s: %s", items, d)
		}
	}
}
