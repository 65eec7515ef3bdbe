package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestASignalInAPathKeepsThePointsThatEndedWhenAsked interrupts a path of many seconds when
// the first line of progress says that points have ended, after two seconds. A path that
// keeps nothing is left to campaigns: a fit that is interrupted takes the same way.
func TestASignalInAPathKeepsThePointsThatEndedWhenAsked(t *testing.T) {
	t.Parallel()
	for _, how := range []struct {
		keep   bool
		signal syscall.Signal
		code   int
	}{{true, syscall.SIGINT, 130}, {true, syscall.SIGTERM, 143}, {false, syscall.SIGINT, 130}} {
		if !clustertest.Campaign && (how.signal == syscall.SIGTERM || !how.keep) {
			continue
		}
		dir := t.TempDir()
		errors := must.Get(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
		defer func() { _ = errors.Close() }()
		said := func() string {
			text := must.Get(os.ReadFile(errors.Name()))(t)
			return string(text)
		}
		args := []string{"path", absolute(t, "../../examples/wine.csv"), "--id", "id", "--exclude", "class", "-a", "skm", "-k", "3",
			"--grid", "1:3:1000", "--restarts", "200", "--threads", "1", "--assignments", "--db", "out.duckdb", "--into", "ours"}
		if how.keep {
			args = append(args, "--keep-partial")
		}
		cmd := command(t, dir, args...)
		cmd.Stderr = errors
		must.Do(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		until(t, "a value is fitted", func() bool { return strings.Contains(said(), " of 1000 values") })
		must.Do(t, cmd.Process.Signal(how.signal))
		if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != how.code {
			t.Errorf("%+v: exit code %d: %s", how, cmd.ProcessState.ExitCode(), said())
		}
		if !how.keep {
			if !strings.HasSuffix(said(), "interrupted: nothing was written\n") {
				t.Errorf("message %s", said())
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 0 {
				t.Errorf("left behind: %v", found)
			}
			continue
		}
		written := tablesOf(t, filepath.Join(dir, "out.duckdb"), "ours", "path", "fit", "path_assignments")
		points, fit := written["path"], written["fit"][0]
		if want := fmt.Sprintf("interrupted: %d of 1000 values were fitted and written\n", len(points)); len(points) == 0 ||
			len(points) == 1000 || !strings.HasSuffix(said(), want) {
			t.Errorf("%d points are written: %s", len(points), said())
		}
		if fit["stop_reason"] != "interrupted" || fit["converged"] != false {
			t.Errorf("the fit says %v, converged %v", fit["stop_reason"], fit["converged"])
		}
		if n := len(written["path_assignments"]); n != 178*len(points) {
			t.Errorf("%d rows of assignments of %d points", n, len(points))
		}
	}
}
