//go:build !portable

package memory

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestHugePagesEndWhereTheyTakeTwiceAsLongAsSmallOnes(t *testing.T) {
	defer debt.Store(debt.Load())
	small := smallPages()
	if small <= 0 || small != smallPages() {
		t.Errorf("as many small pages take %v, and %v", small, smallPages())
	}
	most := time.Duration(mostDebt)
	late := 2*small + most/2
	for _, c := range []struct {
		took []time.Duration
		want bool
	}{
		{[]time.Duration{0, patience, 2 * small, 2 * small, 2 * small, 2 * small}, false},
		{[]time.Duration{2*small + most, 2 * small, 0}, false},
		{[]time.Duration{2*small + 9*most}, false},
		{[]time.Duration{2*small + 9*most, 2*small + patience}, true},
		{[]time.Duration{late, late}, false},
		{[]time.Duration{late, late, late}, true},
		{append(append([]time.Duration{2*small + patience}, make([]time.Duration, 100)...), late, late, 2*small+patience), true},
		{[]time.Duration{late, 0, late, 2*small - 1, late}, small < most/4}, // a quick one makes up for some
	} {
		debt.Store(0)
		for _, took := range c.took {
			heed(took, true)
		}
		if ends := debt.Load() > mostDebt; ends != c.want {
			t.Errorf("huge pages in %v where small ones take %v are too slow: %v", c.took, small, ends)
		}
	}
	debt.Store(1)
	if heed(patience, true); debt.Load() > 1 {
		t.Errorf("a huge page in %v takes too long", patience)
	}
	debt.Store(mostDebt)
	if heed(0, false); debt.Load() != mostDebt {
		t.Errorf("a huge page that was not made makes up for %v", time.Duration(mostDebt-debt.Load()))
	}
	if heed(2*small+patience, false); debt.Load() <= mostDebt {
		t.Error("a huge page that was not made may take any time")
	}
}

func TestAHugePageIsAskedForOnceAndIsThatAroundTheSmallOne(t *testing.T) {
	defer debt.Store(debt.Load())
	const pairs = 8 // of huge pages: one that the system is asked for here, and one that enlarge asks for
	v := must.Get(unix.Mmap(-1, 0, (2*pairs+1)*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	defer func() { must.Do(t, unix.Munmap(v)) }()
	first := (uintptr(unsafe.Pointer(&v[0])) + hugePage - 1) &^ (hugePage - 1)
	from := int(first - uintptr(unsafe.Pointer(&v[0])))
	possible, made := 0, 0
	for i := range pairs {
		debt.Store(0)
		asked, enlarged := v[from+2*i*hugePage:][:hugePage], v[from+(2*i+1)*hugePage:][:hugePage]
		asked[0] = 1
		if !allowed() || unix.Madvise(asked, unix.MADV_COLLAPSE) != nil {
			continue // there are no huge pages, or none at the moment
		}
		possible++
		at := first + uintptr((2*i+1)*hugePage+(37*i+5)*smallPage)
		seen[at/hugePage%uintptr(len(seen))].Store(0)
		had := hugePages(t, v[from:])
		if enlarge(at); hugePages(t, v[from:]) == had {
			continue
		}
		made++
		if n := resident(t, enlarged); n != hugePage/smallPage {
			t.Errorf("%d small pages of huge page %d are there", n, i)
		}
		must.Do(t, unix.Madvise(enlarged, unix.MADV_DONTNEED))
		if enlarge(at); resident(t, enlarged) > 0 {
			t.Errorf("huge page %d was asked for twice", i)
		}
	}
	if possible > 0 && made == 0 {
		t.Errorf("the system made huge pages of %d, and none was made where enlarge asked for one", possible)
	}
}

// hugePages returns how many huge pages of a mapping are huge here.
func hugePages(t *testing.T, of []byte) int {
	t.Helper()
	address, in := uintptr(unsafe.Pointer(&of[0])), false
	for line := range strings.Lines(string(must.Get(os.ReadFile("/proc/self/smaps"))(t))) {
		var from, to uintptr
		name, value, _ := strings.Cut(line, ":")
		var size int
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			in = from <= address && address < to
		} else if n, _ := fmt.Sscan(value, &size); in && n == 1 && size > 0 && (name == "AnonHugePages" || name == "ShmemPmdMapped") {
			return size << 10 / hugePage
		} else if in && name == "VmFlags" {
			return 0
		}
	}
	t.Fatal("the mapping is not in smaps")
	return 0
}

// resident returns how many pages of some memory are there.
func resident(t *testing.T, v []byte) (n int) {
	t.Helper()
	page := uintptr(os.Getpagesize())
	first := uintptr(unsafe.Pointer(&v[0])) &^ (page - 1)
	there := make([]byte, (uintptr(unsafe.Pointer(&v[0]))+uintptr(len(v))-first+page-1)/page)
	if _, _, e := unix.Syscall(unix.SYS_MINCORE, first, uintptr(len(there))*page, uintptr(unsafe.Pointer(&there[0]))); e != 0 {
		t.Fatal(e)
	}
	for _, is := range there {
		n += int(is & 1)
	}
	return n
}

// withHugePages runs a test as long as huge pages are asked for, and after that.
func withHugePages(t *testing.T, test func(t *testing.T)) {
	defer debt.Store(debt.Load())
	for name, n := range map[string]int64{"huge pages": 0, "small pages": math.MaxInt64} {
		debt.Store(n)
		for i := range seen {
			seen[i].Store(0)
		}
		t.Run(name, test)
	}
}

func TestWhatIsAroundATableKeepsWhatOthersWriteMeanwhile(t *testing.T) {
	withHugePages(t, func(t *testing.T) {
		const writers, cells, tables = 4, 20000, 40
		var around [writers][]float64
		var done sync.WaitGroup
		stop := make(chan struct{})
		for w := range around {
			around[w] = make([]float64, cells) // of 160 kB, beside those of other writers and of tables
			done.Go(func() {
				for round := 1.0; ; round++ {
					for i := range around[w] {
						if around[w][i] != round-1 {
							t.Errorf("cell %d of writer %d is %v in round %v", i, w, around[w][i], round)
							return
						}
						around[w][i] = round
					}
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		kept := make([][]float64, tables)
		for n := range kept {
			kept[n] = Zeros[float64](large/8 + 1000*n)
			for i, v := range kept[n] {
				if v != 0 {
					t.Errorf("cell %d of table %d is %v", i, n, v)
				}
				kept[n][i] = float64(n)
			}
		}
		close(stop)
		done.Wait()
		for n, table := range kept {
			for i, v := range table {
				if v != float64(n) {
					t.Fatalf("cell %d of table %d is %v", i, n, v)
				}
			}
		}
	})
}

func TestATableHasItsMemoryFromTheFirstByteToTheLast(t *testing.T) {
	page := os.Getpagesize()
	probe := must.Get(unix.Mmap(-1, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	defer func() { must.Do(t, unix.Munmap(probe)) }()
	if unix.Madvise(probe, unix.MADV_POPULATE_WRITE) != nil {
		return // before Linux 5.14, a table gets its pages one by one
	}
	withHugePages(t, func(t *testing.T) {
		for _, size := range []int{large, large + 1, hugePage - 1, hugePage, 3*hugePage + 5*page, 9 * hugePage} {
			v := Zeros[uint8](size)
			if n := resident(t, v); n*page < size {
				t.Errorf("%d pages of a table of %d bytes are there", n, size)
			}
			v[size-1] = 1
		}
	})
}
