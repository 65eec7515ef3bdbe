package functions_test

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Each statement is given with the code of its fault and a part of what is said.
var wrong = []struct{ statement, code, said string }{
	{"FROM cluster_fit(wine, 'idd', k := 3)", "column-not-found", `no column "idd"`},
	{"FROM cluster_fit(wine, id, k := 3)", "key-not-a-name", "as a text"},
	{"FROM cluster_fit(wine, hue, k := 3)", "key-not-a-name", "as a text"},
	{"FROM cluster_fit(wine, ['id'], k := 3)", "key-not-a-name", "as a text"},
	{"FROM cluster_fit(wine, NULL, k := 3)", "bad-options", "key is NULL"},
	{"FROM cluster_fit(vine, 'id', k := 3)", "statement-failed", ""},
	{"FROM cluster_fit('SELECT 1 AS id', 'id', k := 3)", "relation-not-a-name", "not a query"},
	{"FROM cluster_fit((FROM wine), 'id', k := 3)", "relation-not-a-name", "not a query"},
	{"FROM cluster_fit(NULL, 'id', k := 3)", "relation-is-null", "is NULL"},
	{"FROM cluster_fit(wine, 'id', k := 3, constraints := NULL)", "relation-is-null", "is NULL"},
	{"FROM cluster_fit(wine, 'id', k := 3, pairs := nowhere)", "statement-failed", ""},
	{"FROM cluster_model('nowhere')", "run-not-found", `no run "nowhere"`},
	{"FROM cluster_assignments(wine)", "not-a-fit", "no column assignments"},
	{"FROM cluster_fit(wine)", "wrong-arguments", "other arguments"},
	{"FROM cluster_fit(wine, 'id', kk := 3)", "unknown-option", "no argument kk"},
	{"FROM cluster_fit(wine, 'id')", "k-missing", "how many"},
	{"FROM cluster_fit(wine, 'id', k := 0)", "bad-setting", "k is 0"},
	{"FROM cluster_fit(wine, 'id', k := 1000)", "too-few-rows", "only 178 rows"},
	{"FROM cluster_fit(wine, 'id', k := 3, max_seconds := -1)", "bad-options", "max_seconds is -1"},
	{"FROM cluster_params(NULL)", "unknown-algorithm", "no algorithm"},
	{"FROM cluster_fit(wine, 'id', k := 3, algorithm := 'sfkr')", "unknown-algorithm", "sfkr"},
	{"FROM cluster_fit(wine, 'id', k := 3, algorithm := 'skfr')", "parameter-missing", "sparsity"},
	{"FROM cluster_fit(wine, 'id', k := 3, lambda := 1)", "key-word", "lambda is a key word"},
	{"FROM cluster_fit(wine, 'id', k := 3, order := 'key')", "key-word", "order is a key word"},
	{"SELECT cluster_fit(id, wine, {lambda: 1, k: 3}) FROM wine", "key-word", "lambda is a key word"},
	{"SELECT cluster_fit(wine, 'id', k := 3)", "unknown-option", "no argument k"},
	{"FROM cluster_fit(wine, 'id', k := 3, restarts := 1000000000000)", "bad-setting", "at most 1000000"},
	{"FROM cluster_fit(wine, 'id', k := 3, params := {foo: 3})", "unknown-parameter", "foo"},
	{"FROM cluster_fit(wine, 'id', k := 3, sparsity := 3)", "unknown-parameter", "sparsity"},
	{"FROM cluster_fit(wine, 'id', k := 3, algorithm := 'skfr', sparsity := 3, params := {sparsity: 3})", "bad-options", "given twice"},
	{"FROM cluster_fit(wine, 'id', k := 3, features := ['hue', 'hew'])", "column-not-found", "hew"},
	{"FROM cluster_fit(wine, 'id', k := 3, exclude := '*')", "no-features", "no numeric column"},
	{"FROM cluster_fit(wine, 'id', k := 3, pairs := wine)", "pairs-not-taken", "no pairs"},
	{"FROM cluster_fit(wine, 'id', k := 3, constraints := wine)", "constraint-columns", "columns that constraints do not have"},
	{"FROM cluster_fit(wine, 'id', k := 3, labels := wine)", "labels-columns", "no column class"},
	{"FROM cluster_fit(wine, 'id', k := 2, labels := known)", "too-many-classes", "the labels have 3 classes: 0, 1, 2"},
	{"FROM cluster_fit(wine, 'id', k := 3, labels := known, labels_as := 'seed')", "bad-flag", `labels_as is "seed"`},
	{"FROM cluster_fit(wine, 'id', k := 3, labels_as := 'start')", "bad-flag", "there are none"},
	{"FROM cluster_fit(wine, 'id', k := 3, labels := known, labels_as := 'pairs')", "bad-flag", "kmeans takes no pairs"},
	{"FROM cluster_tune(wine, 'id', k := [3, 4], algorithm := 'pckm', labels := known, labels_as := 'pairs')", "pairs-and-draws",
		"have no pairs"},
	{"FROM cluster_tune(wine, 'id', k := [3, 4], labels := known, method := 'cv', truth := 'ash')", "labels-and-folds", "would show them"},
	{"FROM cluster_path(wine, 'id', k := 2, algorithm := 'skfr', labels := known)", "too-many-classes", "the labels have 3 classes"},
	{"FROM cluster_check(wine, 'id', k := 2, labels := known)", "too-many-classes", "the labels have 3 classes"},
	{"FROM cluster_fit(wine, 'id', k := 3, constraints := wordy)", "column-not-numeric", `column "lo" of`},
	{"FROM cluster_fit(nobody, 'id', k := 3)", "empty-relation", "no rows"},
	{"FROM cluster_fit(twice, 'id', k := 3)", "duplicate-keys", "occur more than once"},
	{"FROM cluster_fit(unkeyed, 'id', k := 3)", "null-keys", "NULL"},
	{"FROM cluster_fit(words, 'id', k := 3)", "column-not-numeric", "a"},
	{"FROM cluster_fit(nested, 'id', k := 3)", "column-not-numeric", "a"},
	{"FROM cluster_fit(infinite, 'id', k := 3)", "cell-not-finite", "NaN or infinite"},
	{"FROM cluster_fit(nans, 'id', k := 3)", "cell-not-finite", "NaN or infinite"},
	{"SELECT cluster_fit(id, wine, 3) FROM wine", "bad-options", "must be a struct"},
	{"SELECT cluster_fit(id, wine, {k: 200}) FROM wine", "too-few-rows", "only 178 rows"}, // the only group
	{"SELECT cluster_fit(id, wine, {k: id}) FROM wine", "options-differ", "rows of a group"},
	{"SELECT cluster_fit(id, wine, {k: 2, params: {loss: CASE WHEN id > 170 THEN 'l1' END}}) FROM wine", "options-differ", "rows of a group"},
	{"SELECT cluster_fit(id, wine, [3]) FROM wine", "bad-options", "must be a struct"},
	{"SELECT cluster_fit(id, wine, {kk: 3}) FROM wine", "unknown-option", "kk"},
	{"SELECT cluster_fit(id, wine, {k: 3, groups: [3]}) FROM wine", "bad-options", "a list of rows"},
	{"SELECT cluster_fit(id, id, {k: 3}) FROM wine", "not-a-row", "must be rows"},
	{"SELECT cluster_fit(id, NULL, {k: 3}) FROM wine", "not-a-row", "must be rows"},
	{"SELECT cluster_fit(wine, wine, {k: 3}) FROM wine", "key-type-unsupported", "cannot be a row key"},
	{"SELECT cluster_fit(id, wine, {k: 3} ORDER BY id) FROM wine", "aggregate-modified", "takes no DISTINCT"},
	{"SELECT cluster_fit(DISTINCT id, wine, {k: 3}) FROM wine", "aggregate-modified", "takes no DISTINCT"},
	{"SELECT cluster_fit(id, wine, {k: 3}) FILTER (id > 3) FROM wine", "aggregate-modified", "takes no DISTINCT"},
	{"SELECT cluster_fit(id, wine, {k: 3}) OVER () FROM wine", "aggregate-modified", "takes no DISTINCT"},
	{"FROM cluster_path(wine, 'id', k := 3)", "no-path", "kmeans"},
	{"FROM cluster_tune(wine, 'id', k := 3, algorithm := 'skfr', method := 'cv')", "truth-missing", "which column"},
	{"FROM cluster_fit(wine, 'id', k := [3, 4], algorithm := 'skfr')", "bad-options", "k is [3,4]"},
	{"FROM cluster_tune(wine, 'id', k := [3, 0])", "bad-flag", "each number must be from 1 to 100000"},
	{"FROM cluster_check(wine, 'id', k := 3, trace := true)", "unknown-option", "trace"},
}

func TestWhatIsWrongWithACallHasACodeAndASentence(t *testing.T) {
	s := opened(t, "", wine, "CREATE TABLE known AS SELECT id, id % 3 AS class FROM wine WHERE id < 20",
		"CREATE TABLE wordy AS SELECT 'size' AS kind, 'many' AS lo", "CREATE TABLE nobody AS FROM wine LIMIT 0",
		"CREATE TABLE twice AS FROM wine UNION ALL FROM wine",
		"CREATE TABLE unkeyed AS SELECT nullif(id, 7) AS id, ash FROM wine", "CREATE TABLE words AS SELECT id, ash, 'a' || id AS a FROM wine",
		"CREATE TABLE nested AS SELECT id, ash, {b: [ash]} AS a FROM wine",
		"CREATE TABLE infinite AS SELECT id, if(id = 7, '-inf'::DOUBLE, ash) AS ash FROM wine",
		"CREATE TABLE nans AS SELECT id, if(id = 7, 'nan'::DOUBLE, ash) AS ash FROM wine")
	for _, c := range wrong {
		f := refused(t, s, c.statement)
		if f.Code != c.code || !strings.Contains(f.Summary, c.said) {
			t.Errorf("%s: %s: %s", c.statement, f.Code, f.Summary)
		}
	}
	for name, value := range map[string]string{"k": "'x'", "seed": "-1", "restarts": "1.5", "max_iter": "[1]", "tol": "'nan'::DOUBLE",
		"init": "1",
		"norm": "2", "scale": "true", "center": "{a: 1}", "empty": "2", "nulls": "3", "\"order\"": "4", "driver": "5",
		"null_category": "6", "on_error": "7",
		"trace": "'yes'", "features": "8", "exclude": "[9]", "categorical": "[NULL]", "weight": "10", "ignore_text": "1", "threads": "'all'",
		"algorithm": "DATE '2020-01-01'", "params": "11", "sparsity": "[12]", "init_space": "INTERVAL 1 DAY"} {
		// "algorithm" is read as the text of the date
		if f := refused(t, s, "FROM cluster_fit(wine, 'id', "+name+" := "+value+")"); f.Code != "bad-options" && name != "algorithm" {
			t.Errorf("%s := %s: %s: %s", name, value, f.Code, f.Summary)
		}
	}
	ran(t, s, "SELECT k FROM cluster_fit(wine, 'id', k := 3)")
}

func TestAnErrorEndsTheTransactionAndNotTheSession(t *testing.T) {
	s := opened(t, "", wine, "BEGIN", "CREATE TABLE few AS FROM wine LIMIT 5")
	if f := refused(t, s, "CREATE TABLE m AS FROM cluster_fit(few, 'id', k := 6)"); f.Code != "too-few-rows" || f.Class != framework.Data {
		t.Error(f)
	}
	_ = refused(t, s, "FROM few")
	if got := ran(t, s, "ROLLBACK", "SELECT table_name FROM duckdb_tables()"); len(got) != 1 || got[0] != "wine" {
		t.Error(got)
	}
	got := ran(t, s, "SELECT error FROM (SELECT unnest(cluster_fit(id, wine, {k: 200, on_error: 'record'})) FROM wine)")
	if !strings.HasPrefix(got[0], "k is 200") {
		t.Error(got)
	}
}
