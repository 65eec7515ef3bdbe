package source

import (
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// large is a table of three row groups, in an order that is not that of the key.
const large = `CREATE TABLE large AS SELECT (i * 7919) % 300007 AS id, sin(i) AS a, (i % 1000)::SMALLINT AS b,
	CASE WHEN i % 5 > 0 THEN i::DECIMAL(9, 2) END AS c, 1 + i % 3 AS w FROM range(300000) r(i)`

// A query has no rows with places of their own, and so is read in its order.
const inOrder = "SELECT * FROM large"

func TestReadingOnAllThreadsGivesTheRowsThatReadingInOrderGives(t *testing.T) {
	spec := input.Spec{ID: "id", Weight: "w", MissingOK: true}
	for name, c := range map[string]struct {
		change string
		with   func(s *input.Spec)
		slow   bool // something is not plain
	}{
		"plain":              {},
		"as they come":       {with: func(s *input.Spec) { s.Order = "input" }},
		"numbered":           {with: func(s *input.Spec) { s.ID, s.Exclude, s.Order = "", []string{"id"}, "input" }},
		"long numbers":       {change: "ALTER TABLE large ALTER b TYPE BIGINT USING 9007199254740993 + b"},
		"wide keys":          {change: "ALTER TABLE large ALTER id TYPE HUGEINT"},
		"dates as keys":      {change: "ALTER TABLE large ALTER id TYPE DATE USING DATE '1900-01-01' + id::INTEGER"},
		"text as keys":       {change: "ALTER TABLE large ALTER id TYPE VARCHAR", slow: true},
		"a blank row":        {change: "UPDATE large SET a = NULL, b = NULL, c = NULL WHERE id = 77", slow: true},
		"rows that are left": {change: "DELETE FROM large WHERE id % 1000 = 7", slow: true},
		"NULLs are left out": {with: func(s *input.Spec) { s.Nulls = "drop" }, slow: true},
		"a column rowid":     {change: "ALTER TABLE large RENAME b TO rowid", slow: true},
	} {
		t.Run(name, func(t *testing.T) {
			db := memory(t, large, c.change)
			s := spec
			if c.with != nil {
				c.with(&s)
			}
			s.Relation = inOrder
			want := sqltest.Read(t, db, s)
			s.Relation = "large"
			got := sqltest.Read(t, db, s)
			must.Equal(t, want.Fingerprint(), got.Fingerprint())
			if !slices.EqualFunc(sqltest.Cells(want), sqltest.Cells(got), sameBits) || !slices.Equal(want.Weights, got.Weights) ||
				!slices.Equal(want.Missing, got.Missing) || want.Dropped != got.Dropped {
				t.Error("cells, row weights, NULLs or rows that are left out differ")
			}
			if name == "long numbers" && (len(got.Warnings) != 1 || !slices.Contains(want.Warnings, got.Warnings[0])) {
				t.Errorf("warnings %q, want %q", got.Warnings, want.Warnings)
			}
			if plain := readsAtOnce(t, db, s); plain == c.slow {
				t.Errorf("read on all threads: %t", plain)
			}
		})
	}
}

// readsAtOnce reports whether all threads take part in reading a relation.
func readsAtOnce(t *testing.T, db *DB, spec input.Spec) bool {
	r := must.Get(db.Resolve(t.Context(), spec.Relation, ""))(t)
	s := must.Get(db.choose(t.Context(), r, spec))(t)
	names := must.Get(s.features(r, nil))(t)
	b := must.Get(matrix.NewBuilder(len(names), matrix.Options{}))(t)
	defer func() { must.Do(t, b.Discard()) }()
	in := must.Get(db.atOnce(t.Context(), r, s, spec, names, b))(t)
	if in == nil && b.Rows() > 0 {
		t.Error("rows were left behind")
	}
	return in != nil
}

// DuckDB keeps a word for each row where some were deleted, which is more than reading needs beside.
func TestATableWithDeletedRowsIsReadWithTheMemoryOfAScan(t *testing.T) {
	path := sqltest.Temp(t, "deleted.duckdb")
	sqltest.Close(t, opened(t, path, duck.ReadWrite, "CREATE TABLE deleted AS SELECT i::UINTEGER AS x FROM range(6000000) r(i)",
		"DELETE FROM deleted WHERE x % 100 = 0", "CHECKPOINT"))
	db := opened(t, path, duck.ReadOnly)
	got := sqltest.Read(t, db, input.Spec{Relation: "deleted", Order: "input"})
	if rows := got.Builder.Rows(); rows != 5940000 {
		t.Errorf("%d rows", rows)
	}
	must.Do(t, db.Close())
}

func TestWhatIsWrongWithALargeTableIsSaidAsOfASmallOne(t *testing.T) {
	for name, change := range map[string]string{
		"a key that is NULL":     "UPDATE large SET id = NULL WHERE id = 250000",
		"a key that is there":    "UPDATE large SET id = 5 WHERE id = 250000",
		"a cell that is no cell": "UPDATE large SET a = 'inf' WHERE id = 250000",
		"a weight below 0":       "UPDATE large SET w = -1 WHERE id = 250000",
	} {
		t.Run(name, func(t *testing.T) {
			db := memory(t, large, change)
			_, want := db.Read(t.Context(), input.Spec{Relation: inOrder, ID: "id", Weight: "w", MissingOK: true})
			_, err := db.Read(t.Context(), input.Spec{Relation: "large", ID: "id", Weight: "w", MissingOK: true})
			if want == nil || err == nil || want.Error() != err.Error() {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
}
