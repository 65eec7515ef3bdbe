package wire

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// maxDetails bounds the detail lines of a Fault on the wire, where it travels
// as a trailer.
const maxDetails = 1000

// ReportBug is the hint where only the author of the plugin can help.
const ReportBug = "this is a bug in the plugin; please report it to its author"

func Fault(f *framework.Fault) *pb.Fault {
	w := &pb.Fault{
		Class: int32(f.Class), Code: Text(f.Code), Summary: Text(f.Summary), Details: texts(f.Details[:min(len(f.Details), maxDetails)]),
		Similar: Text(f.Similar), Where: Text(f.Where), Hint: Text(f.Hint),
	}
	if f.Err != nil {
		w.Cause = Text(f.Err.Error())
	}
	return w
}

func ReadFault(w *pb.Fault) *framework.Fault {
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

// Status returns the gRPC status of an error of an algorithm, a set or the driver.
func Status(err error) error {
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
	st, err := status.New(codes.Unknown, Text(f.Error())).WithDetails(Fault(f))
	if err != nil { // cannot be encoded
		return status.Error(codes.Internal, Text(f.Error()))
	}
	return st.Err()
}

// FaultOf returns the Fault that a status carries, or nil.
func FaultOf(st *status.Status) *framework.Fault {
	for _, d := range st.Details() {
		if w, ok := d.(*pb.Fault); ok {
			return ReadFault(w)
		}
	}
	return nil
}

// Nonsense is the Fault of a message that cannot be right.
func Nonsense(format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Plugin, "plugin-nonsense", "the plugin and sqlcluster misunderstand each other: %s",
		fmt.Sprintf(format, args...)).WithHint(ReportBug)
}

// Closed is the Fault of a call of a session, set or process that has been closed.
func Closed(what string) *framework.Fault {
	return framework.Faultf(framework.Internal, "plugin-closed", "%s has been closed", what)
}
