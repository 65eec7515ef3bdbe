//go:build !portable

package memory

import (
	"bytes"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// populate makes the system provide size bytes from the first one on, in huge pages if they may be and as far
// as it has some. It is a matter of time alone: a kernel that does not know how (before 5.14) refuses.
func populate(first unsafe.Pointer, size uintptr, huge bool) {
	page := uintptr(os.Getpagesize())
	from := uintptr(first) &^ (page - 1)
	end := (uintptr(first) + size + page - 1) &^ (page - 1)
	for from < end {
		to := min(end, from&^(hugePage-1)+hugePage)
		if huge {
			enlarge(from)
		}
		advise(from, to, unix.MADV_POPULATE_WRITE)
		from = to
	}
}

// surround is populate for a small table that is one of many: the huge page around it is for those
// that follow.
func surround(first unsafe.Pointer) { enlarge(uintptr(first) &^ (smallPage - 1)) }

// enlarge makes a small page and what is around it one huge page, and asks once. What is around it are
// other tables, or will be: pages that are in use become part of the huge one. MADV_HUGEPAGE is not asked for,
// since it would last: memory that Go has given back would come back as huge pages. A kernel before 6.1 refuses.
func enlarge(at uintptr) {
	number := at / hugePage
	place := &seen[number%uintptr(len(seen))]
	if place.Load() == number || os.Getpagesize() != smallPage || debt.Load() > mostDebt || !allowed() {
		return
	}
	place.Store(number)
	began := time.Now()
	advise(at, at+smallPage, unix.MADV_POPULATE_WRITE) // where there is nothing, there is nothing to collapse
	made := advise(number*hugePage, (number+1)*hugePage, unix.MADV_COLLAPSE)
	heed(time.Since(began), made)
}

// seen are numbers of huge pages that were asked for, each in the place of its last bits.
var seen [1 << 10]atomic.Uintptr

// forget makes huge pages be asked for again at addresses that something else may get.
func forget(first, size uintptr) {
	for number := first / hugePage; number <= (first+size-1)/hugePage; number++ {
		seen[number%uintptr(len(seen))].CompareAndSwap(number, 0)
	}
}

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

// debt says how many nanoseconds huge pages have taken beyond twice the time of as many small ones. Only those that take
// longer than patience add to it, and quick ones make up for them. A virtual machine that must first get huge pages from
// its host may take ten times as long as for the small ones that it has.
var debt atomic.Int64

// mostDebt is the debt beyond which no more are asked for. A single one adds no more than that: it may have waited for
// a processor.
const mostDebt = int64(10 * time.Millisecond)

// heed counts how long a huge page has taken. One that was not made makes up for nothing.
func heed(took time.Duration, made bool) {
	for {
		had := debt.Load()
		if had == 0 && took <= patience {
			return
		}
		more := min(int64(took-2*smallPages()), mostDebt)
		if took <= patience {
			more = min(more, 0)
		}
		if !made {
			more = max(more, 0)
		}
		if debt.CompareAndSwap(had, max(0, had+more)) {
			return
		}
	}
}

// patience is how long a huge page may take wherever it is. Its zeros take a tenth of that.
const patience = time.Millisecond

// smallPages returns how long small pages take that are as large as a huge one, from those of
// some that are written to. It is 0.3 ms as a rule, and 6 in virtual machines whose host follows each change of
// a table of pages.
var smallPages = sync.OnceValue(func() time.Duration {
	const some, times = 16, 4
	v, err := unix.Mmap(-1, 0, times*some*smallPage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0
	}
	defer func() { _ = unix.Munmap(v) }()
	least := time.Duration(math.MaxInt64)
	for from := 0; from < len(v); from += some * smallPage {
		began, part := time.Now(), v[from:][:some*smallPage]
		_ = unix.Madvise(part, unix.MADV_POPULATE_WRITE)
		for i := range some {
			part[i*smallPage] = 1
		}
		least = min(least, time.Since(began))
	}
	return least * (hugePage / smallPage / some)
})

// advise reports whether the system has taken the advice.
func advise(from, to uintptr, advice int) bool {
	_, _, e := unix.Syscall(unix.SYS_MADVISE, from, to-from, uintptr(advice))
	return e == 0
}
