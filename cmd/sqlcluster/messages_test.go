package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/cli"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/doctest"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestEveryBadInputSaysWhatIsWrongWhereAndWhatToDo has all that is wrong with a
// command line in this process, and of what else is wrong every 24th command, as
// a process of its own. In a campaign (or to rewrite the golden file) all are
// processes. It runs alone, in the directory that the commands name files of.
func TestEveryBadInputSaysWhatIsWrongWhereAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	prepare(t, dir)
	all := clustertest.Campaign || *update
	want := map[string]string{}
	if !all {
		want = messages(t)
	}
	var got strings.Builder
	others := 0
	for _, c := range refused {
		args := must.Get(doctest.Arguments(c.line))(t)
		var o outcome
		switch usage := strings.HasSuffix(want[c.what], fmt.Sprintf("\nexit code %d\n", usageCode)); {
		case !all && usage:
			o = inProcess(t, dir, args...)
		case all || others%24 == 0:
			o = sqlcluster(t, dir, args...)
			others++
		default:
			others++
			continue
		}
		message := fmt.Sprintf("# %s\n$ sqlcluster %s\n%sexit code %d\n", c.what, render.Safe(strings.Join(args, " ")),
			stable(dir, o.stderr), o.code)
		got.WriteString(message + "\n")
		if !all {
			equal(t, want[c.what], message, "%s", c.what)
		}
		if o.code == 0 || o.code == 1 && !regexp.MustCompile("database-locked|timed-out|file-unwritable").MatchString(o.stderr) {
			t.Errorf("%s: exit code %d", c.what, o.code)
		}
		if strings.Contains(o.stderr, "goroutine ") || strings.Contains(o.stderr, ".go:") {
			t.Errorf("%s: a stack trace reached the user: %s", c.what, o.stderr)
		}
	}
	if all {
		golden(t, messagesGolden, got.String())
	}
}

// usageCode is the exit code of a wrong command line.
const usageCode = 2

// inProcess runs the command in this process, in a directory, with nothing of the
// user's own configuration. Tests that use it cannot be parallel.
func inProcess(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	was := must.Get(os.Getwd())(t)
	must.Do(t, os.Chdir(dir))
	defer func() { must.Do(t, os.Chdir(was)) }()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "SQLCLUSTER_") || name == "XDG_CONFIG_HOME" || name == "COLUMNS" {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", dir)
	var out, errs strings.Builder
	code := cli.Main(args, &out, &errs)
	return outcome{out.String(), errs.String(), code}
}

const messagesGolden = "testdata/messages.golden"

// messages returns the parts of the golden file by what is wrong.
func messages(t *testing.T) map[string]string {
	t.Helper()
	text := must.Get(os.ReadFile(messagesGolden))(t)
	parts := map[string]string{}
	for part := range strings.SplitSeq("\n\n"+string(text), "\n\n# ") {
		what, _, _ := strings.Cut(part, "\n")
		parts[what] = "# " + strings.TrimRight(part, "\n") + "\n"
	}
	return parts
}

// prepare fills the directory that the refused commands run in.
func prepare(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "wine.csv", string(must.Get(os.ReadFile("../../examples/wine.csv"))(t)))
	few := regexp.MustCompile("^(id|class|DYRK1A_N|BCL2_N|BAD_N|H3.*)$") // all 79 columns take long to read
	var mice strings.Builder
	names, rows := csvLines(t, "../../examples/mice_protein.csv")
	for _, row := range append([][]string{names}, rows...) {
		var kept []string
		for l, cell := range row {
			if few.MatchString(names[l]) {
				kept = append(kept, cell)
			}
		}
		mice.WriteString(strings.Join(kept, ",") + "\n")
	}
	write(t, dir, "mice.csv", mice.String())
	succeed(t, dir, "fit", "wine.csv", "--id", "id", "--exclude", "class", "-k", "3", "--db", "runs.duckdb", "--into", "wine", "-q")
	succeed(t, dir, "fit", "wine_assignments", "--id", "id", "--features", "distance", "-k", "2", "--db", "runs.duckdb", "--into", "apart",
		"-q")
	succeed(t, dir, "fit", "SELECT i AS id, CASE i % 3 WHEN 0 THEN 'red' ELSE 'blue' END AS colour, i AS x FROM range(9) t(i)", "--id", "id",
		"--categorical", "colour", "-k", "2", "--db", "runs.duckdb", "--into", "colours", "-q")
	text := must.Get(os.ReadFile(filepath.Join(dir, "runs.duckdb")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "locked.duckdb"), text, 0o600))
	copy(text[4096:], strings.Repeat("damage", 2000)) // the first blocks after the header
	must.Do(t, os.WriteFile(filepath.Join(dir, "damaged.duckdb"), text, 0o600))
	must.Do(t, os.Mkdir(filepath.Join(dir, "taken.plugin"), 0o700))
	held := must.Get(store.Open(context.Background(), filepath.Join(dir, "locked.duckdb"), store.ReadWrite))(t)
	t.Cleanup(func() { _ = held.Close() })
}

// progressLine is what a command says when it has been at work for a while: a
// busy machine is enough for that.
var progressLine = regexp.MustCompile(`(?m)^(reading|fitting|path|tuning): .*\n`)

var volatile = regexp.MustCompile(`PID \d+|\(PID [^)]*\)|computed checksum \d+|stored checksum \d+|at location \d+|in /[^ ` +
	`]*sqlcluster\.test|/[^ ]*sqlcluster\.test`)

// stable hides what differs from one run to the next.
func stable(dir, text string) string {
	text = progressLine.ReplaceAllString(text, "")
	return volatile.ReplaceAllString(strings.ReplaceAll(text, dir, "DIR"), "…")
}

// golden compares a text with a file, or rewrites the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must.Do(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want := must.Get(os.ReadFile(path))(t)
	equal(t, strings.Split(string(want), "\n"), strings.Split(got, "\n"), "%s", path)
}
