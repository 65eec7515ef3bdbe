package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// A Session is an algorithm in a plugin process, bound to a problem and its
// rows. As a framework.Clusterer its steps are calls to that process, and may
// be called concurrently as that interface says.
type Session struct {
	p       *Process
	ctx     context.Context
	id      int64
	plan    framework.Plan
	begin   *framework.Model
	selects bool

	mu    sync.Mutex
	calls map[string]int
}

var _ framework.Clusterer = (*Session)(nil)

// Open opens a session. ctx bounds the life of the session: when it is
// cancelled, calls under way return its error.
func (p *Process) Open(ctx context.Context, algorithm string, problem framework.Problem, data matrix.Handle) (*Session, error) {
	w, err := toProblem(problem)
	if err != nil {
		return nil, err
	}
	s := &Session{p: p, ctx: ctx, calls: map[string]int{}}
	call, cancel := context.WithTimeout(ctx, p.o.CallTimeout)
	defer cancel()
	reply, err := p.rpc.Open(call, &proto.OpenRequest{Algorithm: algorithm, Problem: w, Data: toData(data)})
	if err != nil {
		return nil, p.callFault(ctx, "opening the data", err)
	}
	if reply.Fault != nil {
		return nil, fromFault(reply.Fault)
	}
	s.id, s.plan, s.begin = reply.Session, fromPlan(reply.Plan), fromModel(reply.Begin)
	s.selects = reply.Selects
	return s, nil
}

// Calls returns how often each step was called.
func (s *Session) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make(map[string]int, len(s.calls))
	for name, n := range s.calls {
		calls[name] = n
	}
	return calls
}

// Close ends the session; the process goes on.
func (s *Session) Close() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), s.p.o.CallTimeout)
	defer cancel()
	_, err := s.p.rpc.Close(ctx, &proto.CloseRequest{Session: s.id})
	if err != nil {
		return s.p.callFault(s.ctx, "closing", err)
	}
	return nil
}

// callFault says what became of a call that got no reply.
func (p *Process) callFault(ctx context.Context, during string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	if status.Code(err) == codes.DeadlineExceeded {
		p.kill()
		return framework.Faultf(framework.Plugin, "plugin-hung", "the plugin %s gave no sign of life for %v while %s, and was stopped", p.name, p.o.CallTimeout, during).
			WithHint("nothing was written; try again, and report it to the plugin's author if it happens again")
	}
	select {
	case <-p.run.exited:
	case <-time.After(time.Second): // the connection can break a moment before the process has ended
		f := framework.Faultf(framework.Plugin, "plugin-failed", "the plugin %s failed while %s", p.name, during)
		f.Details = append([]string{status.Convert(err).Message()}, p.run.lastLines()...)
		return f
	}
	f := framework.Faultf(framework.Plugin, "plugin-crashed", "the plugin %s ended while %s (%v)", p.name, during, p.run.err).
		WithHint("nothing was written; this is a fault of the plugin, or of something that killed it")
	f.Details = p.run.lastLines()
	return f
}

// Fit runs the driver in the plugin process. progress, if not nil, is called
// from this goroutine after every iteration.
func (s *Session) Fit(ctx context.Context, start fit.Start, settings fit.Settings, progress func(fit.Iteration)) (*fit.Result, error) {
	s.count("fit")
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	hung := errors.New("no sign of life")
	watchdog := time.AfterFunc(s.p.o.CallTimeout, func() { cancel(hung) })
	defer watchdog.Stop()
	fault := func(err error) error {
		if errors.Is(context.Cause(ctx), hung) {
			return s.p.callFault(context.Background(), "fitting", status.Error(codes.DeadlineExceeded, ""))
		}
		return s.p.callFault(ctx, "fitting", err)
	}
	stream, err := s.p.rpc.Fit(ctx, &proto.FitRequest{Session: s.id, Start: toStart(start), Settings: toSettings(settings)})
	if err != nil {
		return nil, fault(err)
	}
	res := &fit.Result{}
	for {
		m, err := stream.Recv()
		if errors.Is(err, io.EOF) && res.Model != nil {
			return res, nil
		}
		if err != nil {
			return nil, fault(err)
		}
		watchdog.Reset(s.p.o.CallTimeout)
		switch {
		case m.Fault != nil:
			if ctx.Err() != nil {
				return nil, fault(ctx.Err())
			}
			return nil, fromFault(m.Fault)
		case m.Progress != nil && progress != nil:
			progress(fromIteration(m.Progress))
		case m.Rows != nil:
			addRows(res, m.Rows)
		case m.Summary != nil:
			addSummary(res, m.Summary)
		}
	}
}

func (s *Session) count(step string) {
	s.mu.Lock()
	s.calls[step]++
	s.mu.Unlock()
}

// replied is any reply that may carry a fault.
type replied interface{ GetFault() *proto.Fault }

// call makes one step call, within the time that is allowed for it.
func call[Q any, R replied](s *Session, ctx context.Context, step string, send func(context.Context, Q) (R, error), request Q) (R, error) {
	s.count(step)
	limited, cancel := context.WithTimeout(ctx, s.p.o.CallTimeout)
	defer cancel()
	reply, err := send(limited, request)
	if err != nil {
		return reply, s.p.callFault(ctx, fmt.Sprintf("in its step %s", step), err)
	}
	return reply, fromFault(reply.GetFault())
}
