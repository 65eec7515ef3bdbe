package host

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLaunch_says_what_is_wrong_with_a_program(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	empty := filepath.Join(dir, "empty")
	script := filepath.Join(dir, "script")
	must.Do(t, os.WriteFile(script, []byte("#!"+filepath.Join(dir, "interpreter")+"\n"), 0o755))
	for path, mode := range map[string]os.FileMode{plain: 0o644, empty: 0o755} {
		must.Do(t, os.WriteFile(path, []byte("\x00not a program"), mode))
	}
	for name, c := range map[string]struct {
		program Program
		code    string
		said    string // in summary or details
	}{
		"no such file":             {Program{Path: filepath.Join(dir, "none")}, "plugin-missing", "no such program"},
		"no such command":          {Program{Path: "sqlcluster-plugin-none"}, "plugin-missing", "plugin none cannot"},
		"not executable":           {Program{Path: plain}, "plugin-missing", "not executable"},
		"not a program":            {Program{Path: empty}, "not-a-plugin", "not a program for this machine"},
		"no such interpreter":      {Program{Path: script}, "not-a-plugin", "its first line asks for"},
		"another program":          {itself("no plugin"), "not-a-plugin", "usage: something else"},
		"a program that fails":     {itself("failing"), "not-a-plugin", "cannot find my files"},
		"a program that prints on": {itself("endless"), "not-a-plugin", "chatter chatter"},
		"another version":          {itself("newer plugin"), "plugin-version", "version 1.2 of the plugin protocol, and sqlcluster 1.1"},
		"a panic":                  {itself("panicking"), "plugin-crashed", "panic: no start today"},
		"a wrong description":      {itself("misnamed"), "not-a-plugin", `algorithm "Toy Story": the name must be a word in lower case`},
		"a socket that is none":    {itself("liar"), "not-a-plugin", "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			emptyTemp(t)
			_, err := Launch(t.Context(), c.program, Options{})
			f := wantFault(t, err, c.code)
			if f.Where == "" {
				t.Errorf("no place in %+v", f)
			}
			all := f.Summary + "\n" + strings.Join(f.Details, "\n")
			if !strings.Contains(all, c.said) || strings.Contains(all, "goroutine") {
				t.Errorf("it says %q; want %q and no stack", all, c.said)
			}
		})
	}
}

func TestLaunch_gives_up_on_a_program_that_does_not_get_ready(t *testing.T) {
	const limit = 150 * time.Millisecond
	for _, role := range []string{"silent", "frozen"} {
		t.Run(role, func(t *testing.T) {
			emptyTemp(t)
			_, err := Launch(t.Context(), itself(role), Options{StartTimeout: limit})
			wantFault(t, err, "plugin-start-timeout")
		})
		t.Run(role+", and the caller gives up first", func(t *testing.T) {
			emptyTemp(t)
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err := Launch(ctx, itself(role), Options{})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestLaunch_of_a_plugin_with_an_unknown_kernel(t *testing.T) {
	emptyTemp(t)
	t.Setenv("SQLCLUSTER_KERNEL", "nonsense")
	_, err := Launch(t.Context(), itself("plugin"), Options{})
	f := wantFault(t, err, "not-a-plugin")
	if all := strings.Join(f.Details, "\n"); !strings.Contains(all, `unknown-kernel: there is no kernel "nonsense" on this machine`) {
		t.Errorf("it says %q", all)
	}
}

func TestLaunch_needs_a_directory_for_its_socket(t *testing.T) {
	t.Setenv("TMPDIR", "/nowhere")
	_, err := Launch(t.Context(), itself("plugin"), Options{})
	want := framework.Fault{
		Class: framework.Internal, Code: "plugin-start", Where: "TMPDIR", Hint: "set TMPDIR to a directory that exists",
		Summary: "plugin toy cannot be started: TMPDIR names a directory that does not exist, /nowhere",
	}
	if f := framework.AsFault(err); f == nil || !reflect.DeepEqual(*f, want) {
		t.Errorf("error %v, %+v", err, f)
	}
}

func TestProcess_whose_socket_stays_is_ended(t *testing.T) {
	p := launch(t, "plugin", Options{})
	own := must.Get(scratch.New(t.TempDir()))(t)
	dir := p.runner.dir
	p.runner.dir, p.runner.scratch = t.TempDir(), own // it is not in there, and so must stay
	q, err := p.removeSocket()
	if f := framework.AsFault(err); q != nil || f == nil || f.Code != "plugin-start" {
		t.Errorf("process %v, error %v", q, err)
	}
	soon(t, "the end of the process", p.runner.exited)
	p.runner.dir, p.runner.scratch, p.closing = dir, nil, nil // the rest of the test is that nothing is left
	must.Do(t, own.Release())
}

func TestChatter_before_the_handshake_is_ignored(t *testing.T) {
	p := launch(t, "chattering", Options{})
	must.Get(p.Describe(t.Context()))(t)
}

func TestEnvironment_has_no_secrets(t *testing.T) {
	got := environment([]string{
		"PATH=/bin", "AWS_SECRET_ACCESS_KEY=x", "LC_ALL=C", "SQLCLUSTER_CACHE=y", "SQLCLUSTER_KERNEL=portable", "PLUGIN_MULTIPLEX_GRPC=true",
		wire.CookieKey + "=" + wire.CookieValue, wire.LifelineKey + "=3", "SQLCLUSTER_PLUGIN=mine", "PATHOLOGY=z", "GOMAXPROCS=2",
	})
	want := []string{"GOTRACEBACK=single", "PATH=/bin", "LC_ALL=C", "SQLCLUSTER_KERNEL=portable", "GOMAXPROCS=2"}
	if !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	t.Setenv("SECRET_TOKEN", "hidden")
	_, err := Launch(t.Context(), itself("environment"), Options{})
	if f := framework.AsFault(err); f == nil || strings.Contains(strings.Join(f.Details, ""), "hidden") {
		t.Errorf("the process has seen the secret: %v", err)
	}
}

// Workers of a plugin spend their time in C: see parallel.Spare.
func TestAPluginThatIsServedHasTwoProcessorsToSpareUnlessTheUserSaysHowMany(t *testing.T) {
	for set, want := range map[string]string{
		"":  "2 more, of which 0 work", // those of parallel.Spare
		"1": "0 more, of which 0 work",
	} {
		t.Setenv("GOMAXPROCS", set)
		p := launch(t, "processors", Options{})
		prob, data := problem(t, nil)
		_, err := p.Open(t.Context(), "toy", prob, data.Handle())
		if f := framework.AsFault(err); f == nil || f.Code != "processors" || f.Summary != want {
			t.Errorf("GOMAXPROCS=%s: %v, want %s", set, err, want)
		}
	}
}
