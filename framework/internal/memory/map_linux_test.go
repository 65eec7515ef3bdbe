//go:build !portable

package memory

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const readWrite = unix.PROT_READ | unix.PROT_WRITE

// memoryFile returns a memory file of some bytes.
func memoryFile(t *testing.T, size int) int {
	t.Helper()
	fd := must.Get(unix.MemfdCreate("test", unix.MFD_CLOEXEC))(t)
	t.Cleanup(func() { _ = unix.Close(fd) })
	must.Do(t, unix.Ftruncate(fd, int64(size)))
	return fd
}

func TestWhatIsWrittenToAMappingIsInAllOthersOfTheFile(t *testing.T) {
	page := os.Getpagesize()
	withHugePages(t, func(t *testing.T) {
		for _, size := range []int{1, page, hugePage - 1, hugePage, hugePage + 1, 3*hugePage + 5*page + 7} {
			fd := memoryFile(t, size)
			one, other := must.Get(Map(fd, size, readWrite))(t), must.Get(Map(fd, size, unix.PROT_READ))(t)
			if len(one) != size || cap(one) != size || len(other) != size {
				t.Errorf("%d, of %d, and %d bytes of %d", len(one), cap(one), len(other), size)
			}
			if first := uintptr(unsafe.Pointer(&one[0])); size >= hugePage && first%hugePage > 0 {
				t.Errorf("a mapping of %d bytes begins at %x", size, first)
			}
			Provide(one)
			for i := range one {
				one[i] = byte(i/7 + i/page)
			}
			forget(uintptr(unsafe.Pointer(&one[0])), uintptr(size))
			Provide(one) // once more, when there is something to lose
			if !bytes.Equal(one, other) {
				t.Errorf("of %d bytes, others see something else", size)
			}
			must.Do(t, Unmap(one))
			for i, v := range other {
				if v != byte(i/7+i/page) {
					t.Fatalf("byte %d of %d is %d afterwards", i, size, v)
				}
			}
			must.Do(t, Unmap(other))
		}
	})
}

// mapped returns how many bytes of addresses this process has.
func mapped(t *testing.T) (n uintptr) {
	t.Helper()
	for line := range strings.Lines(string(must.Get(os.ReadFile("/proc/self/maps"))(t))) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n != 2 {
			t.Fatalf("a mapping that cannot be read: %s", line)
		}
		n += to - from
	}
	return n
}

func TestAMappingLeavesNoAddressesBehind(t *testing.T) {
	page := uintptr(os.Getpagesize())
	for _, size := range []uintptr{hugePage, hugePage + 1, 5*hugePage - 1} {
		fd := memoryFile(t, int(size))
		const times, beside = 256, hugePage / 4 // so that all of beside is more than Go's runtime maps at once
		before := mapped(t)
		var all [][]byte
		for range times {
			all = append(all, must.Get(Map(fd, int(size), readWrite))(t))
		}
		if got := (mapped(t) - before) / times; got < size-beside || got > size+page+beside {
			t.Errorf("mappings of %d bytes take %d", size, got)
		}
		for _, v := range all {
			must.Do(t, Unmap(v))
		}
		for range times {
			if _, err := Map(-1, int(size), readWrite); err == nil {
				t.Fatal("there is a mapping of no file")
			}
		}
		if got := mapped(t); got > before+times*beside {
			t.Errorf("after mappings of %d bytes, and those that failed, there are %d bytes more", size, got-before)
		}
	}
}

func TestHugePagesOfAMemoryFileAreHugeForEachThatMapsIt(t *testing.T) {
	defer debt.Store(debt.Load())
	const pairs = 8 // of huge pages: one that the system is asked for here, and one that is provided
	fd := memoryFile(t, 2*pairs*hugePage)
	v := must.Get(Map(fd, 2*pairs*hugePage, readWrite))(t)
	defer func() { must.Do(t, Unmap(v)) }()
	possible, made, shared := 0, 0, 0
	for i := range pairs {
		debt.Store(0)
		asked, provided := v[2*i*hugePage:][:hugePage], v[(2*i+1)*hugePage:][:hugePage]
		asked[0] = 1
		if !allowed() || unix.Madvise(asked, unix.MADV_COLLAPSE) != nil {
			continue // there are no huge pages of memory files, or none at the moment
		}
		possible++
		had := hugePages(t, v)
		Provide(provided[37*smallPage:][:large])
		if hugePages(t, v) == had {
			continue
		}
		made++
		provided[hugePage-1] = 1
		w := must.Get(Map(fd, 2*pairs*hugePage, unix.PROT_READ))(t)
		if sum := w[2*i*hugePage] + w[(2*i+2)*hugePage-1]; sum != 2 {
			t.Errorf("the bytes that were written add up to %d", sum)
		}
		if hugePages(t, w) == 2 {
			shared++
		}
		must.Do(t, Unmap(w))
	}
	if possible > 0 && made == 0 {
		t.Errorf("the system made huge pages of %d, and none was made where one was provided", possible)
	}
	if made > 0 && shared == 0 {
		t.Errorf("%d huge pages were provided, and who reads a byte of each never maps them as such", made)
	}
}

func TestAddressesOfAMappingThatHasEndedAreAskedForAgain(t *testing.T) {
	defer debt.Store(debt.Load())
	debt.Store(0)
	if !allowed() || os.Getpagesize() != smallPage {
		return // nothing is asked for
	}
	const pages = 5
	v := must.Get(Map(memoryFile(t, pages*hugePage-1), pages*hugePage-1, readWrite))(t)
	Provide(v)
	first := uintptr(unsafe.Pointer(&v[0]))
	asked := func(i int) bool {
		number := first/hugePage + uintptr(i)
		return seen[number%uintptr(len(seen))].Load() == number
	}
	if !asked(0) {
		t.Error("the first huge page of a mapping was not asked for")
	}
	must.Do(t, Unmap(v))
	for i := range pages {
		if asked(i) {
			t.Errorf("huge page %d would not be asked for again", i)
		}
	}
}
