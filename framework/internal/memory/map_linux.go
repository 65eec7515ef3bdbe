//go:build !portable

package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of a file, one at least, for all processes that map it. Huge pages of a memory file
// are huge ones of the mapping too, since they begin at multiples of their size in both.
func Map(fd, size, prot int) ([]byte, error) {
	first, err := unix.MmapPtr(fd, 0, unsafe.Add(nil, vacant(uintptr(size))), uintptr(size), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(first), size), nil
}

// vacant returns an address where there is room for size bytes, and where a huge page can begin if there is one in so many.
// It is a proposal, since another thread may map something there meanwhile. 0: none.
func vacant(size uintptr) uintptr {
	if size < hugePage {
		return 0
	}
	first, err := unix.MmapPtr(-1, 0, nil, size+hugePage, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil || unix.MunmapPtr(first, size+hugePage) != nil {
		return 0
	}
	return (uintptr(first) + hugePage - 1) &^ (hugePage - 1)
}

// Unmap ends a mapping that Map has made, once.
func Unmap(v []byte) error {
	if len(v) == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(v))
	forget(uintptr(first), uintptr(len(v)))
	return unix.MunmapPtr(first, uintptr(len(v)))
}
