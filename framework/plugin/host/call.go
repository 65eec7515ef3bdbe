package host

import (
	"context"
	"math"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A method is a call as gRPC generates it.
type method[Request, Response any] = func(context.Context, Request, ...grpc.CallOption) (Response, error)

// invoke makes one call, which may take as long as a step. Messages call it name.
func invoke[Request, Response any](
	ctx context.Context, p *Process, name string, call method[Request, Response], req Request,
) (Response, error) {
	bounded, cancel := p.calling(ctx, p.opts.StepTimeout)
	defer cancel()
	got, err := call(bounded, req)
	return got, p.explain(ctx, err, name)
}

// end makes the call that closes a session or a set.
func end[Request, Response any](p *Process, name string, call method[Request, Response], req Request) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	bounded, release := p.calling(ctx, 0)
	defer release()
	_, err := call(bounded, req)
	err = p.explain(ctx, err, name)
	switch {
	case err == nil || p.life.Err() != nil || p.runner.wait(0):
		return nil
	case ctx.Err() != nil:
		return framework.Faultf(framework.Plugin, "plugin-hung", "%s does not stop when told to", p.title()).WithHint(wire.ReportBug)
	}
	return err
}

// calling returns a context for one call: it ends with ctx, with the process,
// and after the timeout (0: none).
func (p *Process) calling(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout <= 0 {
		timeout = math.MaxInt64
	}
	call, cancel := context.WithTimeout(ctx, timeout)
	release := context.AfterFunc(p.life, cancel)
	return call, func() { release(); cancel() }
}

// firstError keeps the first error of calls that cannot return one.
type firstError struct {
	guard sync.Mutex
	err   error
}

// Err returns the first error of a call that could not return one.
func (f *firstError) Err() error {
	f.guard.Lock()
	defer f.guard.Unlock()
	return f.err
}

func (f *firstError) keep(err error) {
	f.guard.Lock()
	defer f.guard.Unlock()
	if f.err == nil {
		f.err = err
	}
}
