package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// twoCenters is a model of k-means: the centers 0 and 2 of the column x, which is not
// scaled.
const twoCenters = `{"format_version":1,"algorithm":"kmeans","params":{"loss":"l2","missing":"observed"},"k":2,
	"recipe":{"features":[{"name":"x","scale":1}]},"centers":[[0],[2]],"gain":[1],"round":3}`

func TestExportedSQLRunsInASession(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", twoCenters)
	out, errs, code := command(t, "export", "run", "--db", "runs.duckdb", "--from", "(SELECT unnest([0.9, 1, 1.1, NULL]) AS x)")
	if code != 0 || errs != "" {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	rows, errs, _ := command(t, "sql", "-o", "csv", "-c", out)
	must.Equal(t, "x,cluster\n0.9,0\n1.0,0\n1.1,1\n,\n", rows+errs) // 1.0 is equally near to both

	out, errs, code = command(t, "export", "run", "--db", "runs.duckdb", "--as", "macro", "--name", "near", "-o", "near.sql")
	if code != 0 || out != "" || errs != "written to near.sql\n" {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	rows, errs, _ = command(t, "sql", "-q", "-o", "csv", "-c", string(must.Get(os.ReadFile("near.sql"))(t))+
		"SELECT near_cluster(1.5) AS cluster")
	must.Equal(t, "cluster\n1\n", rows+errs)
}

func TestWhatCannotBeExportedIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", twoCenters)
	for args, want := range map[string]string{
		"export run":                                      "error[no-database]: export needs a database",
		"export none --db runs.duckdb":                    "error[run-not-found]: ",
		"export run --db runs.duckdb --dialect oracle":    "error[bad-flag]: --dialect is \"oracle\"; it must be clickhouse, duckdb, postgres",
		"export run --db runs.duckdb --as view":           "error[bad-flag]: --as is \"view\"; it must be sql, macro",
		"export run --db runs.duckdb --name n":            "error[bad-flag]: --name goes with --as macro only",
		"export run --db runs.duckdb --as macro --from t": "error[bad-flag]: --from goes with --as sql only",
		"export run --db runs.duckdb -o no/such/file.sql": "error[file-not-written]: the SQL cannot be written",
	} {
		if out, errs, code := command(t, strings.Split(args, " ")...); code == 0 || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit code %d: %s%s", args, code, out, errs)
		}
	}
}
