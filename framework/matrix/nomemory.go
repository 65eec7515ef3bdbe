package matrix

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// noMemory is the Fault for a matrix that there is no room for.
func (w *words) noMemory(size int64, err error) *framework.Fault {
	f := framework.Faultf(framework.Internal, "no-storage", "cannot reserve %s for the matrix: %v", megabytes(size), reason(err))
	if w.memory {
		return f.WithHint("keep it in a file (%s), or read fewer rows or columns", framework.SettingTo("storage", "file"))
	}
	return f.WithHint("%s", w.roomHint(size))
}

// checkMost refuses what a NoFile has no room for.
func (w *words) checkMost(size int64) error {
	most := w.options.Most
	if most == 0 {
		most = math.MaxInt64
	}
	if size <= most && size-w.room() <= memory.AvailableFor(size) {
		return nil
	}
	f := framework.Faultf(framework.Data, "no-storage", "the matrix needs %s of memory", megabytes(size))
	if size > most {
		return f.WithHint("the limit is %s: raise memory_limit, or read fewer rows or columns", megabytes(most))
	}
	return f.WithHint("there is less: read fewer rows or columns")
}

// noFile is the Fault of a matrix whose file cannot be made.
func (w *words) noFile(size int64, err error) *framework.Fault {
	return framework.Faultf(framework.Internal, "no-storage", "cannot create the file of the matrix: %v", err).
		WithHint("%s", w.roomHint(size))
}

// roomHint says where a file of the given size was to go.
func (w *words) roomHint(size int64) string {
	dir := w.options.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s does not exist; set TMPDIR to a directory with at least %s free", dir, megabytes(size))
	case err == nil && !info.IsDir():
		return fmt.Sprintf("%s is a file; set TMPDIR to a directory with at least %s free", dir, megabytes(size))
	}
	return fmt.Sprintf("it was to go to %s; set TMPDIR to a directory with at least %s free", dir, megabytes(size))
}

// reason leaves out of an error which call failed on which file.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// megabytes writes a size for people, rounded up.
func megabytes(size int64) string {
	const mb = 1_000_000
	return fmt.Sprintf("%d MB", size/mb+min(1, size%mb))
}

// AvailableMemory returns the bytes that this process can still get: what the
// machine has left, or what its control groups allow. It is the largest number
// where the system does not tell.
func AvailableMemory() int64 { return memory.Available() }

// fits reports whether size bytes, some of which are there already, should be
// kept in memory.
func fits(have, size int64) bool { return size-have <= memory.AvailableFor(size)/2 }
