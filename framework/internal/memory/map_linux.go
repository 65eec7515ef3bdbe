//go:build !portable

package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of a file, one at least, for all processes that map it. Huge pages of a memory file
// are huge ones of the mapping too, since they begin at multiples of their size in both.
func Map(fd, size, prot int) ([]byte, error) {
	flags, at := unix.MAP_SHARED, reserved(uintptr(size))
	if at != nil {
		flags |= unix.MAP_FIXED
	}
	first, err := unix.MmapPtr(fd, 0, at, uintptr(size), prot, flags)
	if err != nil {
		if at != nil {
			_ = unix.MunmapPtr(at, uintptr(size)) // the first error counts
		}
		return nil, err
	}
	return unsafe.Slice((*byte)(first), size), nil
}

// reserved returns addresses that begin as a huge page does, for something that has one, and are nobody's until
// something is mapped there. It returns nil if any will do, or if there are none.
func reserved(size uintptr) unsafe.Pointer {
	if size < hugePage {
		return nil
	}
	page := uintptr(os.Getpagesize())
	size = (size + page - 1) &^ (page - 1)
	first, err := unix.MmapPtr(-1, 0, nil, size+hugePage, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	before := -uintptr(first) % hugePage
	at := unsafe.Add(first, before)
	if before > 0 {
		_ = unix.MunmapPtr(first, before)
	}
	_ = unix.MunmapPtr(unsafe.Add(at, size), hugePage-before)
	return at
}

// Unmap ends a mapping that Map has made.
func Unmap(v []byte) error {
	first := unsafe.Pointer(unsafe.SliceData(v))
	forget(uintptr(first), uintptr(len(v)))
	return unix.MunmapPtr(first, uintptr(len(v)))
}
