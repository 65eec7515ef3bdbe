package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestOnlyWhatWasInterruptedHasWrittenNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		err  error
		code int
	}{
		"the cancellation":                     {fmt.Errorf("write: %w", context.Canceled), exitInterrupted},
		"what the cancellation led to":         {framework.Faultf(framework.Plugin, "plugin-crashed", "plugin skfr crashed"), exitInterrupted},
		"output that fails after the commit":   {io.ErrClosedPipe, exitInternal},
		"a fit that was written, but is rough": {errNotConverged, exitNoConverge},
	} {
		t.Run(name, func(t *testing.T) {
			var said strings.Builder
			a := &app{err: &said, settings: &settings{}}
			if code := a.fail(ctx, test.err); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if claims := strings.Contains(said.String(), "nothing was written"); claims != (test.code == exitInterrupted) {
				t.Errorf("it says %q", said.String())
			}
		})
	}
}
