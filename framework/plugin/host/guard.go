package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// A plugin is to have no file open but its own: not those of the shell that started
// the host, nor those that C libraries in the host open without saying that they end
// with an exec, maybe while the plugin is started. So the host's program, in a process
// of its own, closes them, and then becomes the plugin.

// The numbers of the files that a plugin and its guard get, behind the standard ones.
const (
	lifelineFile = 3 + iota // the plugin's end of the lifeline
	statusFile              // gets the number of the error if the program cannot be run
	imageFile               // the program, if it is in memory
)

// ownFiles is the directory of the files that a process has open.
const ownFiles = "/proc/self/fd"

// Guard turns this process into a plugin: a program whose arguments begin with those
// of Program.Guard calls it with the ones behind, and nothing else. It does not return.
func Guard(args []string) {
	status := os.NewFile(statusFile, "status")
	err := error(syscall.EINVAL)
	if len(args) >= 2 {
		closeOnExec(statusFile)
		err = execute(args[0], args[1:], os.Environ())
	}
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		_, _ = fmt.Fprint(status, int(no))
	}
	os.Exit(127)
}

// command returns what is started, without its variables.
func (r *runner) command() *exec.Cmd {
	target := r.path
	switch {
	case r.image.path != "":
		target = r.image.path
	case r.image.file != nil && r.guard == nil:
		target = fmt.Sprintf("%s/%d", ownFiles, r.image.file.Fd())
	case r.image.file != nil:
		target = fmt.Sprintf("%s/%d", ownFiles, imageFile)
	}
	if r.guard == nil {
		c := exec.Command(target, r.args...)
		c.Args[0] = r.path
		return c
	}
	args := append(append([]string(nil), r.guard[1:]...), target, r.path)
	return exec.Command(r.guard[0], append(args, r.args...)...)
}

// watchGuard gives the guard its files. What it returns is to be called when the process
// has been started; it returns when the guard has become the program, or why it has not.
func (r *runner) watchGuard() (executed func() error, err error) {
	executed = func() error { return nil }
	if r.guard == nil {
		return executed, nil
	}
	from, to, err := os.Pipe()
	if err != nil {
		return executed, err
	}
	r.cmd.ExtraFiles = append(r.cmd.ExtraFiles, to)
	if r.image.file != nil {
		r.cmd.ExtraFiles = append(r.cmd.ExtraFiles, r.image.file)
	}
	return func() error {
		_ = to.Close()
		defer func() { _ = from.Close() }()
		text, err := io.ReadAll(from)
		if no, bad := strconv.Atoi(string(text)); err == nil && bad == nil {
			return syscall.Errno(no)
		}
		return err
	}, nil
}
