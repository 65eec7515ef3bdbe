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
	var count atomic.Uint64
	go p.listen(beats, interval, &count)
	go p.mind(&count, look)
	return nil
}

// listen counts beats for as long as the connection is up. It ends the process
// when a step of its own driver has begun and none has ended for so many beats
// that StepTimeout has passed. Beats, and not time, are counted: while the whole
// machine is suspended, or the process gets no processor, there are none.
func (p *Process) listen(beats grpc.ServerStreamingClient[pb.Beat], interval time.Duration, count *atomic.Uint64) {
	patience := p.opts.StepTimeout/interval + 2 // the step has begun before the first, and StepTimeout is no whole number of them
	var ended uint64
	for stuck := time.Duration(0); stuck <= patience; {
		beat, err := beats.Recv()
		if err != nil {
			return // who calls the plugin next will find out why
		}
		count.Add(1)
		if now := beat.GetStepsEnded(); now != ended || beat.GetStepsBegun() == now {
			ended, stuck = now, 0
		} else {
			stuck++
		}
	}
	p.end(errStuck)
	p.runner.kill()
}

// mind ends the process when there was no beat between several looks. Looks,
// and not time, are counted: after a suspension of the whole machine, the clock
// has jumped but nobody was silent.
func (p *Process) mind(count *atomic.Uint64, look time.Duration) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var last uint64
	for silent := 0; silent < beatsPerTimeout; {
		select {
		case <-p.life.Done():
			return
		case <-p.runner.exited:
			return
		case <-ticker.C:
		}
		if now := count.Load(); now != last {
			last, silent = now, 0
		} else {
			silent++
		}
	}
	p.end(errHung)
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
