package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// The path of a socket has little room: 103 bytes where there is the least, of
// which go-plugin takes two names of a word and up to 10 digits.
const (
	maxSocketPath = 103
	socketName    = len("/plugin-dir1234567890/plugin1234567890")
)

// socketParent returns where the socket's directory is made. (Windows has no
// /tmp, and uses TCP.)
func socketParent() string {
	dir := os.TempDir()
	if len(dir)+1+scratch.NameLength+socketName > maxSocketPath && filepath.IsAbs("/tmp") {
		return "/tmp"
	}
	return dir
}

// removeSocket removes the directory of the socket, which is needed only until
// both sides are connected.
func (r *runner) removeSocket() error {
	if r.scratch == nil {
		return nil
	}
	if r.dir != "" {
		if err := r.scratch.RemoveAll(r.dir); err != nil {
			return err
		}
	}
	d := r.scratch
	r.scratch = nil
	return d.Release()
}

// noSocket is the Fault of a start for which there is no place, file or process.
func (p *Process) noSocket(err error) error {
	f := framework.Faultf(framework.Internal, "plugin-start", "%s cannot be started: %v", p.title(), reason(err))
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
	case isShort(err):
		return f
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok { // such as in /proc
		f.Summary = fmt.Sprintf("%s cannot be started: nothing can be made in TMPDIR, %s: %v", p.title(), dir, reason(err))
		return f.WithWhere("TMPDIR").WithHint("set TMPDIR to a directory in which you may make files, such as /tmp")
	}
	return f
}

// isShort reports whether a process could not be started for want of open files,
// processes or memory.
func isShort(err error) bool {
	for _, short := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		if errors.Is(err, short) {
			return true
		}
	}
	return false
}

// reason leaves out of an error which call failed on which file of ours.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err
	}
	return err
}
