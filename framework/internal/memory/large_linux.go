//go:build !portable

package memory

import (
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
		if page == 4096 && !slow.Load() {
			to = min(end, from&^(hugePage-1)+hugePage)
			provide(from, to)
		} else {
			advise(from, to, unix.MADV_POPULATE_WRITE)
		}
		from = to
	}
}

// hugePage is the size of a huge page where others have 4 KiB.
const hugePage = 2 << 20

// slow says that huge pages take too long here, and that no more are asked for: those of a virtual
// machine that must first get them from its host may take ten times as long as the small ones that it has.
var slow atomic.Bool

// provide populates a part of one huge page. What is around it will be other tables, or is: pages that
// are in use become part of the huge one.
func provide(from, to uintptr) {
	began, whole := time.Now(), from&^(hugePage-1)
	advise(whole, whole+hugePage, unix.MADV_HUGEPAGE)
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
	v, err := unix.Mmap(-1, 0, some*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Munmap(v) }()
	began := time.Now()
	_ = unix.Madvise(v, unix.MADV_POPULATE_WRITE)
	for i := range some {
		v[i*4096] = 1
	}
	return time.Since(began) * (hugePage / 4096 / some)
})

func advise(from, to uintptr, advice int) {
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, uintptr(advice))
}
