package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestReadFiles(t *testing.T) {
	db := memory(t)
	dir := t.TempDir()
	for _, name := range []string{"a.csv", "b.tsv", "c.csv.gz", "d.parquet", "e.json", "f.ndjson", "g.JSON.gz"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			options := map[bool]string{true: "", false: " (COMPRESSION gzip)"}[!strings.HasSuffix(name, ".gz")]
			if strings.Contains(name, "json") || strings.Contains(name, "JSON") {
				options = strings.Replace(" (FORMAT json, "+strings.Trim(options, " ()")+")", ", )", ")", 1)
			} else if name == "b.tsv" {
				options = " (FORMAT csv, DELIMITER '\t')"
			}
			if err := db.Exec(t.Context(), fmt.Sprintf("COPY (SELECT 3 - i AS id, i * 0.5 AS x FROM range(3) r(i)) TO '%s'%s", path,
				options)); err != nil {
				t.Fatal(err)
			}
			table := sqltest.Read(t, db, input.Spec{Relation: path, ID: "id"})
			sqltest.Equal(t, [][]float64{{1}, {0.5}, {0}}, sqltest.Cells(table))
		})
	}
	t.Run("a_pattern_reads_all_files", func(t *testing.T) {
		for i := range 2 {
			must.Do(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.csv", i)), []byte("x,y\n1,2\n3,4\n"), 0o600))
		}
		if table := sqltest.Read(t, db, input.Spec{Relation: filepath.Join(dir, "part*.csv")}); table.Keys.Len() != 4 {
			t.Errorf("%d rows", table.Keys.Len())
		}
	})
}

func TestRowNumbers(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 1 AS x", "CREATE VIEW v AS SELECT * FROM t")
	for relation, warns := range map[string]bool{"t": false, "testdata/plant.csv": false, "v": true, "SELECT * FROM t": true} {
		t.Run(relation, func(t *testing.T) {
			table := sqltest.Read(t, db, input.Spec{Relation: relation, MissingOK: true})
			if table.KeyName != "row_id" || table.KeyType != "BIGINT" || (len(table.Warnings) > 0) != warns {
				t.Errorf("key %s %s, warnings %q", table.KeyName, table.KeyType, table.Warnings)
			}
		})
	}
}

func TestRowsWithoutAnyCellAreLeftOutAndListed(t *testing.T) {
	const rows = "SELECT * FROM (VALUES (4, NULL, NULL), (1, NULL, NULL), (3, 1, NULL), (2, 5, 6)) v(id, x, y)"
	db := memory(t)
	table := sqltest.Read(t, db, input.Spec{Relation: rows, ID: "id", MissingOK: true, Nulls: "keep"})
	if d := sqltest.Diff([]string{"1", "4"}, sqltest.KeyTexts(table.DroppedKeys)); d != "" || table.DroppedWhy != input.NoCells ||
		table.Dropped != 2 {
		t.Errorf("%d rows left out, %q: %s", table.Dropped, table.DroppedWhy, d)
	}
	sqltest.Equal(t, [][]float64{{5, 6}, {1, sqltest.NaN}}, sqltest.Cells(table))
	none := sqltest.Read(t, db, input.Spec{Relation: rows, ID: "id", Nulls: "drop"})
	if none.Dropped != 3 || none.DroppedWhy != input.NullCell {
		t.Errorf("%d rows left out, %q", none.Dropped, none.DroppedWhy)
	}
	_, err := db.Read(t.Context(), input.Spec{Relation: "SELECT NULL::DOUBLE AS x, NULL::INTEGER AS y", MissingOK: true})
	sqltest.WantFault(t, err, "empty-relation: every row of the query has NULL in all features, so no row is left\nhint: "+
		"check the columns that are read")
}

// A model labels the rows that it can, and that is none of these.
func TestNewRowsOfWhichNoneHasACellAreListedAndNoError(t *testing.T) {
	db := memory(t)
	for nulls, why := range map[string]string{"keep": input.NoCells, "drop": input.NullCell} {
		table := sqltest.Read(t, db, input.Spec{Relation: "SELECT * FROM (VALUES (2, NULL::DOUBLE), (1, NULL)) v(id, x)", ID: "id",
			Want: []string{"x"}, MissingOK: true, Nulls: nulls})
		if d := sqltest.Diff([]string{"1", "2"}, sqltest.KeyTexts(table.DroppedKeys)); d != "" || table.DroppedWhy != why ||
			table.Keys.Len() != 0 || table.Builder.Rows() != 0 {
			t.Errorf("%s: %d rows, others left out by %q: %s", nulls, table.Keys.Len(), table.DroppedWhy, d)
		}
	}
}

func TestNumbersThatAFloatCannotHoldAreNamed(t *testing.T) {
	db := memory(t)
	const digits = "123456789012345678" // more than 2^53 = 9007199254740992
	for name, test := range map[string]struct {
		value  string
		warned bool
	}{
		"BIGINT":                       {digits, true},
		"a negative BIGINT":            {"-" + digits, true},
		"HUGEINT":                      {digits + "000::HUGEINT", true},
		"UBIGINT":                      {digits + "::UBIGINT", true},
		"DECIMAL":                      {"1234567890123456.78::DECIMAL(18,2)", true},
		"an array":                     {"[1, " + digits + "]::BIGINT[2]", true},
		"a list":                       {"[1, " + digits + "]", true},
		"BIGINT of 2^53":               {"9007199254740992", false},
		"DECIMAL with few digits":      {"1234.56::DECIMAL(18,2)", false},
		"a real number rounded before": {digits + "::DOUBLE", false},
		"NULL":                         {"NULL::BIGINT", false},
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, db.Exec(t.Context(), "CREATE OR REPLACE TABLE t AS SELECT 1 AS one, "+test.value+" AS large"))
			table := sqltest.Read(t, db, input.Spec{Relation: "t", MissingOK: true})
			warned := len(table.Warnings) == 1 && strings.HasPrefix(table.Warnings[0],
				"numbers of more than 15 digits were rounded to 53 bits, in 1 column: large")
			if warned != test.warned || !warned && len(table.Warnings) > 0 {
				t.Errorf("warnings %q", table.Warnings)
			}
		})
	}
}
