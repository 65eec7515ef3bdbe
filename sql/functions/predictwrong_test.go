package functions_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

func TestEachRowHasItsRuleForUnseenCategories(t *testing.T) {
	s := opened(t, "", rowsOfAllKinds,
		"CREATE TABLE m AS FROM cluster_fit(train, 'id', k := 3, algorithm := 'groupskm', restarts := 1, features := ['a', 'c', 'tall'], "+
			`categorical := 'tall', "lambda" := 0.01)`)
	labels := "SELECT cluster_predict(m.model, {a: id / 240, c: id / 4, tall: 'maybe'}, unseen := %s) FROM train, m ORDER BY id"
	same(t, s, fmt.Sprintf(labels, "'nearest'"), fmt.Sprintf(labels, "if(id < 500, 'nearest', 'error')"))
	if f := refused(t, s, fmt.Sprintf(labels, "if(id <> 200, 'nearest', NULL)")); f.Code != "unseen-category" ||
		f.Details[0] != `tall = "maybe": 1 row` { // the last one: NULL is the default, error
		t.Error(sqltest.Explain(f))
	}
}

func TestAWrongPredictionSaysWhatIsWrong(t *testing.T) {
	s := opened(t, "", rowsOfAllKinds, "CREATE TABLE m AS FROM cluster_fit(train, 'id', k := 2, restarts := 1, features := ['a', 'c'])",
		"CREATE TABLE strict AS FROM cluster_fit(train, 'id', k := 2, restarts := 1, features := ['a', 'c'], algorithm := 'pckm')")
	const (
		notARow = "not-a-row: the rows of cluster_predict are of type %s, and must be rows of a relation\n" +
			"hint: give the name of the relation, which must not be that of a column: cluster_predict(m.model, c) FROM customers c, m"
		damaged = "model-damaged: the model cannot be read\n" +
			"hint: it is the column model of a fit; if nobody has changed it, it was written by another version of sqlcluster\ncause: "
		notNumeric = "column-not-numeric: 1 column is not a number: c\nc is VARCHAR: "
		notFound   = "column-not-found: the query has no column \"c\"\nwhere: the model's features\nhint: its columns are a"
		notFinite  = "cell-not-finite: 1 cell is NaN or infinite\ncolumn %s\nhint: make them NULL in a query, or leave the rows out"
	)
	for call, want := range map[string]string{
		"m.model, 3":                            fmt.Sprintf(notARow, "INTEGER"),
		"m.model, row(1, 2)":                    fmt.Sprintf(notARow, `STRUCT("" INTEGER, "" INTEGER)`),
		"'', {a: 1, c: 2}":                      damaged + "unexpected end of JSON input",
		"'abc', {a: 1, c: 2}":                   damaged + "invalid character 'a' looking for beginning of value",
		"m.model[:-20], {a: 1, c: 2}":           damaged + "unexpected end of JSON input",
		`replace(m.model, '"k":2', '"k":3'), m`: damaged + "it has 2 centers for 3 clusters",
		"replace(m.model, 'kmeans', 'skmeans'), m": "unknown-algorithm: there is no algorithm \"skmeans\"\nsimilar: kmeans\n" +
			"where: algorithm\nhint: FROM cluster_algorithms() lists them",
		"m.model, {a: 1, c: 'x'}": notNumeric + "text is not a number; CASE, or a JOIN with a table of numbers, turns it into one\n" +
			"where: the query\nhint: the model needs them as numbers; convert them in a query as when it was fitted",
		"m.model, {a: 1, c: '7'}": notNumeric + "all values are numbers, but stored as text\nwhere: the query\n" +
			"hint: in a query, TRY_CAST(\"c\" AS DOUBLE) is a number, or NULL where there is none",
		"m.model, {a: 1, b: 2}":             notFound + `, b; if it is not known, give NULLs: 'SELECT *, NULL::DOUBLE AS "c" FROM (…)'`,
		"m.model, {a: 'nan'::DOUBLE, c: 2}": fmt.Sprintf(notFinite, "a: NaN"),
		"m.model, {a: 1, c: '-inf'::FLOAT}": fmt.Sprintf(notFinite, "c: -Inf"),
		"m.model, {a: 1, c: -1e200}": "values-too-large: the values of column \"c\" are too large: their squares overflow\n" +
			"hint: leave these rows out in a query",
		"m.model, {a: 1, c: 1}, unseen := 'no'": "bad-flag: unseen is \"no\"; it must be error, ignore, nearest\nwhere: unseen",
		"(SELECT model FROM strict), {a: 1, c: 1}, unseen := 'ignore'": "bad-flag: pckm cannot handle missing cells, so unseen := 'ignore' " +
			"is not possible\nwhere: unseen\nhint: unseen := 'nearest' takes the most frequent category instead",
		"(SELECT model FROM strict), {a: 1}": notFound + "; the algorithm of the run needs a value in every row: give a relation with c",
	} {
		if got := sqltest.Explain(refused(t, s, "SELECT cluster_predict("+call+") FROM m")); got != want {
			t.Errorf("%s\n%s\nwant %s", call, got, want)
		}
	}
}

func TestRowsWithoutWhatAModelNeedsHaveNoLabel(t *testing.T) {
	s := opened(t, "", rowsOfAllKinds, "CREATE TABLE m AS FROM cluster_fit(train, 'id', k := 2, restarts := 1, features := ['a', 'c'])",
		"CREATE TABLE strict AS FROM cluster_fit(train, 'id', k := 2, restarts := 1, features := ['a', 'c'], algorithm := 'pckm')")
	for _, call := range []string{"m.model, NULL", "NULL, {a: 1, c: 2}", "NULL, NULL", "NULL, {a: 1, c: 2}, unseen := NULL",
		"m.model, {a: NULL, c: NULL}", "(SELECT model FROM strict), {a: 1, c: NULL}"} {
		must.Equal(t, []string{"<nil>"}, ran(t, s, "SELECT cluster_predict("+call+") FROM m"))
	}
}

func TestAModelThatIsNoneIsRefused(t *testing.T) {
	s := opened(t, "", rowsOfAllKinds, "CREATE TABLE m AS FROM cluster_fit(train, 'id', k := 2, restarts := 1, features := ['a', 'c'])",
		"CREATE TABLE path AS FROM cluster_path(train, 'id', k := 2, algorithm := 'skfr', restarts := 1, features := ['a', 'c'])")
	for text, code := range map[string]string{
		"SELECT cluster_predict(m, c) FROM train c, m":                    "not-a-model",
		"SELECT cluster_predict(3, c) FROM train c":                       "not-a-model",
		"SELECT cluster_predict(m.model, c, unseen := 3) FROM train c, m": "bad-options",
		"FROM cluster_predict(train, m, 'id')":                            "not-a-model",
		"FROM cluster_predict(path, train, 'id')":                         "not-a-model",
		"SELECT cluster_predict(m.model, c) OVER () FROM train c, m":      "aggregate-modified",
		"SELECT cluster_predict(m.model, c, rule := 1) FROM train c, m":   "unknown-option",
		"FROM cluster_predict(m, train)":                                  "wrong-arguments",
	} {
		if f := refused(t, s, text); f.Code != code {
			t.Errorf("%s: %s", text, sqltest.Explain(f))
		}
	}
}
