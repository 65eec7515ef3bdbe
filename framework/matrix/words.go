package matrix

import (
	"os"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// words are the cells of a matrix, or other numbers, that become more while they are
// read: in plain memory as long as they are few, then in a memory file, and in a private
// file once they do not fit into half of the memory that is available.
type words struct {
	plain   []float64 // all of them, if there is no file
	file    *os.File
	memory  bool    // file is a memory file
	mapped  mapping // the whole file, writable
	options Options
}

// reserve makes room for need bytes, and for half as much again as there was, if there
// is room for that.
func (w *words) reserve(need int64) error {
	have := w.room()
	if need <= have {
		return nil
	}
	err := w.grow(max(need, have+have/2))
	if framework.AsFault(err) != nil {
		err = w.grow(need)
	}
	return err
}

// room returns for how many bytes there is room.
func (w *words) room() int64 { return int64(len(w.plain)*8 + len(w.mapped.bytes)) }

// grow makes room for size bytes. It moves what is more than a little out of plain
// memory, and what no longer fits into memory to a file. When there is no room for it,
// all stays as it is.
func (w *words) grow(size int64) error {
	o := w.options
	if w.file == nil && o.small(size) {
		w.growPlain(size)
		return nil
	}
	if o.Storage == NoFile {
		if err := w.checkMost(size); err != nil {
			return err
		}
	}
	if w.file != nil && (!w.memory || o.Storage != Auto || fits(w.room(), size)) {
		return w.resize(size)
	}
	to := words{options: o}
	var err error
	inMemory := w.file == nil && (o.Storage != File && o.Storage != Auto || o.Storage == Auto && fits(0, size))
	if to.file, to.memory, err = create(inMemory, o.Dir); err != nil {
		return to.noFile(size, err)
	}
	if err := to.resize(size); err != nil {
		_ = to.free() // the first error counts
		return err
	}
	copy(to.cells(), w.cells())
	old := *w
	*w = to
	return old.free()
}

// growPlain is grow in plain memory.
func (w *words) growPlain(size int64) {
	rows := make([]float64, size/8)
	copy(rows, w.plain)
	w.plain = rows
}

// cut makes the room size bytes, which may be less than there is.
func (w *words) cut(size int64) error {
	if w.file != nil && size <= w.room() {
		return w.resize(size)
	}
	return w.grow(size)
}

// resize gives the file a size, and maps it.
func (w *words) resize(size int64) error {
	have := int64(len(w.mapped.bytes))
	if size > have {
		if err := reserve(w.file, w.memory, have, size); err != nil {
			return w.noMemory(size, err)
		}
	}
	if err := w.mapped.unmap(); err != nil {
		return w.noMemory(have, err)
	}
	if size < have {
		if err := w.file.Truncate(size); err != nil {
			return err
		}
	}
	var err error
	w.mapped, err = mapFile(w.file, size, true)
	return err
}

// cells returns all that there is room for.
func (w *words) cells() []float64 {
	if w.file == nil {
		return w.plain
	}
	return numbers(w.mapped.bytes)
}

// provide gets the memory of some cells that are about to be written from the system.
func (w *words) provide(cells []float64) {
	switch {
	case w.file == nil || w.memory:
		memory.Provide(cells)
	case len(cells) <= mostOnDisk:
		memory.ProvideSmall(cells)
	}
}

// mostOnDisk is how many cells of a private file are provided at most. More of them would
// go to the disk before they are written, where memory is scarce.
const mostOnDisk = 2 << 20

// sealed ends writing: the file of w, which nobody can change any more if it is one in memory, or
// can open to be written by mistake if it is another.
func (w *words) sealed() (*os.File, error) {
	size := w.room()
	if err := w.mapped.unmap(); err != nil {
		return nil, w.noMemory(size, err)
	}
	if w.memory {
		if err := seal(w.file); err != nil {
			return nil, err
		}
	} else {
		_ = w.file.Chmod(0o400) // which not every file system can do
	}
	file := w.file
	w.file = nil
	return file, nil
}

// free ends the memory and the file. It may be called more than once.
func (w *words) free() error {
	w.plain = nil
	err := w.mapped.unmap()
	if w.file != nil {
		if disposed := dispose(w.file); err == nil {
			err = disposed
		}
		w.file = nil
	}
	return err
}

// wordsOf returns the memory of words as n other numbers.
func wordsOf[T int32 | int64](words []float64, n int) []T {
	if n == 0 || len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&words[0])), n)
}

func numbers(bytes []byte) []float64 {
	if len(bytes) < 8 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&bytes[0])), len(bytes)/8)
}
