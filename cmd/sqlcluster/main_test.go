package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/cli"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// asCommand, in the environment, makes the test program behave as sqlcluster.
const asCommand = "SQLCLUSTER_TEST_AS_COMMAND"

// builtInHere, in its environment, makes that command run what is built in
// without a plugin's process.
const builtInHere = "SQLCLUSTER_TEST_BUILT_IN_HERE"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == thirdParty {
		serveThird(os.Args[2])
		return
	}
	// A plugin process is this program started once more.
	registry.Here = os.Getenv(builtInHere) != ""
	if os.Getenv(asCommand) != "" || len(os.Args) > 2 && slices.Contains([]string{"__serve", "__guard"}, os.Args[1]) {
		impatient()
		cli.Exit(os.Args[1:], os.Stdout, os.Stderr)
	}
	heedSignals()
	for _, plugin := range []string{"skfr", "skm", "groupskm", "pcskm"} {
		unpacked, remove := clustertest.Unpack("../../plugins/" + plugin + "/testdata/reference")
		referencesOf[plugin] = unpacked
		defer remove()
	}
	m.Run()
}

// referencesOf are the directories in which a plugin's archives of reference runs
// are unpacked.
var referencesOf = map[string]string{}

// heedSignals lets the commands that tests start heed the signals that they are
// sent, even where this process was told to ignore them: what runs in the
// background of a script ignores SIGINT, what nohup runs SIGHUP, and so would
// all that it starts.
func heedSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// outcome is what a run of the command printed, and its exit code.
type outcome struct {
	stdout, stderr string
	code           int
}

// sqlcluster runs the command in a directory, and in it what is built in.
func sqlcluster(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return ended(t, command(t, dir, args...), builtInHere+"=1")
}

// ended runs a command to its end.
func ended(t testing.TB, cmd *exec.Cmd, environment ...string) outcome {
	t.Helper()
	cmd.Env = append(cmd.Env, environment...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// command prepares a run of the command, with nothing of the user's own
// configuration.
func command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self := must.Get(filepath.Abs(os.Args[0]))(t)
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = []string{asCommand + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir()}
	return cmd
}

// equal fails the test if got is not what is wanted.
func equal(t testing.TB, want, got any, about string, args ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", fmt.Sprintf(about, args...), diff)
	}
}

// says fails the test if a text lacks one of the parts.
func says(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}

// succeed runs the command, and fails the test if it does.
func succeed(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return succeeded(t, sqlcluster(t, dir, args...), args)
}

func succeeded(t testing.TB, o outcome, args []string) outcome {
	t.Helper()
	if o.code != 0 {
		t.Fatalf("sqlcluster %q: exit code %d\n%s%s", args, o.code, o.stdout, o.stderr)
	}
	return o
}

// served is succeed as users have it: with each algorithm in a process of its own.
func served(t testing.TB, dir string, args ...string) outcome {
	t.Helper()
	return succeeded(t, ended(t, command(t, dir, args...)), args)
}
