package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestOnlyCommandsThatStartProcessesLookAtTheLimits(t *testing.T) {
	defer func(of func() error) { limitsFault = of }(limitsFault)
	limitsFault = func() error {
		return framework.Faultf(framework.Internal, "out-of-memory", "the address space is limited")
	}
	t.Chdir(t.TempDir())
	for _, words := range []string{
		"fit t -k 2", "path t -k 2", "tune t -k 2", "plugin add absent", "plugin verify absent",
	} {
		if _, _, errs := run(strings.Fields(words)...); !strings.HasPrefix(errs, "error[out-of-memory]: the address space is limited") {
			t.Errorf("%s: %s", words, errs)
		}
	}
	for _, words := range []string{
		"help exit-codes", "fit --help", "runs --db absent", "show r --db absent", "drop r --db absent", "check absent.csv -k 2",
		"predict r absent.csv --db absent", "score r --db absent", "plugin list", "plugin describe skfr", "plugin protocol",
		"completion bash", "version", "__complete fit --init ",
	} {
		if _, _, errs := run(strings.Fields(words)...); strings.Contains(errs, "out-of-memory") {
			t.Errorf("%s: %s", words, errs)
		}
	}
}

// The codes are those of help exit-codes.
func TestALackIsSaidWithWhatHelps(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		code int
		said string
	}{
		"files of a plugin": {framework.Faultf(framework.Internal, "plugin-start", "plugin skfr cannot be started: too many open files"),
			exitInternal,
			"error[plugin-start]: plugin skfr cannot be started: too many open files\n  hint:  raise the limit of open files: ulimit -n 1024\n"},
		"files of a matrix": {framework.Faultf(framework.Internal, "no-storage", "cannot create the file of the matrix: too many open files").
			WithHint("it was to go to /tmp"), exitInternal,
			"  hint:  raise the limit of open files: ulimit -n 1024\n"},
		"memory of DuckDB": {errors.New("Out of Memory Error: Allocation failure"), exitInternal, "error[out-of-memory]: Out of Memory Error"},
		"memory of DuckDB, with a better hint": {framework.Faultf(framework.Internal, "out-of-memory", "out of memory").WithHint("sort less"),
			exitInternal, "sort less"},
		"threads of a plugin": {&framework.Fault{Class: framework.Plugin, Code: "plugin-crashed", Summary: "plugin skfr crashed",
			Details: []string{"runtime/cgo: pthread_create failed: Resource temporarily unavailable"}, Hint: "report it"},
			exitPlugin, "hint:  raise the limit of processes"},
		"a column of that name": {framework.Faultf(framework.Data, "column-not-found", "there is no column out of memory").WithHint("another"),
			exitData, "hint:  another"},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			a := newApp(io.Discard, &said)
			if code := a.fail(context.Background(), test.err); code != test.code || !strings.Contains(said.String(), test.said) {
				t.Errorf("exit code %d, it says %q", code, said.String())
			}
		})
	}
}

// closedPipe is a pipe that nobody reads.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestOutputThatNobodyReadsAnyMoreEndsTheCommandInSilence(t *testing.T) {
	var said strings.Builder
	// 141 is 128 + 13, SIGPIPE, as shells have it.
	if code := Main([]string{"version"}, closedPipe{}, &said); code != 141 || said.String() != "" {
		t.Errorf("exit code %d, it says %q", code, said.String())
	}
	// The caller ignores SIGPIPE.
	a := newApp(closedPipe{}, io.Discard, builtIns...)
	if code := a.main(context.Background(), []string{"version"}); code != exitInternal {
		t.Errorf("exit code %d", code)
	}
}
