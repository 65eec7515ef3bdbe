package parallel

import (
	"sync/atomic"
	"time"
)

// A bell is rung for one goroutine that waits for something. It looks for that again and
// again for a while, and then sleeps until the bell rings: to be woken takes 20 µs and more,
// which is much of an iteration that takes half a millisecond.
type bell struct {
	patience time.Duration // how long it looks
	asleep   atomic.Bool
	rings    chan struct{} // one, for who is asleep
}

// patience is longer than what one worker does alone between two passes of a small model, and than a block of
// few columns takes, for which workers wait at the end of a pass. Who sleeps may have to wait for longer than that until
// another program, which has the processor meanwhile, gives it back.
const patience = 300 * time.Microsecond

// newBell returns a bell for one of some goroutines. Where there are not as many
// processors, who looks would only be in the way of who works.
func newBell(goroutines int) *bell {
	b := &bell{rings: make(chan struct{}, 1)}
	if goroutines <= Processors() {
		b.patience = patience
	}
	return b
}

// wait returns when it is so. Who makes it so rings after that.
func (b *bell) wait(isSo func() bool) {
	if b.look(isSo) {
		return
	}
	for {
		b.asleep.Store(true)
		if isSo() && b.asleep.CompareAndSwap(true, false) {
			return // nobody has rung, and nobody will
		}
		<-b.rings
		if isSo() { // or it was rung for what had been seen already
			return
		}
	}
}

// look looks for a while, and reports whether it is so.
func (b *bell) look(isSo func() bool) bool {
	const looks = 64 // between two looks at the clock
	if b.patience == 0 {
		return false
	}
	for until := time.Now().Add(b.patience); ; {
		for range looks {
			if isSo() {
				return true
			}
		}
		if time.Now().After(until) {
			return false
		}
	}
}

// ring wakes who is asleep.
func (b *bell) ring() {
	if b.asleep.CompareAndSwap(true, false) {
		b.rings <- struct{}{}
	}
}
