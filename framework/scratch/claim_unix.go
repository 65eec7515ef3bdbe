//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !portable

package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// errTaken says that another process has the directory, or has removed it.
var errTaken = errors.New("another process has it")

// claim locks a directory until the file that it returns is closed. No process
// that this one starts inherits the file.
func claim(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errTaken
	}
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errTaken
	case err != nil: // network file systems may have no locks for directories
		err = fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	default:
		var locked, named os.FileInfo
		locked, err = f.Stat()
		if named, _ = os.Lstat(path); err == nil && (named == nil || !os.SameFile(locked, named)) {
			err = errTaken // removed before it was locked
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// isOwn reports whether a file is this user's, and closed to all others.
func isOwn(info os.FileInfo) bool {
	of, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(of.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
