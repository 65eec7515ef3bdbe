package main

import (
	"bytes"
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

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// longFit is a fit of many seconds on rows that a query makes.
var longFit = []string{"fit", `SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, hash(i * 3) % 997 AS c FROM range(60000) t(i)`,
	"--id", "id", "-k", "30", "--restarts", "5000", "--db", "out.duckdb", "--into", "late"}

// running is a started command whose plugin is in mid-fit.
type running struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	plugin int
	done   chan struct{}
}

// startLongFit starts the command in a directory with a database, and returns
// when the plugin computes.
func startLongFit(t *testing.T, dir string, environment ...string) *running {
	t.Helper()
	cmd := command(t, dir, longFit...)
	cmd.Env = append(cmd.Env, environment...)
	r := start(t, cmd)
	r.plugin = computing(t, cmd.Process.Pid)
	return r
}

// start starts a command, which is killed when the test ends.
func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, stderr: &bytes.Buffer{}, done: make(chan struct{})}
	cmd.Stderr = r.stderr
	must.Do(t, cmd.Start())
	go func() { _ = cmd.Wait(); close(r.done) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-r.done })
	return r
}

// ends waits until the command has ended, and then its plugin.
func (r *running) ends(t *testing.T, code int) {
	t.Helper()
	<-r.done
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d: %s", got, code, r.stderr)
	}
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}

// interrupt sends a signal, after which the command must say that it wrote nothing.
func (r *running) interrupt(t *testing.T, signal syscall.Signal) {
	t.Helper()
	must.Do(t, r.cmd.Process.Signal(signal))
	r.ends(t, 128+int(signal))
	if got, want := progressLine.ReplaceAllString(r.stderr.String(), ""), "interrupted: nothing was written\n"; got != want {
		t.Errorf("%v: message %q, want %q", signal, got, want)
	}
}

// computing returns the plugin of a command when it is in mid-fit: when it has
// taken processor time since it has mapped the rows, which it does just before.
func computing(t *testing.T, command int) (plugin int) {
	t.Helper()
	until(t, "the plugin has the rows", func() bool {
		plugin = child(command)
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", plugin)) // until it is executed, that of the command
		maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", plugin))
		return bytes.Contains(name, []byte("__serve")) && bytes.Contains(maps, []byte("/memfd:sqlcluster"))
	})
	from := processorTime(plugin)
	const enough = 5 // hundredths of a second, of the hundreds of seconds that the fit takes
	until(t, "the plugin computes", func() bool { return processorTime(plugin) >= from+enough || gone(plugin) })
	return plugin
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

// database makes a database with one table, and returns a function that fails the
// test if the database has changed.
func database(t *testing.T, dir string) (unchanged func(t *testing.T)) {
	t.Helper()
	once(t, "database", dir, "out.duckdb", func() {
		succeed(t, dir, "fit", "SELECT i AS id, i % 7 AS a FROM range(50) t(i)", "--id", "id", "-k", "2",
			"--db", "out.duckdb", "--into", "before", "-q")
	})
	before := must.Get(os.ReadFile(filepath.Join(dir, "out.duckdb")))(t)
	return func(t *testing.T) {
		t.Helper()
		if !bytes.Equal(must.Get(os.ReadFile(filepath.Join(dir, "out.duckdb")))(t), before) {
			t.Error("the database has changed")
		}
	}
}

func TestAKilledPluginIsExitCode4AndLeavesTheDatabaseAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unchanged := database(t, dir)
	r := startLongFit(t, dir)
	must.Do(t, syscall.Kill(r.plugin, syscall.SIGKILL))
	r.ends(t, 4)
	if text := r.stderr.String(); !strings.Contains(text, "error[plugin-crashed]") || strings.Contains(text, "goroutine") {
		t.Errorf("message: %s", text)
	}
	unchanged(t)
}

func TestAFrozenPluginIsStoppedWithExitCode4(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unchanged := database(t, dir)
	r := startLongFit(t, dir, inNoTime)
	if err := syscall.Kill(r.plugin, syscall.SIGSTOP); err != nil && !gone(r.plugin) { // a machine may be as slow as a frozen plugin
		t.Fatal(err)
	}
	r.ends(t, 4)
	says(t, r.stderr.String(), "error[plugin-hung]")
	unchanged(t)
}

// TestAPluginThatNeverReturnsFromAStepIsEndedByCtrlC: it gives signs of life, and
// nobody has to wait for --step-timeout.
func TestAPluginThatNeverReturnsFromAStepIsEndedByCtrlC(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{"plugin", "host"} {
		t.Run(driver, func(t *testing.T) {
			dir := t.TempDir()
			added(t, dir, "third", "right")
			cmd := command(t, dir, "fit", squares, "--id", "id", "-k", "2", "-a", "third", "--trouble", "hang", "--driver", driver, "--db",
				"out.duckdb", "--into", "late")
			r := start(t, cmd)
			until(t, "the plugin hangs", func() bool {
				_, err := os.Stat(filepath.Join(dir, "hangs"))
				return err == nil
			})
			if r.plugin = child(cmd.Process.Pid); r.plugin == 0 {
				t.Fatal("there is no plugin")
			}
			must.Do(t, cmd.Process.Signal(os.Interrupt))
			r.ends(t, 130)
		})
	}
}

func TestCtrlCInMidFitIsExitCode130AndLeavesTheDatabaseAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unchanged := database(t, dir)
	startLongFit(t, dir).interrupt(t, syscall.SIGINT)
	unchanged(t)
}

func TestSIGTERMAndSIGHUPEndAFitLikeCtrlC(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		dir := t.TempDir() // the database is to be made
		startLongFit(t, dir).interrupt(t, signal)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%v: it has left %v (%v)", signal, entries, err)
		}
	}
}

func TestACommandThatWaitsForAPipeCanBeEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.csv")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	if o := sqlcluster(t, dir, "fit", "pipe.csv", "-k", "2"); o.code != 3 || !strings.HasPrefix(o.stderr,
		"error[file-unreadable]: pipe.csv is a pipe or a device, not a file\n") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	cmd := command(t, dir, "fit", "FROM read_csv('pipe.csv')", "-k", "2")
	cmd.Env = append(cmd.Env, inNoTime)
	must.Do(t, cmd.Start())
	var writer int
	until(t, "the command reads from the pipe", func() (open bool) {
		var err error
		writer, err = syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
		return err == nil // until then ENXIO: nobody reads
	})
	defer func() { _ = syscall.Close(writer) }()
	must.Do(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d, want 143", code)
	}
}

func TestASignalThatIsIgnoredStaysIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// What nohup does: the shell ignores SIGHUP, and what it starts inherits that.
	shell := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh", command(t, dir).Path}, longFit...)...)
	shell.Dir, shell.Env = dir, command(t, dir).Env
	r := start(t, shell)
	r.plugin = computing(t, shell.Process.Pid)
	must.Do(t, shell.Process.Signal(syscall.SIGHUP))
	must.Do(t, shell.Process.Signal(syscall.SIGTERM))
	r.ends(t, 143) // not 129
}

func TestAFullDeviceIsAnErrorThatSaysSo(t *testing.T) {
	t.Parallel()
	full := must.Get(os.OpenFile("/dev/full", os.O_WRONLY, 0))(t)
	defer func() { _ = full.Close() }()
	for name, c := range map[string]struct {
		args   []string
		stored string
	}{
		"table":   {[]string{"fit", fourRows, "--id", "name", "-k", "2"}, ""},
		"csv":     {[]string{"fit", fourRows, "--id", "name", "-k", "2", "-o", "csv"}, ""},
		"version": {[]string{"version"}, ""},
		"help":    {[]string{"help", "fit"}, ""},
		"what stays": {[]string{"fit", fourRows, "--id", "name", "-k", "2", "--db", "out.duckdb", "--into", "four"},
			"  they are in the tables of out.duckdb\n"},
		"not settled": {[]string{"fit", "SELECT i AS id, hash(i) % 100 AS a FROM range(500) t(i)", "--id", "id", "-k", "5", "--restarts", "1",
			"--max-iter", "1", "--strict"}, ""},
	} {
		if !clustertest.Campaign && (name == "table" || name == "version") { // as what stays, and as help
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := command(t, t.TempDir(), c.args...)
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = full, &errs
			_ = cmd.Run()
			want := "error[output-unwritable]: the results cannot be written to standard output: no space left on device\n" + c.stored +
				"  where: standard output\n"
			if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasSuffix(errs.String(), want) {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
}

func TestAKilledCommandLeavesNoPlugin(t *testing.T) {
	t.Parallel()
	r := startLongFit(t, t.TempDir())
	must.Do(t, r.cmd.Process.Kill())
	<-r.done
	until(t, "the plugin is gone", func() bool { return gone(r.plugin) })
}
