package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// CheckPlugin starts a program that serves algorithms and checks the laws of
// processes, and for each of its algorithms (or those that are named) the laws
// of clusterers, every step of which is then a call. The first report is that of
// the process, unless the options leave all its laws out. A program that does
// not start is an error.
func CheckPlugin(ctx context.Context, program plugin.Program, algorithms []string, o Options) ([]*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	host := &host{program: program}
	defer host.close()
	process, err := host.running(ctx)
	if err != nil {
		return nil, err
	}
	served, err := process.Describe(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range algorithms {
		if !slices.ContainsFunc(served, func(d framework.Description) bool { return d.Name == name }) {
			return nil, framework.Faultf(framework.Usage, "algorithm-not-found", "the plugin has no algorithm %q", name)
		}
	}
	host.served = served
	name := program.Name
	if name == "" {
		name = program.Path
	}
	var reports []*Report
	add := func(r *Report) {
		if r.Count(Disabled) < len(r.Verdicts) { // else nothing of it was asked for
			reports = append(reports, r)
		}
	}
	add(newReport("plugin "+name, "", o, checkLaws(ctx, processLaws, host, o.of(""))))
	for _, d := range served {
		if len(algorithms) == 0 || slices.Contains(algorithms, d.Name) {
			verdicts := checkLaws(ctx, clustererLaws, subject(remote{host, ctx, d.Name}), o.of(d.Name))
			add(newReport(d.Name, d.Version, o, verdicts))
		}
	}
	if len(reports) == 0 {
		return nil, framework.Faultf(framework.Usage, "unknown-law", "no law of plugins is called %s", strings.Join(o.Laws, ", ")).
			WithHint("their names begin with process/ and clusterer/")
	}
	return reports, nil
}

// A host keeps a process of the program for all cases, and starts another one
// when it has ended.
type host struct {
	program plugin.Program
	served  []framework.Description

	mu      sync.Mutex
	process *plugin.Process
}

// running returns the process.
func (h *host) running(ctx context.Context) (*plugin.Process, error) {
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
	h.process, err = plugin.Launch(ctx, h.program, plugin.Options{})
	return h.process, err
}

func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.process != nil {
		_ = h.process.Close()
	}
}

// remote is one algorithm of the process.
type remote struct {
	*host
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
	for _, d := range all {
		if d.Name == r.name {
			return d, nil
		}
	}
	return framework.Description{}, fmt.Errorf("the algorithm %s is not described any more", r.name)
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
	b, err := matrix.NewBuilder(rows.x.Cols, matrix.Options{RowsHint: rows.x.Rows})
	if err != nil {
		return nil, nil, err
	}
	cells, err := b.Extend(rows.x.Rows)
	if err == nil {
		copy(cells, rows.x.Data)
		if rows.weights != nil {
			err = b.SetWeights(slices.Clone(rows.weights))
		}
	}
	if err != nil {
		_ = b.Discard()
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
