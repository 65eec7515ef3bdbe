package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/framework"
)

func TestOnlyWhatWasInterruptedHasWrittenNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		err  error
		code int
	}{
		"the cancellation": {fmt.Errorf("write: %w", context.Canceled), process.Interrupted},
		"what the cancellation led to": {framework.Faultf(framework.Plugin, "plugin-crashed", "plugin skfr crashed"),
			process.Interrupted},
		"output that fails after the commit":   {io.ErrClosedPipe, exitInternal},
		"a fit that was written, but is rough": {errNotConverged, exitNoConverge},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			a := newApp(io.Discard, &said)
			if code := a.fail(ctx, test.err); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if claims := strings.Contains(said.String(), "nothing was written"); claims != (test.code == process.Interrupted) {
				t.Errorf("it says %q", said.String())
			}
		})
	}
}

// The codes are those of help exit-codes.
func TestAPathThatWasCutShortSaysByWhat(t *testing.T) {
	expired, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	interrupted, end := context.WithCancel(context.Background())
	end()
	for name, test := range map[string]struct {
		outer, inner context.Context // without --timeout, and with it
		reason, said string
		code         int
	}{
		"--timeout": {context.Background(), expired, "timed_out",
			"error[timed-out]: --timeout 2s has passed; 3 of 20 values were fitted and written\n  where: --timeout\n", exitInternal},
		"a signal": {interrupted, interrupted, "interrupted",
			"interrupted: 3 of 20 values were fitted and written\n", process.Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			a := newApp(io.Discard, &said)
			a.Flags.Timeout = 2 * time.Second
			kept, _ := gridSettings{keepPartial: true}.keep(test.inner, test.inner.Err(), 3, 20)
			if code := a.fail(test.outer, kept); code != test.code || said.String() != test.said || kept.stopReason() != test.reason {
				t.Errorf("exit code %d, it says %q, the reason is %s", code, said.String(), kept.stopReason())
			}
		})
	}
}
