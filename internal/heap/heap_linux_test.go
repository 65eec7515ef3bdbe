package heap

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestMemoryThatIsMadeHugeKeepsWhatIsInIt(t *testing.T) {
	const size = 4 * hugePage
	v := must.Get(unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	defer func() { must.Do(t, unix.Munmap(v)) }()
	for i := 0; i < size/2; i += 3 * smallPage { // the rest has not been touched
		v[i] = byte(1 + i%251)
	}
	enlarge(uintptr(unsafe.Pointer(&v[smallPage])), size-2*smallPage)
	for i, got := range v {
		want := byte(0)
		if i < size/2 && i%(3*smallPage) == 0 {
			want = byte(1 + i%251)
		}
		if got != want {
			t.Fatalf("byte %d is %d in place of %d", i, got, want)
		}
	}
}

func TestMemoryThatMayNotBeTouchedIsEmptyWhenItMay(t *testing.T) {
	const size = 4 * hugePage
	v := must.Get(unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	defer func() { must.Do(t, unix.Munmap(v)) }()
	enlarge(uintptr(unsafe.Pointer(unsafe.SliceData(v))), size)
	must.Do(t, unix.Mprotect(v, unix.PROT_READ|unix.PROT_WRITE))
	for i, got := range v {
		if got != 0 {
			t.Fatalf("byte %d is %d", i, got)
		}
	}
}

// A huge page is one fault in place of 512.
func TestFewFaultsAreLeft(t *testing.T) {
	const size = 8 * hugePage
	faults := func(prepare func(v []byte)) int {
		v := must.Get(unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
		defer func() { must.Do(t, unix.Munmap(v)) }()
		prepare(v)
		var before, after unix.Rusage
		must.Do(t, unix.Getrusage(unix.RUSAGE_THREAD, &before))
		for i := 0; i < size; i += smallPage {
			v[i] = 1
		}
		must.Do(t, unix.Getrusage(unix.RUSAGE_THREAD, &after))
		return int(after.Minflt - before.Minflt)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 5 {
		possible := faults(func(v []byte) { _ = unix.Madvise(v, unix.MADV_HUGEPAGE) })
		got := faults(func(v []byte) {
			v[hugePage] = 1 // one of which a little is in use
			enlarge(uintptr(unsafe.Pointer(unsafe.SliceData(v))), size)
		})
		if got <= possible+size/smallPage/8 { // or the system had none left just then
			return
		}
		t.Logf("%d faults, and %d are possible", got, possible)
	}
	t.Error("there are as many faults as with small pages")
}
