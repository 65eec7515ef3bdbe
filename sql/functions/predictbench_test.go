package functions_test

import (
	"fmt"
	"strings"
	"testing"
)

const benchRows = 1_000_000

// BenchmarkPredict labels a million rows of 20 numbers, and compares the time with
// that of the bare sums of squares, one a cluster, as SQL. It labels rows with
// categories, and with lists, too.
func BenchmarkPredict(b *testing.B) {
	var columns, names []string
	for j := range 20 {
		columns = append(columns, fmt.Sprintf("sin(i * %d.0) AS x%d", j+1, j))
		names = append(names, fmt.Sprintf("x%d", j))
	}
	s := opened(b, b.TempDir()+"/wide.duckdb",
		fmt.Sprintf("CREATE TABLE wide AS SELECT i AS id, %s FROM range(%d) r(i)", strings.Join(columns, ", "), benchRows),
		fmt.Sprintf("CREATE TABLE mixed AS SELECT i AS id, sin(i) AS x, cos(i)::DECIMAL(9, 4) AS y, "+
			"['a', 'bb', 'ccc'][(hash(i) %% 3 + 1)::INTEGER] AS s, 'word' || hash(i + 1) %% 10 AS t, i %% 5 = 0 AS u FROM range(%d) r(i)",
			benchRows),
		fmt.Sprintf("CREATE TABLE lists AS SELECT i AS id, [sin(i), cos(i), i %% 3] AS x FROM range(%d) r(i)", benchRows))
	time := func(name, query string) {
		for threads := 1; threads <= 2; threads++ {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				ran(b, s, fmt.Sprintf("SET threads = %d", threads))
				for b.Loop() {
					ran(b, s, query)
				}
			})
		}
	}
	for _, k := range []int{2, 8} {
		ran(b, s, "CREATE OR REPLACE TEMP TABLE few AS FROM wide LIMIT 1000",
			fmt.Sprintf("CREATE OR REPLACE TABLE m%d AS FROM cluster_fit(few, 'id', k := %[1]d, restarts := 1)", k))
		sums := make([]string, k)
		for c := range sums {
			squares := make([]string, len(names))
			for j, name := range names {
				squares[j] = fmt.Sprintf("(%s - %g) * (%[1]s - %[2]g)", name, float64(c+j)/10)
			}
			sums[c] = "(" + strings.Join(squares, " + ") + ")"
		}
		time(fmt.Sprintf("k=%d/predict", k), fmt.Sprintf("SELECT sum(cluster_predict(m%d.model, wide)) FROM wide, m%[1]d", k))
		time(fmt.Sprintf("k=%d/sums", k), "SELECT sum(least("+strings.Join(sums, ", ")+")) FROM wide")
	}
	for relation, options := range map[string]string{
		"mixed": `algorithm := 'groupskm', categorical := 'auto', "lambda" := 0.01`, "lists": "scale := 'raw'",
	} {
		ran(b, s, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE few AS FROM %s LIMIT 1000", relation),
			fmt.Sprintf("CREATE OR REPLACE TABLE m AS FROM cluster_fit(few, 'id', k := 4, restarts := 1, %s)", options))
		time(relation, fmt.Sprintf("SELECT sum(cluster_predict(m.model, r)) FROM %s r, m", relation))
	}
}
