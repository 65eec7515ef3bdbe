package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTables(t *testing.T) {
	t.Run("every_table_and_column_has_a_comment", func(t *testing.T) {
		for _, table := range Tables() {
			if table.Comment == "" {
				t.Errorf("%s has no comment", table.Name)
			}
			for _, c := range table.Columns {
				if c.Comment == "" {
					t.Errorf("%s.%s has no comment", table.Name, c.Name)
				}
			}
			if comments := strings.Count(source(table.Name), "COMMENT ON COLUMN"); comments != len(table.Columns) {
				t.Errorf("%s has %d columns and %d comments", table.Name, len(table.Columns), comments)
			}
		}
	})
	t.Run("columns_are_read_off_the_files", func(t *testing.T) {
		want := []string{"cluster", "distance", "second_cluster", "margin", "status"}
		must.Equal(t, want, ColumnNames(Assignments))
	})
	t.Run("every_file_is_a_table", func(t *testing.T) {
		entries, err := files.ReadDir(".")
		if err != nil || len(entries) != len(Tables()) {
			t.Errorf("%d files, %d tables, %v", len(entries), len(Tables()), err)
		}
	})
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"a":               `"a"`,
		`a"b`:             `"a""b"`,
		`"; DROP TABLE t`: `"""; DROP TABLE t"`,
	} {
		if got := Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestDDL(t *testing.T) {
	t.Run("replaces_every_placeholder", func(t *testing.T) {
		for _, table := range Tables() {
			if ddl := DDL(table.Name, "main", "x_"+table.Name, "id", "BIGINT"); strings.ContainsAny(ddl, "{}") {
				t.Errorf("placeholders are left in\n%s", ddl)
			}
		}
	})
	t.Run("a_name_like_a_placeholder_stays_a_name", func(t *testing.T) {
		ddl := DDL(Assignments, "", "{key}", "{table}", "BIGINT")
		for _, want := range []string{`CREATE TABLE "{key}" (`, `    "{table}" BIGINT NOT NULL`} {
			if !strings.Contains(ddl, want) {
				t.Errorf("%q is not in\n%s", want, ddl)
			}
		}
	})
}

// Two files describe the columns of features, and must not drift apart.
func TestAPathTellsOfFeaturesWhatAFitDoes(t *testing.T) {
	columns := map[string][]Column{}
	for _, table := range Tables() {
		columns[table.Name] = slices.Clone(table.Columns)
	}
	ofPath, ofFit := columns[PathFeatures], columns[Features]
	if len(ofPath) < 2 || len(ofFit) < len(ofPath)-1 || ofPath[0].Name != "point" {
		t.Fatalf("columns %v and %v", ofPath, ofFit)
	}
	for i := range columns[Features] {
		columns[Features][i].Since = columns[PathFeatures][min(i+1, len(ofPath)-1)].Since // fits had features before paths
	}
	must.Equal(t, ofFit[:len(ofPath)-1], ofPath[1:])
}

func TestATableWithoutItsLatestColumnsIsStillOneOfARun(t *testing.T) {
	all := ColumnNames(Path)
	for columns, want := range map[int]bool{len(all): true, len(all) - 1: true, len(all) - 2: false} {
		if Matches(Path, all[:columns]) != want {
			t.Errorf("%d of %d columns of a path: %v", columns, len(all), !want)
		}
	}
	if fit := ColumnNames(Fit); Matches(Fit, fit[:len(fit)-1]) || !Matches(Fit, fit) {
		t.Error("a fit has all of its columns")
	}
}
