//go:build !portable

package memory

import (
	"os"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestHugePagesEndWhereTheyTakeTwiceAsLongAsSmallOnes(t *testing.T) {
	defer slow.Store(slow.Load())
	small := smallPages()
	if small <= 0 || small != smallPages() {
		t.Errorf("as many small pages take %v, and %v", small, smallPages())
	}
	for _, c := range []struct {
		took time.Duration
		want bool
	}{{0, false}, {patience, false}, {2 * small, false}, {2*small + patience + 1, true}} {
		slow.Store(0)
		for range tooMany {
			heed(c.took)
		}
		if ends := slow.Load() >= tooMany; ends != c.want {
			t.Errorf("huge pages in %v where small ones take %v are too slow: %v", c.took, small, ends)
		}
	}
}

// withHugePages runs a test as long as huge pages are asked for, and after that.
func withHugePages(t *testing.T, test func(t *testing.T)) {
	defer slow.Store(slow.Load())
	for name, n := range map[string]int32{"huge pages": 0, "small pages": tooMany} {
		slow.Store(n)
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
			first := uintptr(unsafe.Pointer(&v[0])) &^ uintptr(page-1)
			pages := (uintptr(unsafe.Pointer(&v[0])) + uintptr(size) - first + uintptr(page) - 1) / uintptr(page)
			there := make([]byte, pages)
			if _, _, e := unix.Syscall(unix.SYS_MINCORE, first, pages*uintptr(page), uintptr(unsafe.Pointer(&there[0]))); e != 0 {
				t.Fatal(e)
			}
			for i, is := range there {
				if is&1 == 0 {
					t.Fatalf("page %d of %d of a table of %d bytes is not there", i, pages, size)
				}
			}
			v[size-1] = 1
		}
	})
}
