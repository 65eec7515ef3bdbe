//go:build !portable

package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate makes the system provide size bytes from the first one on. It is a matter of
// time alone: a kernel that does not know how (before 5.14) refuses.
func populate(first unsafe.Pointer, size uintptr) {
	page := uintptr(os.Getpagesize())
	from := uintptr(first) &^ (page - 1)
	end := (uintptr(first) + size + page - 1) &^ (page - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, end-from, unix.MADV_POPULATE_WRITE)
}
