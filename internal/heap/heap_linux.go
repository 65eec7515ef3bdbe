package heap

import (
	"bytes"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

const (
	smallPage = 4 << 10
	hugePage  = 2 << 20
)

// grown is by how much Go's heap grows at once, at a multiple of it. What follows cannot be touched
// before, and would be advised in vain.
const grown = 4 << 20

// first is one of the first objects of Go's heap, which begins anywhere in a chunk of that size.
var first *[smallPage]byte

func init() {
	if isSlow() {
		first = new([smallPage]byte)
		enlarge(uintptr(unsafe.Pointer(first))&^(grown-1), grown)
	}
}

// Enlarge makes pages huge of size bytes from p on, which the C library has reserved and of
// which few or none have been touched; and what Go's heap has grown by, if it has.
func Enlarge(p unsafe.Pointer, size uintptr) {
	if p != nil && isSlow() {
		enlarge(uintptr(p), size)
		enlarge(uintptr(unsafe.Pointer(first))&^(grown-1)+grown, grown)
	}
}

// enlarge makes the huge pages around size bytes. Those of which some is in use already are
// collapsed, and others become huge when they are first touched. It is advice, which the system
// may refuse or follow in part: nothing that a program sees depends on it.
func enlarge(from, size uintptr) {
	begin, end := from&^(hugePage-1), (from+size+hugePage-1)&^(hugePage-1)
	advise(begin, end, syscall.MADV_HUGEPAGE)
	for ; begin < end; begin += hugePage {
		advise(begin, begin+hugePage, collapse)
	}
}

const collapse = 25 // MADV_COLLAPSE, since Linux 6.1

func advise(begin, end uintptr, advice int) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, begin, end-begin, uintptr(advice))
}

// isSlow reports whether a small page takes more than patience to be touched first, which is
// tried, and whether huge pages are for programs that ask for them.
var isSlow = sync.OnceValue(func() bool {
	return os.Getpagesize() == smallPage && smallPages(tried) > tried*patience && allowed()
})

const (
	patience = 5 * time.Microsecond // 0.1 to 2 as a rule
	tried    = 4
)

// smallPages returns how long some small pages take, the best of a few times.
func smallPages(some int) time.Duration {
	least := time.Hour
	for range 4 {
		v, err := syscall.Mmap(-1, 0, some*smallPage, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return 0
		}
		began := time.Now()
		for i := range some {
			v[i*smallPage] = 1
		}
		least = min(least, time.Since(began))
		_ = syscall.Munmap(v)
	}
	return least
}

// allowed reports whether this system's huge pages are for programs that ask for them.
func allowed() bool {
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && !bytes.Contains(text, []byte("[never]"))
}
