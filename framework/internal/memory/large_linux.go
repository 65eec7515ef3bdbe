//go:build !portable

package memory

import (
	"bytes"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate makes the system provide size bytes from the first one on, in huge pages as far as it
// has some. It is a matter of time alone: a kernel that does not know how (before 5.14, and 6.1 for
// pages that are in use in part) refuses.
func populate(first unsafe.Pointer, size uintptr) {
	page := uintptr(os.Getpagesize())
	from := uintptr(first) &^ (page - 1)
	end := (uintptr(first) + size + page - 1) &^ (page - 1)
	for from < end {
		to := end
		if mayBeHuge() {
			to = min(end, from&^(hugePage-1)+hugePage)
			provide(from, to)
		} else {
			advise(from, to, unix.MADV_POPULATE_WRITE)
		}
		from = to
	}
}

// surround makes what is around the first byte of a small table a huge page, unless it has been done before.
func surround(first unsafe.Pointer) {
	from := uintptr(first) &^ (smallPage - 1)
	if seen[from/hugePage%uintptr(len(seen))].Load() != from/hugePage && mayBeHuge() {
		provide(from, from+smallPage)
	}
}

// seen are numbers of huge pages that were asked for, each in the place of its last digits.
var seen [1 << 10]atomic.Uintptr

func mayBeHuge() bool { return os.Getpagesize() == smallPage && !slow.Load() && allowed() }

// The sizes of pages, on processors whose small ones have 4 KiB.
const (
	smallPage = 4 << 10
	hugePage  = 2 << 20
)

// allowed reports whether this system's huge pages are for programs that ask for them.
var allowed = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && !bytes.Contains(text, []byte("[never]"))
})

// slow says that huge pages take too long here, and that no more are asked for: those of a virtual
// machine that must first get them from its host may take ten times as long as the small ones that it has.
var slow atomic.Bool

// provide populates a part of one huge page. What is around it will be other tables, or is: pages that
// are in use become part of the huge one. Nothing is asked for that would last (MADV_HUGEPAGE), so that
// what Go gives back stays small.
func provide(from, to uintptr) {
	began, whole := time.Now(), from&^(hugePage-1)
	seen[whole/hugePage%uintptr(len(seen))].Store(whole / hugePage)
	advise(from, from+smallPage, unix.MADV_POPULATE_WRITE) // where there is nothing, there is nothing to collapse
	advise(whole, whole+hugePage, unix.MADV_COLLAPSE)
	advise(from, to, unix.MADV_POPULATE_WRITE)
	heed(time.Since(began))
}

// heed ends the use of huge pages where one has taken too long.
func heed(took time.Duration) {
	if took > patience && took > 2*smallPages() {
		slow.Store(true)
	}
}

// patience is how long a huge page may take wherever it is. Its zeros take a tenth of that.
const patience = time.Millisecond

// smallPages returns how long small pages take that are as large as a huge one, from those of
// some that are written to. It is 0.3 ms as a rule, and 6 in virtual machines whose host follows each change of
// a table of pages.
var smallPages = sync.OnceValue(func() time.Duration {
	const some = 16
	v, err := unix.Mmap(-1, 0, some*smallPage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Munmap(v) }()
	began := time.Now()
	_ = unix.Madvise(v, unix.MADV_POPULATE_WRITE)
	for i := range some {
		v[i*smallPage] = 1
	}
	return time.Since(began) * (hugePage / smallPage / some)
})

func advise(from, to uintptr, advice int) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, uintptr(advice))
}
