package duck

/*
#include <malloc.h>
#include <stdlib.h>

enum { block = 4032 << 10, blocks = 3 };

// reserve makes the heap of the calling thread, and those that begin later, have some megabytes
// that nobody has written to, and returns where they begin. A heap would grow page by page: 2500
// calls of the system for a small fit. Blocks are had from the heap as long as they are no larger
// than that limit, below which the system alone has them by default.
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
	"unsafe"

	"github.com/sqlcluster/sqlcluster/internal/heap"
)

// reserve makes the C library reserve in large steps what DuckDB, which is opened on this thread,
// needs for its functions, its catalogs and a small fit. The goroutine stays on the thread until
// the function that is returned is called.
func reserve() (opened func()) {
	runtime.LockOSThread()
	if p := reserveHeap(); p != nil {
		heap.Enlarge(p, reserved)
	}
	return runtime.UnlockOSThread
}

func reserveHeap() unsafe.Pointer { return C.reserve() }

const reserved = C.blocks * C.block
