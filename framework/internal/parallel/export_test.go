package parallel

import "runtime"

// TakeBack undoes Spare, after which there are so many processors again.
func TakeBack(processors int) {
	spared.Store(0)
	runtime.GOMAXPROCS(processors)
}
