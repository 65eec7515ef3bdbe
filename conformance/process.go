package conformance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// CheckPlugin starts a program and checks the laws of processes, then the laws of
// clusterers for each of its algorithms, with every step a call, and the laws of
// sets for each of its kinds of sets. names are the algorithms and kinds to check;
// nil means all. The first report is about the process, unless the options leave
// out all its laws. A program that does not start is an error.
func CheckPlugin(ctx context.Context, program host.Program, names []string, o Options) ([]*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	holder := &holder{program: program, stepTimeout: o.StepTimeout}
	defer holder.close()
	if err := holder.describe(ctx, names); err != nil {
		return nil, err
	}
	name := cmp.Or(program.Name, program.Path)
	var reports []*Report
	add := func(r *Report) {
		if r.Count(Disabled) < len(r.Verdicts) { // some law was asked for
			reports = append(reports, r)
		}
	}
	add(newReport("plugin "+name, "", o, checkLaws(ctx, holder.laws(), holder, o.of(""))))
	wanted := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	for _, d := range holder.served {
		if wanted(d.Name) {
			verdicts := checkLaws(ctx, clustererLaws, subject(remote{holder, ctx, d.Name}), o.of(d.Name))
			add(newReport(d.Name, d.Version, o, verdicts))
		}
	}
	for _, d := range holder.kinds {
		if wanted(d.Kind) {
			k := &kind{holder: holder, ctx: ctx, d: d}
			add(newReport("set "+d.Kind, d.Version, o, kindVerdicts(ctx, subjectKind{d, k.served}, o)))
		}
	}
	if len(reports) == 0 {
		return nil, framework.Faultf(framework.Usage, "unknown-law", "no law of what the plugin serves is called %s", strings.Join(o.Laws, ", ")).
			WithHint("the names begin with process/, with clusterer/ for algorithms, and with kind/ and set/ for kinds of sets")
	}
	return reports, nil
}

// laws are the laws of processes, with cases for each algorithm and kind.
func (h *holder) laws() []law[*holder] {
	all := slices.Concat(processLaws, setProcessLaws)
	for i := range all {
		if !all[i].once && all[i].cases > 0 {
			all[i].cases = max(all[i].cases, len(h.served), len(h.kinds))
		}
	}
	return all
}

// describe asks the program what it serves, and picks the names that are wanted.
func (h *holder) describe(ctx context.Context, names []string) error {
	process, err := h.running(ctx)
	if err != nil {
		return err
	}
	if h.served, err = process.Describe(ctx); err != nil {
		return err
	}
	if h.kinds, err = process.DescribeSets(ctx); err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(h.served, func(d framework.Description) bool { return d.Name == name }) &&
			!slices.ContainsFunc(h.kinds, func(d framework.SetDescription) bool { return d.Kind == name }) {
			return framework.Faultf(framework.Usage, "algorithm-not-found", "the plugin has no algorithm %q", name)
		}
	}
	return nil
}

// A holder keeps one process of the program for all cases, and starts another when
// it has ended.
type holder struct {
	program     host.Program
	stepTimeout time.Duration

	served []framework.Description
	kinds  []framework.SetDescription

	mu      sync.Mutex
	process *host.Process
}

// running returns the process.
func (h *holder) running(ctx context.Context) (*host.Process, error) {
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
func (h *holder) ready(c *trial) *host.Process {
	p, err := h.running(c.ctx)
	c.must(err)
	c.atEnd(func() {
		if c.failed {
			h.forget(p)
			_ = p.Close()
		}
	})
	return p
}

// last is like ready, for a case that ends the process: the next case starts
// another.
func (h *holder) last(c *trial) *host.Process {
	p := h.ready(c)
	h.forget(p)
	c.atEnd(func() { _ = p.Close() })
	return p
}

// forget makes the next case start a new process if p is the one in use.
func (h *holder) forget(p *host.Process) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process == p {
		h.process = nil
	}
}

func (h *holder) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		_ = h.process.Close()
	}
}

// remote is one algorithm of the process.
type remote struct {
	*holder
	ctx  context.Context
	name string
}

func (r remote) served() bool { return true }

func (r remote) describe() (framework.Description, error) {
	process, err := r.running(r.ctx)
	if err != nil {
		return framework.Description{}, err
	}
	all, err := process.Describe(r.ctx)
	if err != nil {
		return framework.Description{}, err
	}
	i := slices.IndexFunc(all, func(d framework.Description) bool { return d.Name == r.name })
	if i < 0 {
		return framework.Description{}, fmt.Errorf("the algorithm %s is not described any more", r.name)
	}
	return all[i], nil
}

func (r remote) open(p framework.Problem, rows sample) (framework.Clusterer, *matrix.Data, func(), error) {
	process, err := r.running(r.ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	data, release, err := share(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	session, err := process.Open(r.ctx, r.name, p, data.Handle())
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return session.Clusterer(), data, func() { _ = session.Close(); release() }, nil
}

// share puts rows where another process can see them.
func share(rows sample) (*matrix.Data, func(), error) {
	b, err := matrix.BuilderOf(rows.x, rows.weights, matrix.Options{Storage: matrix.Memory})
	if err != nil {
		return nil, nil, err
	}
	sealed, err := b.Seal()
	if err != nil {
		return nil, nil, err
	}
	handle := sealed.Handle()
	handle.BlockRows = rows.blockRows
	data, err := matrix.Open(handle)
	if err != nil {
		_ = sealed.Close()
		return nil, nil, err
	}
	return data, func() { _ = data.Close(); _ = sealed.Close() }, nil
}
