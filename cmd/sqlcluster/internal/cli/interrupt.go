package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// How long the command waits; tests wait less.
var (
	// Patience is how long the command may take to stop after a signal. What it
	// waits for may never end: a pipe that nobody writes to, in a query.
	Patience = 5 * time.Second
	// Silence is host.Options.CallTimeout.
	Silence time.Duration
)

// signalled is the cause of a context that a signal has cancelled.
type signalled struct{ signal os.Signal }

func (s signalled) Error() string { return "ended by signal: " + s.signal.String() }

// code returns the exit code of a command that the signal has ended: 130 for
// Ctrl-C, 143 for SIGTERM, 129 for SIGHUP, as shells have it.
func (s signalled) code() int {
	if n, ok := s.signal.(syscall.Signal); ok {
		return exitInterrupted - int(syscall.SIGINT) + int(n)
	}
	return exitInterrupted
}

// interruptible returns a context that Ctrl-C, SIGTERM and SIGHUP cancel. After
// that a second signal kills, and so does Patience at its end. A signal that the
// caller ignores, as nohup does, stays ignored.
func interruptible(errw io.Writer) (ctx context.Context, stop func()) {
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
		select {
		case s := <-got:
			signal.Stop(got)
			cause := signalled{s}
			cancel(cause)
			select {
			case <-time.After(Patience):
				_, _ = fmt.Fprintln(errw, "interrupted: what was running did not stop, so it was ended; nothing is half-written")
				os.Exit(cause.code())
			case <-ended:
			}
		case <-ended:
		}
	}()
	return ctx, func() { close(ended); signal.Stop(got); cancel(nil) }
}

// outlivePipe makes a write to a pipe that nobody reads any more (head has seen
// enough) an error, and not the end of the process, which has a database to close.
// It reports whether the end is what the caller expects: it is not if the caller
// ignores SIGPIPE.
func outlivePipe() bool {
	if signal.Ignored(syscall.SIGPIPE) {
		return false
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return true
}

// interruptedCode returns the exit code of what a cancelled context ended.
func interruptedCode(ctx context.Context) int {
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return s.code()
	}
	return exitInterrupted
}
