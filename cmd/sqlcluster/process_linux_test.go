package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// longFit is a fit of many seconds on rows that a query makes.
var longFit = []string{"fit", `SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, hash(i * 3) % 997 AS c FROM range(300000) t(i)`,
	"--id", "id", "-k", "30", "--restarts", "1000", "--db", "out.duckdb", "--into", "late"}

// running is a started command whose plugin is in mid-fit.
type running struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	plugin int
	done   chan struct{}
}

// startLongFit starts the command in a directory with a database, and returns
// when the plugin computes.
func startLongFit(t *testing.T, dir string) *running {
	t.Helper()
	r := &running{cmd: command(t, dir, longFit...), stderr: &bytes.Buffer{}, done: make(chan struct{})}
	r.cmd.Stderr = r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = r.cmd.Wait(); close(r.done) }()
	t.Cleanup(func() { _ = r.cmd.Process.Kill(); <-r.done })
	until(t, "the plugin computes", func() bool {
		r.plugin = child(r.cmd.Process.Pid)
		return r.plugin > 0 && processorTime(r.plugin) > 50 // hundredths of a second: more than a start takes
	})
	return r
}

// until waits for a condition, for a minute at most.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for !met() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after a minute it is not true that %s", what)
		}
	}
}

// stat returns the fields of /proc/PID/stat after the name.
func stat(pid int) []string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// child returns the child process of a process, or 0.
func child(parent int) int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f := stat(pid); len(f) > 1 && f[1] == strconv.Itoa(parent) {
			return pid
		}
	}
	return 0
}

// processorTime returns the time in user mode, in hundredths of a second.
func processorTime(pid int) int {
	f := stat(pid)
	if len(f) < 12 {
		return 0
	}
	n, _ := strconv.Atoi(f[11])
	return n
}

// gone reports whether a process has ended.
func gone(pid int) bool {
	f := stat(pid)
	return f == nil || f[0] == "Z" || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// database makes a database with one table, and returns its hash.
func database(t *testing.T, dir string) (hash func() string) {
	t.Helper()
	succeed(t, dir, "fit", "SELECT i AS id, i % 7 AS a FROM range(50) t(i)", "--id", "id", "-k", "2", "--db", "out.duckdb", "--into", "before", "-q")
	return func() string {
		text, err := os.ReadFile(filepath.Join(dir, "out.duckdb"))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", sha256.Sum256(text))
	}
}

func TestAKilledPluginIsExitCode4AndLeavesTheDatabaseAsItWas(t *testing.T) {
	dir := t.TempDir()
	hash := database(t, dir)
	before := hash()
	r := startLongFit(t, dir)
	if err := syscall.Kill(r.plugin, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-r.done
	if code := r.cmd.ProcessState.ExitCode(); code != 4 {
		t.Errorf("exit code %d, want 4", code)
	}
	if text := r.stderr.String(); !strings.Contains(text, "error[plugin-crashed]") || strings.Contains(text, "goroutine") {
		t.Errorf("message: %s", text)
	}
	if hash() != before {
		t.Error("the database has changed")
	}
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}

func TestAFrozenPluginIsStoppedWithExitCode4(t *testing.T) {
	dir := t.TempDir()
	hash := database(t, dir)
	before := hash()
	r := startLongFit(t, dir)
	if err := syscall.Kill(r.plugin, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-r.done
	if code := r.cmd.ProcessState.ExitCode(); code != 4 || !strings.Contains(r.stderr.String(), "error[plugin-hung]") {
		t.Errorf("exit code %d: %s", code, r.stderr)
	}
	if hash() != before {
		t.Error("the database has changed")
	}
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}

func TestCtrlCInMidFitIsExitCode130AndLeavesTheDatabaseAsItWas(t *testing.T) {
	dir := t.TempDir()
	hash := database(t, dir)
	before := hash()
	r := startLongFit(t, dir)
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-r.done
	if code := r.cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	if got, want := r.stderr.String(), "interrupted: nothing was written\n"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
	if hash() != before {
		t.Error("the database has changed")
	}
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}

func TestAKilledCommandLeavesNoPlugin(t *testing.T) {
	r := startLongFit(t, t.TempDir())
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-r.done
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}
