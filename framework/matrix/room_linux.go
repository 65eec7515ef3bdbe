//go:build !portable

package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reserveStep is how much of a file is reserved by one call: a call that a
// signal interrupts may begin anew.
const reserveStep = 64 << 20

// reserve makes a file longer, from have to size bytes, and sees that there is
// room for them: a write into a mapping for which there is none would kill the
// process. The pages of a memory file are not taken before they are written,
// which costs time and, for rows that never come, memory.
func reserve(f *os.File, memory bool, have, size int64) error {
	if memory {
		if free := availableMemory(); size-have > free {
			return fmt.Errorf("only %s of memory are available", megabytes(free))
		}
		return f.Truncate(size)
	}
	fd := int(f.Fd())
	var disk unix.Statfs_t
	if err := unix.Fstatfs(fd, &disk); err == nil && disk.Blocks > 0 && disk.Bfree < uint64(size-have)/uint64(disk.Bsize) {
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

// availableMemory returns the bytes that this process can still get: what the
// machine has left, or what its control group allows, whichever is less.
func availableMemory() int64 {
	available := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range bytes.Lines(text) {
			if rest, ok := bytes.CutPrefix(line, []byte("MemAvailable:")); ok {
				if kb, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64); err == nil {
					available = kb << 10
				}
			}
		}
	}
	for _, group := range []struct{ limit, used, stat string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat"},
	} {
		limit, used := readNumber(group.limit), readNumber(group.used)
		if limit > 0 {
			available = min(available, max(0, limit-max(0, used-fileCache(group.stat))))
		}
	}
	return available
}

// fileCache returns the bytes of a control group that the kernel gives back when
// they are needed: copies of files.
func fileCache(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	var cache int64
	for line := range bytes.Lines(text) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(line), []byte{' '})
		if string(name) != "active_file" && string(name) != "inactive_file" {
			continue
		}
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			cache += n
		}
	}
	return cache
}

// readNumber returns the number in a file, or −1.
func readNumber(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return -1
	}
	v, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil {
		return -1
	}
	return v
}
