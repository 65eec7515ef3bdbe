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

// create returns a new empty file that no other process can find by name: a
// memory file, or an unlinked one in dir.
func create(memory bool, dir string) (*os.File, bool, error) {
	if memory {
		fd, err := unix.MemfdCreate("sqlcluster", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err == nil {
			return os.NewFile(uintptr(fd), "sqlcluster"), true, nil
		}
		if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
			return nil, false, err
		}
	}
	f, err := os.CreateTemp(dir, "sqlcluster-*.rows")
	if err != nil {
		return nil, false, err
	}
	return f, false, os.Remove(f.Name())
}

// seals of a memory file that nobody can change any more.
const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

func seal(f *os.File) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		return fmt.Errorf("seal the matrix: %w", err)
	}
	return nil
}

// checkSeals refuses a memory file that is not sealed. Other files have no
// seals, which the kernel says with EINVAL.
func checkSeals(f *os.File) error {
	got, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	if errors.Is(err, unix.EINVAL) {
		return nil
	}
	if err != nil {
		return err
	}
	if got == unix.F_SEAL_SEAL {
		return nil // an ordinary file of a memory file system, which cannot be sealed
	}
	if got&seals != seals {
		return errors.New("its memory file is not sealed")
	}
	return nil
}

// pathOf returns a path by which another process of this user opens f.
func pathOf(f *os.File) string {
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
}

func mapFile(f *os.File, size int64, write bool) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if size > math.MaxInt {
		return nil, fmt.Errorf("map %d bytes: too large for this machine", size)
	}
	prot := unix.PROT_READ
	if write {
		prot |= unix.PROT_WRITE
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(size), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", size, err)
	}
	return m, nil
}

func unmap(m []byte) error {
	if m == nil {
		return nil
	}
	return unix.Munmap(m)
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
	for _, group := range []struct{ limit, used string }{
		{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
		{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"},
	} {
		limit, used := readNumber(group.limit), readNumber(group.used)
		if limit > 0 {
			available = min(available, max(0, limit-max(0, used)))
		}
	}
	return available
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
