package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// explain returns what the caller of a call is told about its error: the
// caller's own cancellation, the plugin's Fault, or what became of the process.
// doing says what the call was for: "fit".
func (p *Process) explain(ctx context.Context, err error, doing string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	st := status.Convert(err)
	if f := wire.FaultOf(st); f != nil {
		return f
	}
	if f := p.ending(doing); f != nil {
		return f
	}
	switch st.Code() {
	case codes.ResourceExhausted:
		return framework.Faultf(framework.Data, "plugin-message-size", "%s of %s needs a message above %d MiB",
			doing, p.title(), wire.MaxMessage>>20).
			WithHint("use %s, fewer clusters or fewer columns", framework.SettingTo("driver", "plugin"))
	case codes.DeadlineExceeded, codes.Canceled:
		if end, ok := ctx.Deadline(); ok && time.Until(end) < deadlineGrace {
			<-ctx.Done() // the plugin, which knows the deadline, noticed it first, and may have ended what it did by a cancellation
			return ctx.Err()
		}
		if st.Code() == codes.Canceled {
			break
		}
		p.end(errSlow) // so that calls at the same time do not report a crash
		p.runner.kill()
		return p.stuckFault(doing)
	case codes.Unimplemented:
		return framework.Faultf(framework.Plugin, "plugin-version", "%s does not know the call %q", p.title(), doing).
			WithHint("build the plugin with the version of sqlcluster in use")
	case codes.Unavailable:
		// A broken connection is noticed before the end of the process is.
		if p.runner.wait(exitGrace) {
			return p.crashFault(doing)
		}
		p.runner.kill()
		p.runner.wait(killGrace)
		return framework.Faultf(framework.Plugin, "plugin-crashed", "the connection to %s broke during %s", p.title(), doing).
			WithHint(wire.ReportBug)
	case codes.Internal, codes.Unknown:
		if p.runner.wait(tidyGrace) {
			return p.crashFault(doing)
		}
	}
	return wire.Nonsense("%s", st.Message())
}

// deadlineGrace is how much earlier the caller's deadline may pass in the plugin
// than here.
const deadlineGrace = 500 * time.Millisecond

// ending returns the Fault of a process that is known to have been ended by the
// host, or nil.
func (p *Process) ending(doing string) *framework.Fault {
	switch cause := context.Cause(p.life); {
	case errors.Is(cause, errClosed):
		return wire.Closed(p.title())
	case errors.Is(cause, errHung):
		return p.hungFault("gave no sign of life for %v during %s", p.opts.CallTimeout, doing)
	case errors.Is(cause, errSlow):
		return p.stuckFault(doing)
	case errors.Is(cause, errStuck):
		return p.stuckFault("a step of a fit")
	}
	return nil
}

// stuckFault is the Fault of a step that takes too long.
func (p *Process) stuckFault(doing string) *framework.Fault {
	f := p.hungFault("took longer than %v for %s", p.opts.StepTimeout, doing)
	return f.WithHint("report it to the plugin's author; if its steps do take that long, allow them more time (%s)",
		framework.Setting("step_timeout"))
}

func (p *Process) hungFault(format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Plugin, "plugin-hung", "%s %s, and was stopped", p.title(), fmt.Sprintf(format, args...)).
		WithHint("try again; if it happens again, report it to the plugin's author")
}

// crashFault says how the process ended, and quotes its last words.
func (p *Process) crashFault(doing string) *framework.Fault {
	f := framework.Faultf(framework.Plugin, "plugin-crashed", "%s crashed during %s (%s)", p.title(), doing, p.runner.ended())
	f.Details = p.runner.stderr.lastWords()
	if p.runner.endedBySystem() {
		return f.WithHint("the system ends a process like this when memory is short (see dmesg); "+
			"fewer rows, columns or %s need less of it", framework.Setting("threads"))
	}
	return f.WithHint(wire.ReportBug)
}
