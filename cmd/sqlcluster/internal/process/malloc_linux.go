package process

/*
#include <malloc.h>

// Each step is a call of the system and takes as long as many an allocation. What is more
// than large bytes is had from the system alone and given back at once, as by default; that
// limit would grow with what is freed, but no longer does where the first one is set.
static void grow(int step, int large) {
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, step);
    mallopt(M_MMAP_THRESHOLD, large);
#endif
}
*/
import "C"

// GrowAtOnce makes the C library, from which DuckDB has its memory, reserve that in large
// steps: a thread's part of it would grow page by page, a thousand times for a small fit.
// Memory that nobody has written to takes no room.
func GrowAtOnce() { C.grow(growth, largeMemory) }

const (
	growth      = 8 << 20
	largeMemory = 4 << 20
)
