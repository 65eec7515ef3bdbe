// Package process deals with what the system asks of the process of a command and
// gives to it: signals, limits, memory and profiles.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Interrupted is the exit code of a command that Ctrl-C has ended: 128 plus the
// number of the signal, as shells have it.
const Interrupted = 130

// Patience is how long the command may take to stop after a signal; tests wait less.
// What it waits for may never end: a pipe that nobody writes to, in a query.
var Patience = 5 * time.Second

// signalled is the cause of a context that a signal has cancelled.
type signalled struct{ signal os.Signal }

func (s signalled) Error() string { return "ended by signal: " + s.signal.String() }

// code returns the exit code of a command that the signal has ended: 143 for
// SIGTERM, 129 for SIGHUP.
func (s signalled) code() int {
	if n, ok := s.signal.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return Interrupted
}

// Interruptible returns a context that Ctrl-C, SIGTERM and SIGHUP cancel. After
// that a second signal kills, and so does Patience at its end. A signal that the
// caller ignores, as nohup does, stays ignored.
func Interruptible(errw io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var wanted []os.Signal
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			wanted = append(wanted, s)
		}
	}
	got := make(chan os.Signal, 1)
	if len(wanted) > 0 {
		signal.Notify(got, wanted...)
	}
	ended := make(chan struct{})
	go func() {
		s, ok := untaken(got, ended)
		if !ok {
			return
		}
		signal.Stop(got)
		cause := signalled{s}
		cancel(cause)
		select {
		case <-time.After(Patience):
			fmt.Fprintln(errw, "interrupted: what was running did not stop, so it was ended; nothing is half-written")
			os.Exit(cause.code())
		case <-ended:
		}
	}()
	return ctx, func() { close(ended); signal.Stop(got); cancel(nil) }
}

// taken is what Ctrl-C does while somebody has taken it.
var taken atomic.Pointer[func()]

// TakeInterrupt makes Ctrl-C call do, and not end the command, until it is released.
func TakeInterrupt(do func()) (release func()) {
	taken.Store(&do)
	return func() { taken.Store(nil) }
}

// untaken returns the first signal that nobody has taken, and false at the end.
func untaken(got <-chan os.Signal, ended <-chan struct{}) (os.Signal, bool) {
	for {
		select {
		case s := <-got:
			do := taken.Load()
			if do == nil || s != os.Interrupt {
				return s, true
			}
			(*do)()
		case <-ended:
			return nil, false
		}
	}
}

// OutlivePipe makes a write to a pipe that nobody reads any more (head has seen
// enough) an error, and not the end of the process, which has a database to close.
// It reports whether the end is what the caller expects: it is not if the caller
// ignores SIGPIPE.
func OutlivePipe() bool {
	if signal.Ignored(syscall.SIGPIPE) {
		return false
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return true
}

// InterruptedCode returns the exit code of what a cancelled context ended.
func InterruptedCode(ctx context.Context) int {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return s.code()
	}
	return Interrupted
}
