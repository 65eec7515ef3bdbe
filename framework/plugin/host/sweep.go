package host

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

var _ tune.Sweeper = (*Session)(nil)

// Sweep makes the fits of a sweep inside the plugin, see tune.Sweep.Run. It returns
// false, before any trial, if the plugin does not serve it.
func (s *Session) Sweep(ctx context.Context, sweep tune.Sweep, each func(tune.Trial) error) (bool, error) {
	if s.Driven() {
		return false, nil
	}
	s.count("sweep")
	call, cancel := s.p.calling(ctx, 0)
	defer cancel()
	err := s.sweep(call, sweep, each)
	if status.Code(err) == codes.Unimplemented {
		return false, nil
	}
	var own callerError
	switch {
	case errors.As(err, &own):
		return true, own.error
	case framework.AsFault(err) != nil:
		return true, framework.AsFault(err)
	}
	return true, s.p.explain(ctx, err, "sweep")
}

// callerError is an error of the function that takes trials.
type callerError struct{ error }

func (s *Session) sweep(ctx context.Context, sweep tune.Sweep, each func(tune.Trial) error) error {
	req, err := wire.Sweep(s.number, sweep)
	if err != nil {
		return err
	}
	stream, err := s.p.calls.Sweep(ctx, req)
	if err != nil {
		return err
	}
	got := wire.Trials{Sweep: sweep, N: s.rows, P: s.shape.P}
	missing := len(sweep.Draws) * len(sweep.Candidates)
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			if missing > 0 {
				return wire.Nonsense("the sweep ended before all its fits")
			}
			return nil
		}
		if err != nil {
			return err
		}
		t, complete, err := got.Add(event)
		if err != nil {
			return err
		}
		if !complete {
			continue
		}
		missing--
		if err := each(t); err != nil {
			return callerError{err}
		}
	}
}
