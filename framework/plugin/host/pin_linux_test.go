package host

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// pinnedCopy is a copy of this executable in a role, and the hash of it.
func pinnedCopy(t *testing.T, role string) Program {
	t.Helper()
	prog := itself(role)
	from := must.Get(os.Open(prog.Path))(t)
	defer func() { _ = from.Close() }()
	prog.Path = filepath.Join(t.TempDir(), "plugin")
	must.Do(t, writeProgram(prog.Path, from))
	prog.SHA256 = must.Get(Hash(prog.Path))(t)
	return prog
}

// script writes a program in the language of the shell.
func script(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, writeProgram(path, strings.NewReader("#!/bin/sh\n"+text)))
}

// ways to start a plugin: with and without a guard.
func ways() map[string][]string {
	guard := itself("guard")
	return map[string][]string{"guarded": append([]string{guard.Path}, guard.Args...), "not guarded": nil}
}

func TestOnlyTheBytesThatWereAddedAreRun(t *testing.T) {
	for name, guard := range ways() {
		t.Run(name, func(t *testing.T) {
			emptyTemp(t)
			prog := pinnedCopy(t, "plugin")
			prog.Guard = guard
			p := must.Get(Launch(t.Context(), prog, Options{}))(t)
			must.Get(p.Describe(t.Context()))(t)
			must.Do(t, p.Close())

			must.Do(t, os.Remove(prog.Path))
			script(t, prog.Path, "exit 0")
			_, err := Launch(t.Context(), prog, Options{})
			if f := framework.AsFault(err); f == nil || f.Code != "plugin-changed" || f.Class != framework.Plugin ||
				!strings.HasSuffix(f.Details[0], prog.SHA256) || !strings.HasSuffix(f.Details[1], must.Get(Hash(prog.Path))(t)) {
				t.Errorf("%+v", f)
			}
			must.Do(t, os.Remove(prog.Path))
			if _, err = Launch(t.Context(), prog, Options{}); framework.AsFault(err) == nil || framework.AsFault(err).Code != "plugin-missing" {
				t.Error(err)
			}
		})
	}
}

func TestWhatIsNoFileIsNotCopied(t *testing.T) {
	emptyTemp(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o700)) // to which nobody writes
	large := filepath.Join(dir, "large")
	must.Do(t, os.WriteFile(large, nil, 0o700))
	must.Do(t, os.Truncate(large, mostProgram+1)) // of holes: it takes no room
	for path, says := range map[string]string{pipe: "it is not a file", large: "it has more than 2048 MiB"} {
		_, err := Launch(t.Context(), Program{Path: path, SHA256: strings.Repeat("0", 64)}, Options{})
		if f := framework.AsFault(err); f == nil || f.Code != "plugin-missing" || !strings.Contains(f.Summary, says) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestAProgramThatIsExchangedWhileItStartsIsNotRun exchanges it all the time.
func TestAProgramThatIsExchangedWhileItStartsIsNotRun(t *testing.T) {
	emptyTemp(t)
	prog := pinnedCopy(t, "plugin")
	dir := filepath.Dir(prog.Path)
	mark := filepath.Join(dir, "other-ran")
	script(t, filepath.Join(dir, "other"), "touch "+mark+"\n")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for away := filepath.Join(dir, "away"); ; {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(prog.Path, away)
			_ = os.Rename(filepath.Join(dir, "other"), prog.Path)
			_ = os.Rename(prog.Path, filepath.Join(dir, "other"))
			_ = os.Rename(away, prog.Path)
		}
	}()
	ran := 0
	for range 20 {
		p, err := Launch(t.Context(), prog, Options{})
		if err == nil {
			ran++
			must.Do(t, p.Close())
		} else if f := framework.AsFault(err); f == nil || f.Code != "plugin-changed" && f.Code != "plugin-missing" {
			t.Errorf("%v", err)
		}
	}
	close(stop)
	<-stopped
	if _, err := os.Stat(mark); err == nil {
		t.Errorf("the other program was run; that which was added ran %d times", ran)
	}
}

func TestAScriptRunsFromACopyWithTheFilesThatLieBesideIt(t *testing.T) {
	for name, guard := range ways() {
		t.Run(name, func(t *testing.T) {
			emptyTemp(t)
			dir, toy := t.TempDir(), itself("plugin")
			must.Do(t, os.WriteFile(filepath.Join(dir, "program"), []byte(toy.Path), 0o600))
			prog := Program{Name: "toy", Path: filepath.Join(dir, "start"), Args: toy.Args, Guard: guard}
			script(t, prog.Path, `exec "$(cat "$(dirname "$0")/program")" "$@"`+"\n")
			prog.SHA256 = must.Get(Hash(prog.Path))(t)
			p := must.Get(Launch(t.Context(), prog, Options{}))(t)
			must.Get(p.Describe(t.Context()))(t)
			must.Do(t, p.Close())
		})
	}
}

func TestAPluginHasNoFilesOpenButItsOwn(t *testing.T) {
	for name, guard := range ways() {
		t.Run(name, func(t *testing.T) {
			emptyTemp(t)
			path := filepath.Join(t.TempDir(), "secret")
			must.Do(t, os.WriteFile(path, nil, 0o600))
			fd := must.Get(syscall.Open(path, syscall.O_RDONLY, 0))(t) // stays open over an exec, as C libraries and shells have it
			defer func() { _ = syscall.Close(fd) }()
			prog := pinnedCopy(t, "plugin")
			prog.Guard = guard
			p := must.Get(Launch(t.Context(), prog, Options{}))(t)
			defer func() { must.Do(t, p.Close()) }()
			has := strings.Contains(strings.Join(openFiles(t, p.PID()), "\n"), path)
			if has == (guard != nil) {
				t.Errorf("it has: %v", openFiles(t, p.PID()))
			}
		})
	}
}

func TestAGuardSaysWhyAProgramCannotBeRun(t *testing.T) {
	emptyTemp(t)
	guard := ways()["guarded"]
	dir := t.TempDir()
	interpreter := filepath.Join(dir, "no-interpreter")
	must.Do(t, writeProgram(interpreter, strings.NewReader("#!/nowhere/at/all\n")))
	text := filepath.Join(dir, "text")
	must.Do(t, writeProgram(text, io.MultiReader(strings.NewReader("\x7fELF"))))
	for path, code := range map[string]string{interpreter: "not-a-plugin", text: "not-a-plugin"} {
		for _, sha := range []string{"", must.Get(Hash(path))(t)} {
			_, err := Launch(t.Context(), Program{Path: path, SHA256: sha, Guard: guard}, Options{})
			if f := framework.AsFault(err); f == nil || f.Code != code {
				t.Errorf("%s, pinned %v: %v", path, sha != "", err)
			}
		}
	}
}

// openFiles lists the files that a process has open.
func openFiles(t *testing.T, pid int) (all []string) {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	for _, e := range must.Get(os.ReadDir(dir))(t) {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
			all = append(all, to)
		}
	}
	return all
}
