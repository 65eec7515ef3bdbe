package source

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// shapes are relations that can be read, with what must come of them.
var shapes = map[string]struct {
	spec     input.Spec
	features []string
	keys     []string
	cells    [][]float64
}{
	"a_table": {
		spec:     input.Spec{Relation: "flowers", ID: "id", Exclude: []string{"class"}, MissingOK: true},
		features: []string{"length", "width"}, keys: []string{"1", "2", "3"},
		cells: [][]float64{{2.5, 20}, {sqltest.NaN, 30}, {1.5, 10}},
	},
	"a_table_in_input_order": {
		spec:     input.Spec{Relation: "FLOWERS", ID: "ID", Exclude: []string{"Class"}, MissingOK: true, Order: "input"},
		features: []string{"length", "width"}, keys: []string{"3", "1", "2"},
		cells: [][]float64{{1.5, 10}, {2.5, 20}, {sqltest.NaN, 30}},
	},
	"rows_with_nulls_dropped": {
		spec:     input.Spec{Relation: "flowers", ID: "id", Exclude: []string{"class"}, Nulls: "drop"},
		features: []string{"length", "width"}, keys: []string{"1", "3"},
		cells: [][]float64{{2.5, 20}, {1.5, 10}},
	},
	"dropped_rows_keep_their_numbers": {
		spec:     input.Spec{Relation: "SELECT * FROM (VALUES (1), (NULL), (3)) v(x)", Nulls: "drop"},
		features: []string{"x"}, keys: []string{"1", "3"}, cells: [][]float64{{1}, {3}},
	},
	"a_NaN_in_a_dropped_row_does_not_matter": {
		spec:     input.Spec{Relation: "SELECT * FROM (VALUES (1::DOUBLE, 1), ('nan'::DOUBLE, NULL)) v(x, y)", Nulls: "drop"},
		features: []string{"x", "y"}, keys: []string{"1"}, cells: [][]float64{{1, 1}},
	},
	"a_table_with_a_schema": {
		spec:     input.Spec{Relation: "garden.trees", ID: "id"},
		features: []string{"height"}, keys: []string{"oak"}, cells: [][]float64{{9}},
	},
	"a_view": {
		spec:     input.Spec{Relation: "tall"},
		features: []string{"height"}, keys: []string{"1"}, cells: [][]float64{{9}},
	},
	"a_table_whose_name_has_a_dot_and_quotes": {
		spec:     input.Spec{Relation: `odd."name`},
		features: []string{`a "b" c`}, keys: []string{"1"}, cells: [][]float64{{4}},
	},
	"a_quoted_name": {
		spec:     input.Spec{Relation: `"garden"."trees"`, ID: "id"},
		features: []string{"height"}, keys: []string{"oak"}, cells: [][]float64{{9}},
	},
	"a_query_with_a_semicolon_and_comments": {
		spec:     input.Spec{Relation: "/* first */ -- ;\nSELECT 1 AS x, ';' AS y -- ';\n ; -- the end", Exclude: []string{"y"}},
		features: []string{"x"}, keys: []string{"1"}, cells: [][]float64{{1}},
	},
	"FROM_first": {
		spec:     input.Spec{Relation: "from flowers select width where id > 1 order by id"},
		features: []string{"width"}, keys: []string{"1", "2"}, cells: [][]float64{{30}, {10}},
	},
	"VALUES": {
		spec:     input.Spec{Relation: "VALUES (1, 2), (3, 4)"},
		features: []string{"col0", "col1"}, keys: []string{"1", "2"}, cells: [][]float64{{1, 2}, {3, 4}},
	},
	"a_query_in_parentheses": {
		spec:     input.Spec{Relation: "(SELECT 1 AS x)"},
		features: []string{"x"}, keys: []string{"1"}, cells: [][]float64{{1}},
	},
	"WITH": {
		spec:     input.Spec{Relation: "WITH a AS (SELECT 7 AS x) SELECT * FROM a"},
		features: []string{"x"}, keys: []string{"1"}, cells: [][]float64{{7}},
	},
	"PIVOT_without_a_list": { // DuckDB makes two statements of it
		spec:     input.Spec{Relation: "PIVOT sales ON year USING sum(amount) GROUP BY shop", ID: "shop"},
		features: []string{"2023", "2024"}, keys: []string{"a", "b"}, cells: [][]float64{{1, 2}, {3, 4}},
	},
	"UNPIVOT": {
		spec:     input.Spec{Relation: "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME k VALUE v", ID: "k"},
		features: []string{"v"}, keys: []string{"a", "b"}, cells: [][]float64{{1}, {2}},
	},
	"a_CSV_file": {
		spec:     input.Spec{Relation: "testdata/plant.csv", ID: "id", MissingOK: true},
		features: []string{"a", "b"}, keys: []string{"1", "2"}, cells: [][]float64{{1.5, sqltest.NaN}, {0.5, 1}},
	},
	"a_query_with_equal_names": {
		spec:     input.Spec{Relation: "SELECT 1 AS a, 2 AS a, 3 AS b"},
		features: []string{"a", "a_1", "b"}, keys: []string{"1"}, cells: [][]float64{{1, 2, 3}},
	},
	"patterns": {
		spec: input.Spec{Relation: "SELECT 1 AS pc1, 2 AS PC2, 3 AS other, 4 AS pc3", Features: []string{"pc*", "other"},
			Exclude: []string{"?c3"}},
		features: []string{"pc1", "PC2", "other"}, keys: []string{"1"}, cells: [][]float64{{1, 2, 3}},
	},
	"all_numeric_types": {
		spec: input.Spec{Relation: `SELECT (-1)::TINYINT AS a, 2::UTINYINT AS b, (-3)::SMALLINT AS c, 4::USMALLINT AS d, 5::INTEGER AS e,
			6::UINTEGER AS f,
			(-7)::BIGINT AS g, 18446744073709551615::UBIGINT AS h, (-9)::HUGEINT AS i, 10::UHUGEINT AS j, 1.5::FLOAT AS k, 2.5 AS l,
				123.45::DECIMAL(9,2) AS m`},
		features: strings.Split("abcdefghijklm", ""), keys: []string{"1"},
		cells: [][]float64{{-1, 2, -3, 4, 5, 6, -7, 1 << 64, -9, 10, 1.5, 2.5, 123.45}},
	},
	"an_array_column": {
		spec: input.Spec{Relation: "SELECT * FROM (VALUES (2, [1.0, 2.0]::FLOAT[2]), (1, NULL), (3, [NULL, 4.0]::FLOAT[2]), " +
			"(4, [NULL, NULL])) v(id, e)", ID: "id", MissingOK: true},
		features: []string{"e[1]", "e[2]"}, keys: []string{"2", "3"}, cells: [][]float64{{1, 2}, {sqltest.NaN, 4}},
	},
	"arrays_and_numbers_without_a_cell": {
		spec: input.Spec{Relation: "SELECT * FROM (VALUES (1, NULL, 5), (2, NULL, NULL), (3, [NULL, NULL], NULL), " +
			"(4, [NULL, 4], NULL)) v(id, e, x)",
			ID: "id", MissingOK: true},
		features: []string{"e[1]", "e[2]", "x"}, keys: []string{"1", "4"},
		cells: [][]float64{{sqltest.NaN, sqltest.NaN, 5}, {sqltest.NaN, 4, sqltest.NaN}},
	},
	"a_list_column_between_numbers": {
		spec:     input.Spec{Relation: "SELECT * FROM (VALUES (1, [1, 2], 3), (4, [5, 6], 7)) v(a, e, b)"},
		features: []string{"a", "e[1]", "e[2]", "b"}, keys: []string{"1", "2"}, cells: [][]float64{{1, 1, 2, 3}, {4, 5, 6, 7}},
	},
	"lists_with_nulls_dropped": {
		spec:     input.Spec{Relation: "SELECT * FROM (VALUES ([1, NULL]), (NULL), ([5, 6])) v(e)", Nulls: "drop"},
		features: []string{"e[1]", "e[2]"}, keys: []string{"3"}, cells: [][]float64{{5, 6}},
	},
	"the_features_of_a_model_in_its_order": {
		spec:     input.Spec{Relation: "SELECT [1, 2]::DOUBLE[2] AS e, 3 AS b, 'x' AS c, 4 AS A", Want: []string{"b", "e[1]", "e[2]", "a"}},
		features: []string{"b", "e[1]", "e[2]", "a"}, keys: []string{"1"}, cells: [][]float64{{3, 1, 2, 4}},
	},
}

func TestRead(t *testing.T) {
	db := memory(t,
		"CREATE TABLE flowers AS SELECT * FROM (VALUES (3, 1.5, 10, 'x'), (1, 2.5, 20, 'y'), (2, NULL, 30, 'z')) AS v(id, length, width, class)",
		"CREATE SCHEMA garden", "CREATE TABLE garden.trees AS SELECT 'oak' AS id, 9 AS height",
		"CREATE VIEW tall AS SELECT height FROM garden.trees",
		`CREATE TABLE "odd.""name" AS SELECT 4 AS "a ""b"" c"`,
		"CREATE TABLE sales AS SELECT * FROM (VALUES ('a', 2023, 1), ('a', 2024, 2), ('b', 2023, 3), ('b', 2024, 4)) v(shop, year, amount)")
	for name, test := range shapes {
		t.Run(name, func(t *testing.T) {
			table := sqltest.Read(t, db, test.spec)
			for _, d := range []string{sqltest.Diff(test.features, table.Features), sqltest.Diff(test.keys, sqltest.KeyTexts(table.Keys)),
				sqltest.Diff(test.cells, sqltest.Cells(table))} {
				if d != "" {
					t.Error(d)
				}
			}
		})
	}
}
