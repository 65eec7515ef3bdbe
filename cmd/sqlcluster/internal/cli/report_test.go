package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAReportIsWrittenWholeAndReplacesNothingUnasked(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", twoCenters)
	files := func() int { return len(must.Get(os.ReadDir("."))(t)) }

	if code, out, errs := run("report", "none", "--db", "runs.duckdb", "--out", "r.html"); code != exitData || out != "" ||
		!strings.HasPrefix(errs, "error[run-not-found]: ") || files() != 1 {
		t.Errorf("%d, %d files: %s%s", code, files(), out, errs)
	}
	if code, out, errs := run("report", "run", "--db", "runs.duckdb", "--out",
		"r.html"); code != 0 || out != "" || errs != "written to r.html\n" ||
		files() != 2 {
		t.Fatalf("%d, %d files: %s%s", code, files(), out, errs)
	}
	written := must.Get(os.ReadFile("r.html"))(t)
	if code, out, _ := run("report", "run", "--db", "runs.duckdb", "--out", "-"); code != 0 || out != string(written) {
		t.Errorf("%d: standard output has another page than the file", code)
	}
	must.Do(t, os.WriteFile("r.html", []byte("mine"), 0o666))
	if code, _, errs := run("report", "run", "--db", "runs.duckdb", "--out", "r.html"); code != exitData ||
		!strings.HasPrefix(errs, "error[file-exists]: there is a file r.html already") {
		t.Errorf("%d: %s", code, errs)
	}
	must.Equal(t, "mine", string(must.Get(os.ReadFile("r.html"))(t)))
	if code, _, errs := run("report", "run", "--db", "runs.duckdb", "--out", "r.html", "--force"); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	must.Equal(t, string(written), string(must.Get(os.ReadFile("r.html"))(t)))
	must.Equal(t, 2, files())
}

func TestWhatCannotBeReportedIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", twoCenters)
	for args, want := range map[string]string{
		"run":                                       "error[bad-flag]: report needs a file to write",
		"run --out -":                               "error[no-database]: report needs a database",
		"run --out - --format pdf":                  `error[bad-flag]: --format "pdf" is unknown`,
		"run --out - --format svg":                  "error[bad-flag]: --format svg writes a single picture",
		"run --out - --chart sizes":                 "error[bad-flag]: --format html writes all pictures",
		"run --out - --sample -1":                   "error[bad-flag]: --sample is -1; it must not be negative",
		"run x --out - --format svg --chart sizes":  "error[bad-flag]: --format svg writes a picture of one run, and there are 2",
		"run --out no/such/r.html --db runs.duckdb": "error[file-not-written]: the report cannot be written",
		"run --out - --format svg --chart szes --db runs.duckdb":    `error[chart-not-found]: run "run" has no picture "szes"`,
		"run --out - --format vega-lite --chart x --db runs.duckdb": `error[chart-not-found]: run "run" has no picture "x"`,
	} {
		if code, out, errs := run(append([]string{"report"}, strings.Split(args,
			" ")...)...); code == 0 || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit code %d: %s%s", args, code, out, errs)
		}
	}
}

func TestRunsAreProposedForEveryArgumentOfAReport(t *testing.T) {
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", twoCenters)
	_, out, _ := run("__complete", "report", "run", "--db", "runs.duckdb", "")
	must.Equal(t, "run", strings.SplitN(out, "\n", 2)[0])
}
