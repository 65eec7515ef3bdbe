//go:build !portable

package host

import (
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// closeOnExec makes all files from a number on end with an exec.
func closeOnExec(from int) {
	if unix.CloseRange(uint(from), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	for fd := from; fd < 1<<16; fd++ { // before Linux 5.11
		syscall.CloseOnExec(fd)
	}
}

// CloseInherited closes the files that this process has from the one that started it,
// but for the standard ones and the lifeline. It is for the beginning of a program that
// serves a plugin without a guard. Files that Go opens end with an exec: these do not.
func CloseInherited() {
	entries, err := os.ReadDir(ownFiles)
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= lifelineFile {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

// guarded returns the guard, which can be used here.
func guarded(guard []string) []string { return guard }

func execute(path string, args, env []string) error { return syscall.Exec(path, args, env) }
