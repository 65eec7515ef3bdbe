package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// maxDetails bounds the detail lines of a Fault on the wire, where it travels
// as a trailer.
const maxDetails = 1000

// reportBug is the hint where only the author of the plugin can help.
const reportBug = "this is a bug in the plugin; please report it to its author"

// valid returns text that a protobuf string can hold.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func wireFault(f *framework.Fault) *pb.Fault {
	w := &pb.Fault{
		Class: int32(f.Class), Code: valid(f.Code), Summary: valid(f.Summary),
		Similar: valid(f.Similar), Where: valid(f.Where), Hint: valid(f.Hint),
	}
	for _, d := range f.Details[:min(len(f.Details), maxDetails)] {
		w.Details = append(w.Details, valid(d))
	}
	if f.Err != nil {
		w.Cause = valid(f.Err.Error())
	}
	return w
}

func readFault(w *pb.Fault) *framework.Fault {
	f := &framework.Fault{
		Class: framework.Class(w.GetClass()), Code: w.GetCode(), Summary: w.GetSummary(), Details: w.GetDetails(),
		Similar: w.GetSimilar(), Where: w.GetWhere(), Hint: w.GetHint(),
	}
	if f.Class < framework.Internal || f.Class > framework.Plugin {
		f.Class = framework.Plugin
	}
	if w.GetCause() != "" {
		f.Err = errors.New(w.GetCause())
	}
	return f
}

// toStatus returns the gRPC status of an error of an algorithm or the driver.
func toStatus(err error) error {
	if err == nil {
		return nil
	}
	if f := framework.AsFault(err); f != nil {
		return faultStatus(f)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return status.FromContextError(err).Err()
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	return faultStatus(framework.Faultf(framework.Plugin, "plugin-error", "the algorithm failed: %v", err))
}

func faultStatus(f *framework.Fault) error {
	st, err := status.New(codes.Unknown, valid(f.Error())).WithDetails(wireFault(f))
	if err != nil { // cannot be encoded
		return status.Error(codes.Internal, valid(f.Error()))
	}
	return st.Err()
}

// fromStatus returns the Fault that a status carries, or nil.
func fromStatus(st *status.Status) *framework.Fault {
	for _, d := range st.Details() {
		if w, ok := d.(*pb.Fault); ok {
			return readFault(w)
		}
	}
	return nil
}

// caught turns a panic of the algorithm into *err. Its stack goes to standard
// error, for the author, with an empty line at the end. To be deferred.
func caught(err *error) {
	r := recover()
	if r == nil {
		return
	}
	fmt.Fprintf(os.Stderr, "recovered from panic: %v\n%s\n", r, debug.Stack())
	*err = framework.Faultf(framework.Plugin, "plugin-panic", "the algorithm stopped with an internal error: %v", r).WithHint(reportBug)
}

// nonsense is the Fault of a message that cannot be.
func nonsense(format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Plugin, "plugin-nonsense", "the plugin and sqlcluster misunderstand each other: %s",
		fmt.Sprintf(format, args...)).WithHint(reportBug)
}

func closedFault(what string) *framework.Fault {
	return framework.Faultf(framework.Internal, "plugin-closed", "%s has been closed", what)
}

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
	if f := fromStatus(st); f != nil {
		return f
	}
	if f := p.ending(doing); f != nil {
		return f
	}
	switch st.Code() {
	case codes.ResourceExhausted:
		return framework.Faultf(framework.Data, "plugin-message-size", "%s of %s needs a message above %d MiB", doing, p.title(), maxMessage>>20).
			WithHint("use %s, fewer clusters or fewer columns", framework.SettingTo("driver", "plugin"))
	case codes.DeadlineExceeded:
		if end, ok := ctx.Deadline(); ok && time.Until(end) < deadlineGrace {
			<-ctx.Done() // the process, which is told of the deadline, was a moment faster
			return ctx.Err()
		}
		p.end(errSlow) // so that calls beside this one are not told of a crash
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
		return framework.Faultf(framework.Plugin, "plugin-crashed", "the connection to %s broke during %s", p.title(), doing).WithHint(reportBug)
	case codes.Internal, codes.Unknown:
		if p.runner.wait(tidyGrace) {
			return p.crashFault(doing)
		}
	}
	return nonsense("%s", st.Message())
}

// deadlineGrace is how much earlier than here the caller's deadline may pass in
// the process of a plugin.
const deadlineGrace = 500 * time.Millisecond

// ending returns the Fault of a process that is known to have been ended by the
// host, or nil.
func (p *Process) ending(doing string) *framework.Fault {
	switch cause := context.Cause(p.life); {
	case errors.Is(cause, errClosed):
		return closedFault(p.title())
	case errors.Is(cause, errHung):
		return p.hungFault("gave no sign of life for %v during %s", p.opts.CallTimeout, doing)
	case errors.Is(cause, errSlow):
		return p.stuckFault(doing)
	case errors.Is(cause, errStuck):
		return p.stuckFault("a step of a fit")
	}
	return nil
}

// stuckFault is that of a step that takes too long.
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
		return f.WithHint("the system ends a process like this when memory is short (see dmesg); fewer rows, columns or %s need less of it",
			framework.Setting("threads"))
	}
	return f.WithHint(reportBug)
}
