//go:build !portable

package matrix

import (
	"context"
	"os"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// ahead is a file that has been mapped before Open; nil: none.
var ahead atomic.Pointer[mappedAhead]

type mappedAhead struct {
	mapping
	file  os.FileInfo
	stop  atomic.Bool
	ended chan struct{} // closed when nothing reads the mapping any more
}

// MapAhead maps the file of rows that Open is about to be called for, read-only, and reads a byte of each page, since the
// first touch takes time in a virtual machine. It goes on until all have been read, Open is called, or ctx is cancelled.
// The rows may still change. It saves time, and changes nothing else: a file that is missing or too short is ignored.
func MapAhead(ctx context.Context, path string, rows, cols int) {
	size, err := bytesOf(rows, cols)
	if err != nil || size == 0 || ctx.Err() != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // it may be another file by now
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // the mapping stays
	info, err := f.Stat()
	if err != nil || info.Size() < size {
		return
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0); err != nil {
		return // no memory file
	}
	m, err := mapFile(f, size, false)
	if err != nil {
		return
	}
	a := &mappedAhead{mapping: m, file: info, ended: make(chan struct{})}
	ahead.Swap(a).end()
	a.read(ctx)
}

// read reads a byte of each page.
func (a *mappedAhead) read(ctx context.Context) {
	defer close(a.ended)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if _, fault := r.(interface{ Addr() uintptr }); r != nil && !fault { // but if the file has become shorter
			panic(r)
		}
	}()
	const piece = 1 << 20
	page, sum := os.Getpagesize(), byte(0)
	for at := 0; at < len(a.bytes) && !a.stop.Load() && ctx.Err() == nil; at += piece {
		part := a.bytes[at:min(at+piece, len(a.bytes))]
		_ = unix.Madvise(part, unix.MADV_POPULATE_READ) // takes less time than a fault for each
		for i := 0; i < len(part); i += page {
			sum += part[i]
		}
	}
	if sum != 0 {
		a.stop.Store(true) // so that the bytes have a use
	}
}

// DropAhead unmaps what MapAhead has mapped, unless Open has taken it.
func DropAhead() { ahead.Swap(nil).end() }

// end unmaps what nobody has opened.
func (a *mappedAhead) end() {
	if a != nil {
		a.stop.Store(true)
		<-a.ended
		_ = a.unmap() // read-only: nothing can be lost
	}
}

// takeAhead returns the mapping of a file that has been mapped ahead, of so many bytes, and of none if it has not been.
func takeAhead(file os.FileInfo, size int64) mapping {
	a := ahead.Swap(nil)
	if a == nil || !os.SameFile(a.file, file) || int64(len(a.bytes)) != size {
		a.end()
		return mapping{}
	}
	a.stop.Store(true)
	<-a.ended
	return a.mapping
}
