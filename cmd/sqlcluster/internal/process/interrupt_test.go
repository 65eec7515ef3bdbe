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
