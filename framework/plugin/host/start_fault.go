package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// startFault says why a process did not start.
func (p *Process) startFault(err error, timedOut, crashed bool) error {
	r := p.runner
	if isShortage(r.startErr) {
		return p.systemFault(r.startErr)
	}
	if r.startErr != nil {
		return p.missingFault(r.path, r.startErr, true)
	}
	if !r.started() && !timedOut { // nothing to do with the plugin
		return p.systemFault(err)
	}
	found, core, version, said := r.handshake.seen()
	switch {
	case found && (core != goplugin.CoreProtocolVersion || version != wire.Version):
		f := framework.Faultf(framework.Plugin, "plugin-version", "%s speaks version %d.%d of the plugin protocol, and sqlcluster %d.%d",
			p.title(), core, version, goplugin.CoreProtocolVersion, wire.Version)
		return f.WithWhere("%s", r.path).WithHint("build the plugin with the version of sqlcluster in use")
	case timedOut:
		f := framework.Faultf(framework.Plugin, "plugin-start-timeout", "%s was not ready after %v", p.title(), p.opts.StartTimeout)
		f.Details = slices.Concat(said, r.stderr.lastWords())
		return f.WithWhere("%s", r.path).WithHint("check that this program is a sqlcluster plugin")
	case crashed && (found || r.stderr.panicked() || !r.cmd.ProcessState.Exited()):
		return p.crashFault("its start").WithWhere("%s", r.path)
	}
	how := "it printed no handshake"
	if crashed {
		how = fmt.Sprintf("it ended with %s", r.ended())
	} else if found {
		how = fmt.Sprintf("it does not answer: %v", err)
	}
	f := framework.Faultf(framework.Plugin, "not-a-plugin", "%s is not a sqlcluster plugin: %s", p.name, how)
	f.Details = slices.Concat(said, r.stderr.lastWords())
	return f.WithWhere("%s", r.path).WithHint("check that this program is a sqlcluster plugin")
}

// missingFault is the Fault of a program that cannot be executed. tried says that it was
// there when that was tried.
func (p *Process) missingFault(path string, err error, tried bool) error {
	why := err.Error()
	code := "plugin-missing"
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		why = "there is no such program"
		if _, found := os.Stat(path); tried && found == nil {
			code, why = "not-a-plugin", "the program that its first line asks for, or its loader, does not exist"
		}
	case errors.Is(err, fs.ErrPermission):
		why = "the file is not executable"
	case errors.Is(err, syscall.ENOEXEC):
		code, why = "not-a-plugin", "the file is not a program for this machine"
	}
	return framework.Faultf(framework.Plugin, code, "%s cannot be started: %s", p.title(), why).
		WithWhere("%s", path).WithHint("check that this is the plugin's program, and that it may be run")
}

// systemFault is the Fault of a start that failed because of the system: a
// directory, open files, processes or memory.
func (p *Process) systemFault(err error) error {
	f := framework.Faultf(framework.Internal, "plugin-start", "%s cannot be started: %v", p.title(), cause(err))
	dir := socketParent()
	info, stat := os.Stat(dir)
	switch {
	case errors.Is(stat, fs.ErrNotExist):
		f.Summary = p.title() + " cannot be started: TMPDIR names a directory that does not exist, " + dir
		return f.WithWhere("TMPDIR").WithHint("set TMPDIR to a directory that exists")
	case stat == nil && !info.IsDir():
		f.Summary = p.title() + " cannot be started: TMPDIR names a file, not a directory, " + dir
		return f.WithWhere("TMPDIR").WithHint("set TMPDIR to a directory")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS),
		strings.Contains(err.Error(), "permission denied"): // go-plugin does not wrap it
		return f.WithWhere("TMPDIR").WithHint("set TMPDIR to a directory that you can write to; it is %s", dir)
	case errors.Is(err, syscall.ENOSPC):
		return f.WithWhere("TMPDIR").WithHint("make room there, or set TMPDIR to another directory; it is %s", dir)
	case isShortage(err):
		return f
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok { // such as in /proc
		f.Summary = fmt.Sprintf("%s cannot be started: nothing can be made in TMPDIR, %s: %v", p.title(), dir, cause(err))
		return f.WithWhere("TMPDIR").WithHint("set TMPDIR to a directory in which you may make files, such as /tmp")
	}
	return f
}

// isShortage reports whether the system has too few open files, processes or memory.
func isShortage(err error) bool {
	for _, short := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		if errors.Is(err, short) {
			return true
		}
	}
	return false
}

// cause returns an error without the call and the file that it concerns.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}
