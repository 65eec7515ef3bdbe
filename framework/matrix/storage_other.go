//go:build !linux

package matrix

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"unsafe"
)

// create returns a new private file in dir; this system has no memory files.
// It keeps its name, because another process opens it by that.
func create(_ bool, dir string) (*os.File, bool, error) {
	f, err := os.CreateTemp(dir, "sqlcluster-*.rows")
	return f, false, err
}

func seal(*os.File) error       { return errors.New("this system has no memory files") }
func checkSeals(*os.File) error { return nil }

// pathOf returns the file's name.
func pathOf(f *os.File) string { return f.Name() }

// mapped remembers the file of each mapping that is written back.
var writeBack = map[*byte]*os.File{}

// mapFile reads the file into memory: a portable stand-in for a mapping.
func mapFile(f *os.File, size int64, write bool) ([]byte, error) {
	if size > math.MaxInt-8 {
		return nil, fmt.Errorf("read %d bytes: too large for this machine", size)
	}
	if size == 0 {
		return nil, nil
	}
	words := make([]float64, (size+7)/8)
	m := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
	if _, err := f.ReadAt(m, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if write {
		writeBack[&m[0]] = f
	}
	return m, nil
}

func unmap(m []byte) error {
	if len(m) == 0 {
		return nil
	}
	f, ok := writeBack[&m[0]]
	if !ok {
		return nil
	}
	delete(writeBack, &m[0])
	_, err := f.WriteAt(m, 0)
	return err
}

func availableMemory() int64 { return math.MaxInt64 }
