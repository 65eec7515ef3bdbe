package process

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// CheckLimits refuses limits with which no fit can run.
func CheckLimits() error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil {
		if err := addressFault(limit.Cur); err != nil {
			return err
		}
	}
	const many = 4096 // above this the threads are not counted
	if os.Geteuid() == 0 || unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil || limit.Cur > many {
		return nil
	}
	return threadFault(limit.Cur, threads(os.Getuid()), runtime.NumCPU())
}

// threads counts the threads of a user, as far as they can be seen.
func threads(user int) int {
	tasks, _ := filepath.Glob("/proc/[0-9]*/task")
	count := 0
	for _, path := range tasks {
		info, err := os.Stat(path)
		if err != nil {
			continue // it has ended
		}
		if of, ok := info.Sys().(*syscall.Stat_t); ok && int(of.Uid) == user {
			count += int(of.Nlink) - 2 // each thread is a directory in it
		}
	}
	return count
}
