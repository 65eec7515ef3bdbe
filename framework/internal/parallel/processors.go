package parallel

import (
	"os"
	"runtime"
	"sync/atomic"
)

// spares is how many goroutines more may run Go than there are processors, after Spare.
const spares = 2

var spared atomic.Int64

// Spare is for a process whose workers spend their time in C. While each of them holds
// one of Go's processors there, and none is idle, its scheduler looks thousands of times a
// second whether it should take one away, wakes a thread that finds no work for it, and has a
// worker that comes back wait for that thread: all on the processors that the workers need.
// With some to spare it lets workers be. Who has set GOMAXPROCS gets as many as that.
func Spare() {
	if os.Getenv("GOMAXPROCS") == "" && spared.CompareAndSwap(0, spares) {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spares)
	}
}

// Processors returns how many goroutines can work at the same time.
func Processors() int { return runtime.GOMAXPROCS(0) - int(spared.Load()) }
