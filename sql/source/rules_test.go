package source

import (
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// rules are inputs that are refused: the message of each is in
// testdata/rules/NAME.txt.
var rules = map[string]input.Spec{
	"relation_missing":             {},
	"table_unknown":                {Relation: "custmers"},
	"file_unknown":                 {Relation: "testdata/plants.csv"},
	"file_type_unknown":            {Relation: "testdata/plain.dat"},
	"directory":                    {Relation: "testdata"},
	"query_two_statements":         {Relation: "SELECT 1; DROP TABLE customers"},
	"query_not_a_select":           {Relation: "WITH a AS (SELECT 1) INSERT INTO customers SELECT 9, 9, 'x', NULL, NULL"},
	"query_with_parameters":        {Relation: "SELECT * FROM customers WHERE id = ?"},
	"query_with_syntax_error":      {Relation: "SELECT * FORM customers"},
	"query_of_unknown_table":       {Relation: "SELECT * FROM custmers"},
	"view_broken":                  {Relation: "broken"},
	"key_unknown":                  {Relation: "customers", ID: "ids"},
	"key_name_taken":               {Relation: "SELECT id AS Cluster, income FROM customers", ID: "cluster"},
	"key_null":                     {Relation: "SELECT CASE WHEN i % 3 = 0 THEN i END AS id, i AS x FROM range(40) r(i)", ID: "id"},
	"key_null_text":                {Relation: "SELECT NULLIF(i::VARCHAR, '1') AS id, i AS x FROM range(3) r(i)", ID: "id"},
	"key_null_huge":                {Relation: "SELECT NULLIF(i::HUGEINT, 1) AS id, i AS x FROM range(3) r(i)", ID: "id"},
	"key_duplicate":                {Relation: "SELECT i // 2 AS id, i AS x FROM range(1, 30) r(i)", ID: "id"},
	"key_duplicate_in_input_order": {Relation: "SELECT 30 - i // 2 AS id, i AS x FROM range(1, 4) r(i)", ID: "id", Order: "input"},
	"key_type_unsupported":         {Relation: "SELECT {'a': 1} AS id, 1 AS x", ID: "id"},
	"weight_unknown":               {Relation: "customers", ID: "id", Weight: "wt"},
	"weight_is_text":               {Relation: "customers", ID: "id", Weight: "class"},
	"weight_bad": {Relation: "SELECT * FROM (VALUES (1, -1.0, 2), (2, NULL, 3), (3, 'nan'::DOUBLE, 4), " +
		"(4, 1, 5)) v(id, w, x)", ID: "id", Weight: "w"},
	"weight_all_zero":         {Relation: "SELECT 0 AS w, i AS x FROM range(3) r(i)", Weight: "w"},
	"key_is_weight":           {Relation: "customers", ID: "id", Weight: "id"},
	"key_is_feature":          {Relation: "customers", ID: "id", Features: []string{"id"}},
	"feature_unknown":         {Relation: "customers", ID: "id", Features: []string{"id2", "incom"}},
	"exclude_unknown":         {Relation: "customers", ID: "id", Exclude: []string{"klass"}},
	"pattern_matches_nothing": {Relation: "customers", ID: "id", Exclude: []string{"pc*"}},
	"pattern_malformed":       {Relation: "customers", ID: "id", Exclude: []string{"[a"}},
	"columns_not_numeric":     {Relation: "customers", ID: "id"},
	"columns_not_numeric_listed": {Relation: `SELECT 1 AS x, true AS flag, 'a' AS name, 'a'::mood AS mood,
		TIMESTAMP '2020-01-01' AS at, TIME '10:00' AS clock,
		INTERVAL 1 DAY AS wait, {'a': 1} AS nest, [['a']] AS names, MAP {'k': 1} AS pairs, uuid() AS u`},
	"one_text_feature":  {Relation: "customers", ID: "id", Features: []string{"income", "class"}},
	"categorical_array": {Relation: "customers", ID: "id", Categorical: []string{"e"}},
	"categorical_nan": {Relation: "SELECT i AS id, CASE i WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN '-inf'::DOUBLE ELSE i END AS a, " +
		"'nan' AS b FROM range(5) r(i)", ID: "id", Categorical: []string{"a", "b"}},
	"categorical_unknown":  {Relation: "customers", ID: "id", Categorical: []string{"klass"}},
	"empty_of_text":        {Relation: "SELECT 'a' AS id, 'b' AS x WHERE false", ID: "idd"},
	"categorical_key":      {Relation: "customers", ID: "id", Categorical: []string{"class", "ID"}},
	"categorical_excluded": {Relation: "customers", ID: "id", Categorical: []string{"class"}, Exclude: []string{"cl*"}},
	"categorical_many": {Relation: "SELECT i AS x, 'v' || i AS a, i // 2 AS b, 'v' || (i % 1000) AS c FROM range(10000) r(i)",
		Categories: true, Categorical: []string{"b"}},
	"null_categories": {Relation: "SELECT i AS x, CASE WHEN i > 2 THEN 'a' END AS a, CASE WHEN i > 5 THEN i END AS b " +
		"FROM range(9) r(i)", Categories: true, MissingOK: true},
	"null_categories_too": {Relation: "SELECT i AS x, CASE WHEN i > 2 THEN 'a' END AS a, CASE WHEN i > 5 THEN i END AS b " +
		"FROM range(9) r(i)", Categories: true},
	"model_category_is_array": {Relation: "customers", ID: "id", Want: []string{"e"}, WantCategories: map[string]bool{"e": false}},
	"model_category_is_null": {Relation: "SELECT NULL::VARCHAR AS a, 1 AS b", Want: []string{"a", "b"},
		WantCategories: map[string]bool{"a": false}},
	"no_features": {Relation: "customers", ID: "id", Exclude: []string{"*"}},
	"nulls": {Relation: "SELECT CASE WHEN i < 3 THEN NULL ELSE i END AS a, " +
		"CASE WHEN i = 5 THEN NULL ELSE i END AS b, i AS c FROM range(10) r(i)"},
	"nulls_error":    {Relation: "SELECT NULL::DOUBLE AS a, 1 AS b", Nulls: "error", MissingOK: true},
	"nulls_drop_all": {Relation: "SELECT NULL::DOUBLE AS a, 1 AS b", Nulls: "drop", MissingOK: true},
	"nan_and_infinity": {Relation: "SELECT i AS id, CASE i WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN '-inf'::DOUBLE ELSE i END AS " +
		"a, CASE i WHEN 3 THEN 'inf'::FLOAT ELSE 0 END AS b FROM range(5) r(i)", ID: "id"},
	"nan_without_key":      {Relation: "SELECT 'nan'::DOUBLE AS a FROM range(12)"},
	"nan_in_array":         {Relation: "SELECT 1 AS id, ['nan'::DOUBLE, 1]::DOUBLE[2] AS e", ID: "id"},
	"empty":                {Relation: "SELECT * FROM customers WHERE false", ID: "id", Features: []string{"income"}},
	"list_lengths":         {Relation: "SELECT * FROM (VALUES ([1.0, 2.0]), ([1.0])) v(e)"},
	"list_empty":           {Relation: "SELECT []::DOUBLE[] AS e"},
	"order_unknown":        {Relation: "customers", Order: "random"},
	"nulls_unknown":        {Relation: "customers", Nulls: "ignore"},
	"model_columns_gone":   {Relation: "customers", ID: "id", Want: []string{"income", "ages", "height"}},
	"model_column_is_text": {Relation: "customers", ID: "id", Want: []string{"income", "class"}},
	"model_array_differs":  {Relation: "SELECT [1.0, 2.0]::DOUBLE[2] AS e", Want: []string{"e[1]", "e[2]", "e[3]"}},
}

func TestRules(t *testing.T) {
	// One database for all: what is refused changes nothing.
	db := memory(t, "CREATE TABLE customers AS SELECT 1 AS id, 2.5 AS income, 'a' AS class, DATE '2020-01-01' AS born, [1.0, 2.0] AS e",
		"CREATE VIEW broken AS SELECT 1 AS x, 2 AS y", "CREATE TYPE mood AS ENUM ('a', 'b')",
		"CREATE OR REPLACE TABLE base AS SELECT 1 AS x", "CREATE OR REPLACE VIEW broken AS SELECT x FROM base", "DROP TABLE base")
	for name, spec := range rules {
		t.Run(name, func(t *testing.T) {
			table, err := db.Read(t.Context(), spec)
			if err == nil {
				sqltest.Close(t, table)
			}
			sqltest.Golden(t, filepath.Join("testdata", "rules", name+".txt"), sqltest.Explain(err)+"\n")
		})
	}
	t.Run("every_golden_file_has_a_rule", func(t *testing.T) {
		files, err := filepath.Glob("testdata/rules/*.txt")
		if err != nil || len(files) != len(rules) {
			t.Errorf("%d files for %d rules, %v", len(files), len(rules), err)
		}
	})
}
