package duck

/*
#include <malloc.h>
#include <stdlib.h>

enum { block = 4032 << 10, blocks = 3 };

// reserve makes the heap of the calling thread, and those that begin later, have some megabytes
// that nobody has written to, and returns where they begin. Heaps of threads grow page by page, with
// a thousand calls of the system for a small fit. What is larger than the second limit comes from
// the system alone and is given back at once, as by default; that limit would grow with what is
// freed, but no longer does where it is set.
static void *reserve(void) {
#ifdef __GLIBC__
    void *volatile all[blocks]; // or a compiler leaves them out
    mallopt(M_TOP_PAD, blocks * block);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    for (int i = 0; i < blocks; i++) all[i] = malloc(block);
    for (int i = 0; i < blocks; i++) free(all[i]);
    return all[0];
#else
    return 0;
#endif
}
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/sqlcluster/sqlcluster/internal/heap"
)

// reserve makes the C library reserve at once what DuckDB, which is opened on this thread,
// needs for its functions, its catalogs and a small fit. The goroutine stays on the thread until
// the function that is returned is called.
func reserve() (opened func()) {
	runtime.LockOSThread()
	p := reserveHeap()
	enlarge.Do(func() { heap.Enlarge(p, reserved) })
	return runtime.UnlockOSThread
}

// enlarge is done for the first database of a process: what later ones need is little beside it.
var enlarge sync.Once

func reserveHeap() unsafe.Pointer { return C.reserve() }

const reserved = C.blocks * C.block
