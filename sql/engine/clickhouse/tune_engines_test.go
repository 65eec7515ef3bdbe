//go:build engines

package clickhouse_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

func TestATuningGoesOnAfterItWasKilled(t *testing.T) {
	t.Parallel()
	server := clickhousetest.StartChDB(t)
	shares([]*clickhousetest.Server{server})
	relay, dir := clickhousetest.NewRelay(t, server.Address), t.TempDir()
	tables := func(run string) string {
		var parts []string
		for _, what := range []string{"tune", "tune_draws", "centers", "clusters", "trace", "features"} {
			parts = append(parts, "SELECT '"+what+"' AS what, CAST(x AS VARCHAR) AS cells FROM "+run+"_"+what+" x")
		}
		parts = append(parts, "SELECT 'model', model FROM "+run+"_fit")
		return succeed(t, dir, "sql", "runs.duckdb", "-q", "-o", "csv", "-c", strings.Join(parts, " UNION ALL ")+" ORDER BY ALL") +
			server.Do("SELECT * FROM "+run+"_assignments ORDER BY id") + server.Do("SELECT * FROM "+run+"_tune ORDER BY point, method")
	}
	for name, args := range map[string][]string{
		"rows":   {"-k", "3:4", "--method", "calinski-harabasz,silhouette"},
		"sample": {"-k", "3:4", "--draws", "2", "--sample", "200"},
	} {
		args = append([]string{"tune", "points", "--id", "id", "--features", "a,b,d", "--restarts", "1",
			"--engine", relay.URL(""), "--db", "runs.duckdb", "--into"}, args...)
		named := func(run string, more ...string) []string {
			return append(slices.Insert(slices.Clone(args), 13, run), more...)
		}
		relay.Begin(nil)
		succeed(t, dir, named("whole_"+name)...)
		said := relay.Said()
		last := 0 // statement of a pass
		passes := func() (n int) {
			for i, s := range relay.Said() {
				if kinds["pass"].MatchString(s) {
					n, last = n+1, i+1
				}
			}
			return n
		}
		all := passes()
		if all < 3 {
			t.Fatalf("%d passes in\n%s", all, strings.Join(said, "\n"))
		}
		relay.Begin(nil)
		stopped := relay.Stop(last)
		r := started(t, dir, nil, named("cut_"+name)...)
		select {
		case <-stopped.Reached:
		case <-r.ended:
			t.Fatal(r.errs.String())
		}
		must.Do(t, r.cmd.Process.Kill())
		r.outcome()
		stopped.Pass(clickhousetest.Fate{Lost: true})
		relay.Begin(nil)
		succeed(t, dir, named("cut_"+name, "--resume")...)
		if name == "rows" && passes() >= all { // k = 3 was kept
			t.Errorf("%d passes, and %d of a whole tuning", passes(), all)
		}
		if diff := cmp.Diff(tables("whole_"+name), tables("cut_"+name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
