package main

import (
	"html"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/doctest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// halves are 40 rows: those of an even number are of group 0, and the others of group 1.
const halves = "CREATE TABLE t AS SELECT i AS id, i % 10 * 1.0 AS x, i % 7 AS y, i % 2 AS g FROM range(40) t(i)"

func TestTheRunOfAGroupIsRepeatedWithWhatItHasUsedBesideTheTable(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"limits of each group": {"--constraints", "SELECT 'size' AS kind, 5 AS lo, unnest([0, 1]) AS g"},
		"limits of all":        {"--constraints", "SELECT 'size' AS kind, 5 AS lo"},
		"labels of each group": {"--labels", "SELECT 2 AS id, 'a' AS class, 0 AS g"},
		"labels of one group":  {"--labels", "SELECT 2 AS id, 'a' AS class"},
		"keys of another type": {"--labels", "SELECT '2' AS id, 'a' AS class"},
		"pairs of one group":   {"-a", "pckm", "--pairs", "SELECT 1 AS a, 3 AS b, 'must' AS kind"},
		"groups of features": {"-a", "groupskm", "--lambda", "0.01",
			"--groups", "SELECT 'x' AS feature, 'one' AS feature_group, unnest([0, 1]) AS g"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			succeed(t, dir, "sql", "s.db", "-q", "-c", halves)
			db := []string{"--db", "s.db"}
			succeed(t, dir, append(append(strings.Fields("fit t --id id --features x,y -k 2 --by g --into r"), flags...), db...)...)
			for _, model := range []string{"0", "1"} {
				succeed(t, dir, append([]string{"stability", "r", "--draws", "2", "--model", model}, db...)...)
				page := html.UnescapeString(succeed(t, dir, append([]string{"report", "r", "--model", model, "--out", "-"}, db...)...).stdout)
				_, again, _ := strings.Cut(page, "sqlcluster fit ")
				again, _, _ = strings.Cut(again, "<")
				line := strings.NewReplacer("FILE", "s.db", "--into r", "--into again --replace", `'\''`, "\x01").Replace(again)
				args := must.Get(doctest.Arguments(line))(t)
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "\x01", "'") // a quote in quotes
				}
				succeed(t, dir, append([]string{"fit"}, args...)...)
				d := opened(t, dir, "s.db")
				rows := must.Get(d.Rows(t.Context(), "SELECT a.model = r.model AND a.run_id = r.run_id FROM again_fit a, r_fit r WHERE g = "+model))(t)
				must.Equal(t, [][]any{{true}}, rows)
				must.Do(t, d.Close())
			}
		})
	}
}

func TestKeysBesideTheTableAreThoseOfTheRowsOfAGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	succeed(t, dir, "sql", "s.db", "-q", "-c", halves)
	fit := func(flags ...string) outcome {
		return sqlcluster(t, dir, append(strings.Fields("fit t --id id --features x -k 2 --by g --db s.db"), flags...)...)
	}
	says(t, fit("--labels", "SELECT unnest([1, 52]) AS id, 'a' AS class").stderr, "error[keys-of-no-group]: 1 problem in --labels",
		"id = 52: there is no such row in any group")
	says(t, fit("-a", "pckm", "--pairs", "SELECT 1 AS a, 2 AS b, 'must' AS kind").stderr, "1 and 2 are in different groups")
	says(t, fit("-a", "pckm", "--pairs", "SELECT 1 AS a, NULL AS b, 'must' AS kind").stderr, "b = NULL: there is no such row in any group")
	says(t, fit("--labels", "SELECT 1 AS id, 'a' AS class WHERE false").stderr, "--labels has no rows, so it has no effect")
	says(t, fit("--start", "SELECT unnest([1, 2, 3, 4]) AS id").stdout, "2 groups, 40 rows")
	o := sqlcluster(t, dir, "fit", "SELECT *, g AS class FROM t", "--id", "id", "--features", "x", "-k", "2", "--by", "class", "--db", "s.db",
		"--labels", "SELECT id, 'a' AS class FROM t")
	says(t, o.stderr, `error[beside-columns]: column "class" of --labels has a meaning there`)
}
