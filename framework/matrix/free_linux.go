//go:build !portable

package matrix

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// reserveStep is how much of a file is reserved by one call: a call that a
// signal interrupts may begin anew.
const reserveStep = 64 << 20

// reserve makes a file longer, from have to size bytes, and sees that there is
// room for them: a write into a mapping without room behind it would kill the
// process. The pages of a memory file are not taken before they are about to
// be written, which costs time and, for rows that never come, memory.
func reserve(f *os.File, inMemory bool, have, size int64) error {
	var disk unix.Statfs_t
	fd := int(f.Fd())
	err := unix.Fstatfs(fd, &disk)
	if inMemory || err == nil && disk.Type == unix.TMPFS_MAGIC { // which lives in memory too
		if free := memory.AvailableFor(size); size-have > free {
			return fmt.Errorf("only %s of memory are available", megabytes(free))
		}
	}
	if inMemory {
		return f.Truncate(size)
	}
	if err == nil && disk.Blocks > 0 && disk.Bfree < uint64(size-have)/uint64(disk.Bsize) {
		return unix.ENOSPC // at once, and not when the disk has been filled
	}
	for at := have; at < size; {
		step := min(reserveStep, size-at)
		err := unix.Fallocate(fd, 0, at, step)
		switch {
		case err == nil:
			at += step
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return f.Truncate(size) // this file system reserves nothing
		case !errors.Is(err, unix.EINTR):
			_ = f.Truncate(have)
			return err
		}
	}
	return nil
}
