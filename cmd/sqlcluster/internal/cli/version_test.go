package cli

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheVersionHasThatOfDuckDBToo(t *testing.T) {
	t.Setenv("SQLCLUSTER_VERSION", "1.2.3") // somebody's own variable
	line := regexp.MustCompile(`^sqlcluster \S+ \((.+; )?DuckDB v\d+\.\d+\.\d+\)\n$`)
	for _, args := range [][]string{{"--version"}, {"version"}, {"version", "-q"}, {"--version", "-o", "json"}} {
		if out, errs, code := command(t, args...); code != 0 || errs != "" || !line.MatchString(out) {
			t.Errorf("%q: exit code %d: %s%s", args, code, out, errs)
		}
	}
	if out, _, _ := command(t, "version", "-o", "csv"); !strings.HasPrefix(out, "version,duckdb,go,") {
		t.Error(out)
	}
	if out, _, code := command(t); code != 0 || !strings.Contains(out, "--version") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
