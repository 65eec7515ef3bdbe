package processes

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// A Holder keeps one process of the program for all cases, and starts another when
// it has ended.
type Holder struct {
	program     host.Program
	stepTimeout time.Duration

	Served []framework.Description
	Kinds  []framework.SetDescription

	mu      sync.Mutex
	process *host.Process
}

// Start starts a program, which must serve the names.
func Start(ctx context.Context, program host.Program, stepTimeout time.Duration, names []string) (*Holder, error) {
	h := &Holder{program: program, stepTimeout: stepTimeout}
	if err := h.describe(ctx, names); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Laws are the laws of processes, with cases for each algorithm and kind.
func (h *Holder) Laws() []judge.Law[*Holder] {
	all := slices.Clone(Laws)
	for i := range all {
		if !all[i].Once && all[i].Cases > 0 {
			all[i].Cases = max(all[i].Cases, len(h.Served), len(h.Kinds))
		}
	}
	return all
}

// describe asks the program what it serves, which must include the names.
func (h *Holder) describe(ctx context.Context, names []string) error {
	process, err := h.running(ctx)
	if err != nil {
		return err
	}
	if h.Served, err = process.Describe(ctx); err != nil {
		return err
	}
	if h.Kinds, err = process.DescribeSets(ctx); err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(h.Served, func(d framework.Description) bool { return d.Name == name }) &&
			!slices.ContainsFunc(h.Kinds, func(d framework.SetDescription) bool { return d.Kind == name }) {
			return framework.Faultf(framework.Usage, "algorithm-not-found", "the plugin has no algorithm %q", name)
		}
	}
	return nil
}

// running returns the process.
func (h *Holder) running(ctx context.Context) (*host.Process, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		if !h.process.Ended() {
			return h.process, nil
		}
		_ = h.process.Close()
		h.process = nil
	}
	var err error
	h.process, err = host.Launch(ctx, h.program, host.Options{StepTimeout: h.stepTimeout})
	return h.process, err
}

// ready returns the process that cases share. After a failed case it may be in any
// state, so the next case starts another.
func (h *Holder) ready(c *judge.Trial) *host.Process {
	p, err := h.running(c.Ctx)
	c.Must(err)
	c.AtEnd(func() {
		if c.Failed {
			h.forget(p)
			_ = p.Close()
		}
	})
	return p
}

// last is like ready, for a case that ends the process: the next case starts
// another.
func (h *Holder) last(c *judge.Trial) *host.Process {
	p := h.ready(c)
	h.forget(p)
	c.AtEnd(func() { _ = p.Close() })
	return p
}

// forget makes the next case start a new process if p is the one in use.
func (h *Holder) forget(p *host.Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == p {
		h.process = nil
	}
}

// Close ends the process that is in use.
func (h *Holder) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		_ = h.process.Close()
	}
}
