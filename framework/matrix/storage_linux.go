//go:build !portable

package matrix

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// SharesMemory tells whether several processes see what one of them writes to a Board.
const SharesMemory = true

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
	if f := nameless(dir); f != nil {
		return f, false, nil
	}
	f, err := os.CreateTemp(dir, "sqlcluster-*.rows")
	if err != nil {
		return nil, false, err
	}
	return f, false, os.Remove(f.Name())
}

// nameless returns a file that never had a name, which a process that is killed
// could leave, or nil where the file system has none.
func nameless(dir string) *os.File {
	if dir == "" {
		dir = os.TempDir()
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), filepath.Join(dir, "sqlcluster.rows"))
}

// dispose ends a file that create has made, and with it what is in it.
func dispose(f *os.File) error { return f.Close() }

// seals make a memory file unchangeable for good.
const seals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

func seal(f *os.File) error {
	err := error(unix.EBUSY)
	for range sealTries {
		if _, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); !errors.Is(err, unix.EBUSY) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("seal the matrix: %w", err)
	}
	return nil
}

// sealTries is how often the kernel is asked while it holds a page for another process. It waits for a while each time.
const sealTries = 4

// fixed are the seals of a memory file whose size stays.
const fixed = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// sealSize makes the size of a memory file unchangeable for good.
func sealSize(f *os.File) error {
	_, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, fixed)
	return err
}

// checkSize refuses a memory file that could shrink.
func checkSize(f *os.File) error {
	got, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	switch {
	case errors.Is(err, unix.EINVAL) || err == nil && got == unix.F_SEAL_SEAL:
		return nil // an ordinary file, as for checkSeals
	case err == nil && got&fixed != fixed:
		return errors.New("its memory file may change its size")
	}
	return err
}

// checkSeals refuses a memory file that is not sealed, and reports whether it is
// a memory file. Other files have no seals, which the kernel says with EINVAL.
func checkSeals(f *os.File) (inMemory bool, err error) {
	got, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0)
	if errors.Is(err, unix.EINVAL) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if got == unix.F_SEAL_SEAL {
		return false, nil // an ordinary file of a memory file system, which cannot be sealed
	}
	if got&seals != seals {
		return false, errors.New("its memory file is not sealed")
	}
	return true, nil
}

// pathOf returns a path by which another process of this user opens f.
func pathOf(f *os.File) string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd()) }

// A mapping is a file in memory; without bytes, none.
type mapping struct{ bytes []byte }

func mapFile(f *os.File, size int64, write bool) (mapping, error) {
	if size == 0 {
		return mapping{}, nil
	}
	if size > math.MaxInt {
		return mapping{}, fmt.Errorf("map %d bytes: too large for this machine", size)
	}
	prot := unix.PROT_READ
	if write {
		prot |= unix.PROT_WRITE
	}
	m, err := memory.Map(int(f.Fd()), int(size), prot)
	if err != nil {
		return mapping{}, fmt.Errorf("map %d bytes: %w", size, err)
	}
	return mapping{m}, nil
}

// leave takes the pages of a large mapping from this process, on all threads: unmapping does
// the same on one. What is in the file stays there.
func (m mapping) leave() {
	if len(m.bytes) < 2*leavePiece {
		return
	}
	pieces := (len(m.bytes) + leavePiece - 1) / leavePiece
	_ = parallel.Each(context.Background(), parallel.Processors(), pieces, func(_, i int) {
		_ = unix.Madvise(m.bytes[i*leavePiece:min((i+1)*leavePiece, len(m.bytes))], unix.MADV_DONTNEED)
	})
}

// leavePiece is how much of a mapping is worth a call.
const leavePiece = 64 << 20

// touch makes the pages of a memory file present, to be read: a fault for each takes longer. It
// is an advice, which kernels before 5.14 do not know. Of many pages this goes on beside what
// the caller does, until stop is called; stop is nil if nothing does. Pieces are small, since
// what else changes the memory of the process waits for the one in hand.
func (m mapping) touch() (stop func()) {
	const piece, atOnce = 1 << 20, 8 << 20
	var stopped atomic.Bool
	all := func() {
		for at := 0; at < len(m.bytes) && !stopped.Load(); at += piece {
			if unix.Madvise(m.bytes[at:min(at+piece, len(m.bytes))], unix.MADV_POPULATE_READ) != nil {
				return
			}
		}
	}
	if len(m.bytes) <= atOnce { // in less than a millisecond
		all()
		return nil
	}
	end := make(chan struct{})
	go func() {
		defer close(end)
		all()
	}()
	return func() {
		stopped.Store(true)
		<-end
	}
}

func (m *mapping) unmap() error {
	if m.bytes == nil {
		return nil
	}
	m.leave()
	bytes := m.bytes
	m.bytes = nil
	return memory.Unmap(bytes)
}
