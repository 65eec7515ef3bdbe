package plugin

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// beatsPerTimeout is how often silence is looked at within Options.CallTimeout.
const beatsPerTimeout = 4

// watch waits for the process's first beat, and has an eye on it from then on.
func (p *Process) watch() error {
	look := p.opts.CallTimeout / beatsPerTimeout
	interval := max(time.Millisecond, min(time.Second, look/2))
	beats, err := p.calls.Watch(p.life, &pb.WatchRequest{IntervalMs: interval.Milliseconds()})
	if err != nil {
		return err
	}
	if _, err = beats.Recv(); err != nil {
		return err
	}
	s := new(signs)
	go p.listen(beats, s)
	go p.mind(s, look)
	return nil
}

// signs of life of a process: beats, and the steps in its own driver.
type signs struct{ beats, begun, ended atomic.Uint64 }

// listen counts beats for as long as the connection is up.
func (p *Process) listen(beats grpc.ServerStreamingClient[pb.Beat], s *signs) {
	for {
		beat, err := beats.Recv()
		if err != nil {
			return // who calls the plugin next will find out why
		}
		s.begun.Store(beat.GetStepsBegun())
		s.ended.Store(beat.GetStepsEnded())
		s.beats.Add(1)
	}
}

// mind ends the process when there was no beat between several looks, or when a
// step has begun and none ended between so many that StepTimeout has passed.
// Looks, and not time, are counted: after a suspension of the whole machine, the
// clock has jumped but nobody was silent.
func (p *Process) mind(s *signs, look time.Duration) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var beats, ended uint64
	cause := errHung
	patience := int(p.opts.StepTimeout/look) + 1
	for silent, stuck := 0, 0; silent < beatsPerTimeout; {
		select {
		case <-p.life.Done():
			return
		case <-p.runner.exited:
			return
		case <-ticker.C:
		}
		if now := s.beats.Load(); now != beats {
			beats, silent = now, 0
		} else {
			silent++
		}
		if now := s.ended.Load(); now != ended || s.begun.Load() == now {
			ended, stuck = now, 0
		} else if stuck++; stuck >= patience {
			cause = errStuck
			break
		}
	}
	p.end(cause)
	p.runner.kill()
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
