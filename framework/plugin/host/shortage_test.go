package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// What the system refuses is not the plugin's fault: its class is not Plugin.
func TestStart_for_which_the_system_has_too_little_is_no_missing_plugin(t *testing.T) {
	for want, err := range map[string]error{
		"too many open files":              os.NewSyscallError("pipe2", syscall.EMFILE),
		"too many open files in system":    &fs.PathError{Op: "open", Path: "/dev/null", Err: syscall.ENFILE},
		"resource temporarily unavailable": &fs.PathError{Op: "fork/exec", Path: "/bin/toy", Err: syscall.EAGAIN},
		"cannot allocate memory":           &fs.PathError{Op: "fork/exec", Path: "/bin/toy", Err: syscall.ENOMEM},
	} {
		p := &Process{name: "toy", runner: &runner{path: "/bin/toy", startErr: err}}
		f := framework.AsFault(p.startFault(err, false, false))
		if f == nil || f.Class != framework.Internal || f.Code != "plugin-start" || f.Summary != "plugin toy cannot be started: "+want {
			t.Errorf("%v: %+v", err, f)
		}
	}
}

func TestLaunch_says_when_TMPDIR_is_a_file(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if len(file) > 40 { // too long for a socket: /tmp would be taken
		dir := must.Get(os.MkdirTemp("", "f"))(t)
		defer func() { _ = os.RemoveAll(dir) }()
		file = filepath.Join(dir, "f")
	}
	must.Do(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("TMPDIR", file)
	_, err := Launch(t.Context(), itself("plugin"), Options{})
	want := framework.Fault{
		Class: framework.Internal, Code: "plugin-start", Where: "TMPDIR", Hint: "set TMPDIR to a directory",
		Summary: "plugin toy cannot be started: TMPDIR names a file, not a directory, " + file,
	}
	if f := framework.AsFault(err); f == nil || !reflect.DeepEqual(*f, want) {
		t.Errorf("error %v, %+v", err, f)
	}
}

// A directory such as /proc exists, and none can be made in it.
func TestLaunch_says_when_nothing_can_be_made_in_TMPDIR(t *testing.T) {
	p := &Process{name: "toy", algorithm: "other"} // an algorithm of the plugin
	f := framework.AsFault(p.systemFault(&fs.PathError{Op: "mkdir", Path: "/proc/x", Err: syscall.ENOENT}))
	want := "other (plugin toy) cannot be started: nothing can be made in TMPDIR, " + socketParent() + ": no such file or directory"
	if f.Summary != want || f.Where != "TMPDIR" || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}

func TestPlugin_that_the_system_kills_may_have_had_no_memory(t *testing.T) {
	p := launch(t, "plugin", Options{})
	must.Do(t, syscall.Kill(p.PID(), syscall.SIGKILL))
	_, err := p.Describe(t.Context())
	if f := wantFault(t, err, "plugin-crashed"); !strings.Contains(f.Hint, "when memory is short") {
		t.Errorf("%+v", f)
	}
}

// The text is what a program with cgo writes under ulimit -u 12.
func TestRegisters_are_no_last_words(t *testing.T) {
	var w words
	_, _ = w.Write([]byte("runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n" +
		"PC=0x7f6ab23c8eec m=3 sigcode=18446744073709551610\n\ngoroutine 0 gp=0xd93141e0b40 m=2 mp=0xd931423e808 [idle]:\n" +
		"runtime: g 0 gp=0xd93141e0b40: unknown pc 0x7f16321c8eec\n\nrax    0x0\nrbx    0x3\n"))
	if got, want := w.lastWords(), []string{"runtime/cgo: pthread_create failed: Resource temporarily unavailable"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
