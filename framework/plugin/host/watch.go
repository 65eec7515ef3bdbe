package host

import (
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// beatsPerTimeout is how many looks make up Options.CallTimeout.
const beatsPerTimeout = 4

// watch waits for the first beat of the process, and watches it from then on.
func (p *Process) watch() error {
	look := p.opts.CallTimeout / beatsPerTimeout
	interval, patience := pace(p.opts)
	beats, err := p.calls.Watch(p.life, &pb.WatchRequest{IntervalMs: interval.Milliseconds()})
	if err != nil {
		return err
	}
	if _, err = beats.Recv(); err != nil {
		return err
	}
	var count atomic.Uint64
	go p.countBeats(beats, patience, &count)
	go p.watchSilence(&count, look)
	return nil
}

// pace returns the time between two beats, and the number of beats in a row
// within one step after which the step has taken longer than StepTimeout. The
// first of these may come right after the step has begun: so the step is ended
// when StepTimeout has passed, and at most a fifth of it later (or two of the
// shortest intervals).
func pace(o Options) (interval time.Duration, patience int) {
	const parts, shortest = 12, 5 * time.Millisecond
	rounded := (o.StepTimeout/parts + time.Millisecond).Truncate(time.Millisecond) // up: messages have milliseconds
	interval = min(time.Second, o.CallTimeout/beatsPerTimeout/2, max(shortest, rounded))
	interval = max(time.Millisecond, interval.Truncate(time.Millisecond))
	return interval, int((o.StepTimeout+interval-1)/interval) + 1
}

// countBeats counts beats for as long as the connection is up. It ends the process
// when patience beats in a row are within one step of its own driver. Beats, and
// not time, are counted: there are none while the machine is suspended, or while
// the process gets no processor.
func (p *Process) countBeats(beats grpc.ServerStreamingClient[pb.Beat], patience int, count *atomic.Uint64) {
	var step stepWatch
	for step.beats < patience {
		beat, err := beats.Recv()
		if err != nil {
			return // the next call finds out why
		}
		count.Add(1)
		step.add(beat.GetStepsBegun(), beat.GetStepsEnded())
	}
	p.end(errStuck)
	p.runner.kill()
}

// A stepWatch counts the beats within one step.
type stepWatch struct {
	ended uint64
	beats int
}

// add takes the numbers of steps that have begun and ended.
func (w *stepWatch) add(begun, ended uint64) {
	switch {
	case begun == ended:
		w.beats = 0
	case ended != w.ended:
		w.beats = 1
	default:
		w.beats++
	}
	w.ended = ended
}

// watchSilence ends the process when there was no beat between several looks.
// Looks, and not time, are counted: after a suspension of the machine the clock has
// jumped, but the process was not silent.
func (p *Process) watchSilence(count *atomic.Uint64, look time.Duration) {
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
