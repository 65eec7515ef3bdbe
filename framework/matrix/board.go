package matrix

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Board is numbers that one process writes over again and again, and that another one reads:
// the costs of labels, for a set of labels that a plugin serves, or what a plugin sends of the rows.
type Board struct {
	// Numbers are in a memory file whose size nobody can change, so that no other process
	// can take them away while they are used. They are nil where there is none: Write writes
	// to a file, then.
	Numbers []float64

	n      int
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
	return newBoard(n, size, dir, fits(0, size))
}

func newBoard(n int, size int64, dir string, memory bool) (*Board, error) {
	file, inMemory, err := create(memory, dir)
	if err != nil {
		return nil, err
	}
	b := &Board{n: n, file: file}
	if err = reserve(file, inMemory, 0, size); err == nil && inMemory {
		err = b.mapIn(size)
	}
	if err != nil {
		_ = b.Close()
		return nil, b.noRoom(err)
	}
	return b, nil
}

// mapIn maps a memory file, whose size stays from then on.
func (b *Board) mapIn(size int64) (err error) {
	if err = sealSize(b.file); err != nil {
		return err
	}
	if b.mapped, err = mapFile(b.file, size, true); err != nil {
		return err
	}
	b.Numbers = numbers(b.mapped.bytes)[:b.n]
	return nil
}

func (b *Board) noRoom(err error) error {
	return framework.Faultf(framework.Internal, "no-room", "there is no room for %s to share with a plugin", megabytes(int64(b.n)*8)).
		WithCause(err)
}

// Write writes all numbers, which others then see.
func (b *Board) Write(all []float64) error {
	if len(all) != b.n {
		panic(fmt.Sprintf("matrix: %d numbers for a board of %d", len(all), b.n))
	}
	if b.n == 0 || copy(b.Numbers, all) == b.n {
		return nil
	}
	if _, err := b.file.WriteAt(unsafe.Slice((*byte)(unsafe.Pointer(&all[0])), 8*b.n), 0); err != nil {
		return b.noRoom(err)
	}
	return nil
}

// Path is where another process finds the board, until it is closed.
func (b *Board) Path() string { return pathOf(b.file) }

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
