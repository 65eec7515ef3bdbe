//go:build unix && (!linux || portable)

package host

import (
	"os"
	"strconv"
	"syscall"
)

// guarded returns the guard, which can be used here.
func guarded(guard []string) []string { return guard }

// closeOnExec makes all files from a number on end with an exec.
func closeOnExec(from int) {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= from {
			syscall.CloseOnExec(fd)
		}
	}
}

func execute(path string, args, env []string) error { return syscall.Exec(path, args, env) }

// CloseInherited does nothing here.
func CloseInherited() {}
