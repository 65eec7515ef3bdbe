package main

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// byHand starts a program of a third party as its author does under a debugger, and
// returns the path of its socket. It ends with the test.
func byHand(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Env = []string{"SQLCLUSTER_PLUGIN_COOKIE=c1f4b2e0-sqlcluster-plugin", "TMPDIR=" + t.TempDir()}
	out := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if parts := strings.Split(lines.Text(), "|"); len(parts) > 4 {
			go func() { _, _ = io.Copy(io.Discard, out) }() // what it prints later
			return parts[3]
		}
	}
	t.Fatal("the plugin has printed no address")
	return ""
}

func TestAnAttachedProcessFitsAsThePluginDoesAndGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := byHand(t, added(t, dir, "third", "right"))
	fit := []string{"fit", squares, "--id", "id", "-k", "3", "-a", "third"}
	want := succeed(t, dir, append(fit, "-o", "csv")...).stdout
	for _, driver := range []string{"plugin", "host"} { // one after the other, in one process
		got := succeed(t, dir, append(fit, "-o", "csv", "--attach", socket, "--driver", driver)...).stdout
		equal(t, want, got, "the labels of an attached process, driver %s", driver)
	}
	says(t, succeed(t, dir, append(fit, "--attach", socket)...).stdout, "\nunpinned: the process at "+socket)
	o := fails(t, dir, 4, "plugin-crashed", append(fit, "--trouble", "exit", "--attach", socket)...)
	says(t, o.stderr, "the connection to plugin third broke during fit")
	fails(t, dir, 4, "plugin-missing", append(fit, "--attach", socket)...)
}

func TestWhatIsAttachedIsHeldToWhatWasAddedAndWritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	socket := byHand(t, added(t, dir, "third", "right"))
	fit := func(more ...string) []string {
		return append([]string{"fit", squares, "--id", "id", "--attach", socket}, more...)
	}
	for name, more := range map[string][]string{
		"tables":               {"-k", "3", "-a", "third", "--db", "runs.duckdb", "--into", "r"},
		"a built-in algorithm": {"-k", "3"},
		"several algorithms":   {"-k", "3", "-a", "third,kmeans"},
		"a choice of k":        {"-k", "2:4", "-a", "third"},
		"a profile":            {"-k", "3", "-a", "third", "--cpuprofile", "cpu"},
	} {
		if o := fails(t, dir, 2, "bad-flag", fit(more...)...); !strings.Contains(o.stderr, "--attach") {
			t.Errorf("%s: %s", name, o.stderr)
		}
	}
	equal(t, []string(nil), must.Get(filepath.Glob(filepath.Join(dir, "*.duckdb")))(t), "databases")
	other := byHand(t, program(t, dir, "other", "twin")) // serves kmeans, and not third
	fails(t, dir, 4, "plugin-changed", "fit", squares, "--id", "id", "-k", "3", "-a", "third", "--attach", other)
}
