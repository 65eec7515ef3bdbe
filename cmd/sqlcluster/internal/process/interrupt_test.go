package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
)

// The codes are those of help exit-codes.
func TestTheExitCodeSaysWhichSignalEndedACommand(t *testing.T) {
	for cause, want := range map[error]int{
		signalled{os.Interrupt}: 130, signalled{syscall.SIGTERM}: 143, signalled{syscall.SIGHUP}: 129, errors.New("another"): 130,
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(cause)
		if got := InterruptedCode(ctx); got != want {
			t.Errorf("%v: %d, want %d", cause, got, want)
		}
	}
}

func TestCtrlCIsTheirsWhoHaveTakenIt(t *testing.T) {
	got := make(chan os.Signal, 2)
	calls := 0
	release := TakeInterrupt(func() {
		calls++
		got <- syscall.SIGTERM // which nobody takes
	})
	got <- os.Interrupt
	if s, ok := untaken(got, nil); s != syscall.SIGTERM || !ok || calls != 1 {
		t.Errorf("%v, %d calls", s, calls)
	}
	release()
	got <- os.Interrupt
	if s, ok := untaken(got, nil); s != os.Interrupt || !ok {
		t.Error(s)
	}
	ended := make(chan struct{})
	close(ended)
	if _, ok := untaken(got, ended); ok {
		t.Error("a signal of nobody")
	}
}
