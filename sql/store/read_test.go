package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
			if err := db.exec(context.Background(), fmt.Sprintf("COPY (SELECT 3 - i AS id, i * 0.5 AS x FROM range(3) r(i)) TO '%s'%s", path, options)); err != nil {
				t.Fatal(err)
			}
			table := read(t, db, ReadSpec{Relation: path, ID: "id"})
			if d := diff([][]float64{{1}, {0.5}, {0}}, cells(table)); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("a_pattern_reads_all_files", func(t *testing.T) {
		for i := range 2 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%d.csv", i)), []byte("x,y\n1,2\n3,4\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if table := read(t, db, ReadSpec{Relation: filepath.Join(dir, "part*.csv")}); table.Keys.Len() != 4 {
			t.Errorf("%d rows", table.Keys.Len())
		}
	})
}

func TestRowNumbers(t *testing.T) {
	db := memory(t, "CREATE TABLE t AS SELECT 1 AS x", "CREATE VIEW v AS SELECT * FROM t")
	for relation, warns := range map[string]bool{"t": false, "testdata/plant.csv": false, "v": true, "SELECT * FROM t": true} {
		t.Run(relation, func(t *testing.T) {
			table := read(t, db, ReadSpec{Relation: relation, MissingOK: true})
			if table.KeyName != "row_id" || table.KeyType != "BIGINT" || (len(table.Warnings) > 0) != warns {
				t.Errorf("key %s %s, warnings %q", table.KeyName, table.KeyType, table.Warnings)
			}
		})
	}
}
