package conformance

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// The laws of how processes end, and what they leave.

// children fits first, since some programs start others only then.
func children(c *trial, h *holder) {
	p := h.last(c)
	if len(h.served) > 0 {
		b := c.bed(h.algorithm(c), want{smooth: true})
		s := b.session(p)
		_, _ = s.Fit(c.ctx, fit.Start{}, b.starts(), nil)
	}
	c.gone(p)
	if left := p.Leftovers(); len(left) > 0 {
		c.failf("the plugin has ended, but processes that it started have not: %s", strings.Join(left, ", "))
	}
}

func cancelledFit(c *trial, h *holder) {
	b := c.bed(h.algorithm(c), want{})
	p := h.ready(c)
	s := b.session(p)
	ctx, cancel := context.WithCancel(c.ctx)
	st := b.settings(1)
	st.Restarts, st.MaxIter = 1_000_000, 1<<20 // more than anyone waits for
	ended := make(chan error, 1)
	go func() {
		_, err := s.Fit(ctx, fit.Start{}, st, func(fit.Iteration) { cancel() })
		ended <- err
	}()
	err := <-ended // the watchdog catches a fit that does not end
	cancel()
	if f := framework.AsFault(err); !errors.Is(err, context.Canceled) && (f == nil || f.Class == framework.Plugin) {
		c.failf("a cancelled fit ends with %v", err)
	}
	if err := s.Close(); err != nil {
		c.failf("the session of a cancelled fit does not close: %v", err)
	}
	alive(c, p, "a fit was cancelled")
}

func killed(c *trial, h *holder) {
	p := h.last(c)
	process, err := os.FindProcess(p.PID())
	c.must(err)
	c.must(process.Kill())
	if _, err := p.Describe(c.ctx); framework.AsFault(err) == nil || framework.AsFault(err).Code != "plugin-crashed" {
		c.failf("the next call ends with %v; it must be the Fault plugin-crashed", err)
	}
	c.gone(p)
}

// gone fails unless Close ends the process.
func (c *trial) gone(p *host.Process) {
	if err := p.Close(); err != nil {
		c.failf("Close fails: %v", err)
	}
	if !p.Ended() {
		c.failf("the process is still there after Close")
	}
}

func frozen(c *trial, h *holder) {
	p := h.start(c, host.Options{CallTimeout: silence})
	if !freeze(p.PID()) {
		c.skipf("processes cannot be stopped on this system")
	}
	var err error
	for err == nil && c.ctx.Err() == nil { // the signal may take a while; if the process never ends, the watchdog catches it
		if _, err = p.Describe(c.ctx); err == nil {
			time.Sleep(silence / 100)
		}
	}
	if f := framework.AsFault(err); f == nil || f.Code != "plugin-hung" {
		c.failf("the next call ends with %v; it must be the Fault plugin-hung", err)
	}
	c.gone(p)
}

func closes(c *trial, h *holder) {
	p := h.last(c)
	alive(c, p, "its start")
	c.gone(p)
	if p.Forced() {
		c.notef("the process did not end when it was asked to (Shutdown), and was killed")
	}
}

func orphan(c *trial, h *holder) {
	if !hasLifeline {
		c.skipf("there is nothing on this system that tells a process that its host has died")
	}
	p, patience := h.last(c), c.patience(orphanTime)
	if !p.Orphan(patience) {
		c.failf("%v after the end of its host the process is still there: "+
			"it must end when the pipe whose file number is in SQLCLUSTER_PLUGIN_LIFELINE closes", patience)
	}
}
