package matrix

import (
	"fmt"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Board is numbers that one process writes over again and again, and that another one reads:
// the costs of labels, for a set of labels that a plugin serves, or what a plugin sends of the rows.
type Board struct {
	Numbers []float64 // to be written

	file   *os.File
	mapped mapping
}

// NewBoard returns a board of n zeros: in memory where there is room, or else in a file
// of dir ("": the system's directory for temporary files). It must be closed.
func NewBoard(n int, dir string) (*Board, error) {
	size, err := bytesOf(max(n, 1), 1)
	if err != nil {
		return nil, err
	}
	file, inMemory, err := create(fits(0, size), dir)
	if err != nil {
		return nil, err
	}
	b := &Board{file: file}
	if err = reserve(file, inMemory, 0, size); err == nil && inMemory {
		err = sealSize(file)
	}
	if err == nil {
		b.mapped, err = mapFile(file, size, true)
	}
	if err != nil {
		_ = b.Close()
		return nil, framework.Faultf(framework.Internal, "no-room", "there is no room for %s to share with a plugin", megabytes(size)).WithCause(err)
	}
	b.Numbers = numbers(b.mapped.bytes)[:n]
	return b, nil
}

// Path is where another process finds the board, until it is closed.
func (b *Board) Path() string { return pathOf(b.file) }

// Show makes what has been written visible to others.
func (b *Board) Show() error { return b.mapped.flush() }

// Close frees the memory; Numbers must not be used any more.
func (b *Board) Close() error {
	b.Numbers = nil
	err := b.mapped.unmap()
	if disposed := dispose(b.file); err == nil {
		err = disposed
	}
	return err
}

// ReadBoard returns the n numbers that another process has written, read-only, until
// done is called. It refuses a file that has fewer, or a memory file that could still
// shrink.
func ReadBoard(path string, n int) (all []float64, done func() error, err error) {
	return openBoard(path, n, false)
}

// OpenBoard is ReadBoard of numbers that may be written, too, where SharesMemory: the process
// that made the board sees them.
func OpenBoard(path string, n int) (all []float64, done func() error, err error) {
	return openBoard(path, n, true)
}

func openBoard(path string, n int, write bool) (all []float64, done func() error, err error) {
	bad := func(format string, args ...any) error {
		return framework.Faultf(framework.Plugin, "bad-data-handle", "the shared numbers cannot be used: %s", fmt.Sprintf(format, args...))
	}
	size, err := bytesOf(max(n, 1), 1)
	if err != nil {
		return nil, nil, err
	}
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, nil, bad("%v", err)
	}
	defer func() { _ = file.Close() }() // the mapping stays
	info, err := file.Stat()
	if err == nil && info.Size() < size {
		err = fmt.Errorf("the file has %d bytes, but %d are needed", info.Size(), size)
	}
	if err == nil {
		err = checkSize(file)
	}
	var m mapping
	if err == nil {
		m, err = mapFile(file, size, write)
	}
	if err != nil {
		return nil, nil, bad("%v", err)
	}
	return numbers(m.bytes)[:n:n], m.unmap, nil
}
