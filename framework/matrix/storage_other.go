//go:build !linux || portable

package matrix

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"
)

// With the build tag portable this is what Linux uses too, for tests.

// SharesMemory tells whether several processes see what one of them writes to a Board.
const SharesMemory = false

// create returns a new private file in dir; this system has no memory files.
// It keeps its name, because another process opens it by that, until dispose.
func create(_ bool, dir string) (*os.File, bool, error) {
	f, err := os.CreateTemp(dir, "sqlcluster-*.rows")
	return f, false, err
}

func seal(*os.File) error                            { return errors.New("this system has no memory files") }
func sealSize(*os.File) error                        { return nil }
func checkSize(*os.File) error                       { return nil }
func checkSeals(*os.File) (inMemory bool, err error) { return false, nil }

// pathOf returns the file's name.
func pathOf(f *os.File) string { return f.Name() }

// dispose ends a file that create has made, and removes it.
func dispose(f *os.File) error {
	err := f.Close()
	if removed := os.Remove(f.Name()); err == nil {
		err = removed
	}
	return err
}

// reserve makes a file longer. Here writing to it may fail later on, which is an
// error like any other.
func reserve(f *os.File, _ bool, _, size int64) error { return f.Truncate(size) }

// A mapping is the content of a file; without bytes, none.
type mapping struct {
	bytes []byte
	back  *os.File // where it is written in the end; nil: nowhere
}

// mapFile reads the file into memory: a portable stand-in for a mapping.
func mapFile(f *os.File, size int64, write bool) (mapping, error) {
	if size > math.MaxInt-8 {
		return mapping{}, fmt.Errorf("read %d bytes: too large for this machine", size)
	}
	if size == 0 {
		return mapping{}, nil
	}
	words := make([]float64, (size+7)/8)
	m := mapping{bytes: unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)}
	if _, err := f.ReadAt(m.bytes, 0); err != nil && !errors.Is(err, io.EOF) {
		return mapping{}, err
	}
	if write {
		m.back = f
	}
	return m, nil
}

func (m *mapping) unmap() error {
	bytes, back := m.bytes, m.back
	*m = mapping{}
	if back == nil {
		return nil
	}
	_, err := back.WriteAt(bytes, 0)
	return err
}

// touch has nothing to do here.
func (m mapping) touch() (stop func()) { return nil }
