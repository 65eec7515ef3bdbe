package processes

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The laws of how processes end, and what they leave.

// children fits first, since some programs start others only then.
func children(c *judge.Trial, h *Holder) {
	p := h.last(c)
	if len(h.Served) > 0 {
		b := testbed.Draw(c, h.algorithm(c), testbed.Want{Smooth: true})
		s := session(b, p)
		_, _ = s.Fit(c.Ctx, fit.Start{}, starts(b), nil)
	}
	gone(c, p)
	if left := p.Leftovers(); len(left) > 0 {
		c.Failf("the plugin has ended, but processes that it started have not: %s", strings.Join(left, ", "))
	}
}

func cancelledFit(c *judge.Trial, h *Holder) {
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{})
	p := h.ready(c)
	s := session(b, p)
	ctx, cancel := context.WithCancel(c.Ctx)
	st := b.Settings(1)
	st.Restarts, st.MaxIter = 1_000_000, 1<<20 // more than anyone waits for
	ended := make(chan error, 1)
	go func() {
		_, err := s.Fit(ctx, fit.Start{}, st, func(fit.Iteration) { cancel() })
		ended <- err
	}()
	err := <-ended // the watchdog catches a fit that does not end
	cancel()
	if f := framework.AsFault(err); !errors.Is(err, context.Canceled) && (f == nil || f.Class == framework.Plugin) {
		c.Failf("a cancelled fit ends with %v", err)
	}
	if err := s.Close(); err != nil {
		c.Failf("the session of a cancelled fit does not close: %v", err)
	}
	alive(c, p, "a fit was cancelled")
}

func killed(c *judge.Trial, h *Holder) {
	p := h.last(c)
	process, err := os.FindProcess(p.PID())
	c.Must(err)
	c.Must(process.Kill())
	if _, err := p.Describe(c.Ctx); framework.AsFault(err) == nil || framework.AsFault(err).Code != "plugin-crashed" {
		c.Failf("the next call ends with %v; it must be the Fault plugin-crashed", err)
	}
	gone(c, p)
}

// gone fails unless Close ends the process.
func gone(c *judge.Trial, p *host.Process) {
	if err := p.Close(); err != nil {
		c.Failf("Close fails: %v", err)
	}
	if !p.Ended() {
		c.Failf("the process is still there after Close")
	}
}

func frozen(c *judge.Trial, h *Holder) {
	p := h.start(c, host.Options{CallTimeout: silence})
	if !freeze(p.PID()) {
		c.Skipf("processes cannot be stopped on this system")
	}
	var err error
	for err == nil && c.Ctx.Err() == nil { // the signal may take a while; if the process never ends, the watchdog catches it
		if _, err = p.Describe(c.Ctx); err == nil {
			time.Sleep(silence / 100)
		}
	}
	if f := framework.AsFault(err); f == nil || f.Code != "plugin-hung" {
		c.Failf("the next call ends with %v; it must be the Fault plugin-hung", err)
	}
	gone(c, p)
}

func closes(c *judge.Trial, h *Holder) {
	p := h.last(c)
	alive(c, p, "its start")
	gone(c, p)
	if p.Forced() {
		c.Notef("the process did not end when it was asked to (Shutdown), and was killed")
	}
}

func orphan(c *judge.Trial, h *Holder) {
	if !hasLifeline {
		c.Skipf("there is nothing on this system that tells a process that its host has died")
	}
	p, patience := h.last(c), c.Patience(orphanTime)
	if !p.Orphan(patience) {
		c.Failf("%v after the end of its host the process is still there: "+
			"it must end when the pipe whose file number is in SQLCLUSTER_PLUGIN_LIFELINE closes", patience)
	}
}
