package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// An addedKind is a kind of sets of centers that an added plugin serves.
type addedKind struct {
	framework.SetDescription
	plugin lock.Plugin
}

// addedKinds lists the kinds of sets of all added plugins.
func addedKinds() []addedKind {
	var all []addedKind
	for _, p := range added.file.Plugins {
		for _, d := range p.Sets {
			all = append(all, addedKind{d, p})
		}
	}
	return all
}

// kindOf returns the added kind of a name, or nil.
func kindOf(name string) *addedKind {
	all := addedKinds()
	if i := slices.IndexFunc(all, func(k addedKind) bool { return k.Kind == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// setProcesses are the processes of plugins whose sets are in use. One is started
// when the first set of its plugin is made.
type setProcesses struct {
	ctx     context.Context
	options plugin.Options

	mu      sync.Mutex
	running map[string]*plugin.Process // by name of the plugin
}

func newSetProcesses(ctx context.Context, o plugin.Options) *setProcesses {
	return &setProcesses{ctx: ctx, options: o, running: map[string]*plugin.Process{}}
}

// kinds returns all added kinds, as declare.Rows takes them.
func (s *setProcesses) kinds() []framework.SetKind {
	var all []framework.SetKind
	for _, k := range addedKinds() {
		all = append(all, lazyKind{k, s})
	}
	return all
}

// process returns the running process of a plugin.
func (s *setProcesses) process(p lock.Plugin) (*plugin.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if running := s.running[p.Name]; running != nil {
		return running, nil
	}
	program, err := pinned(p)()
	if err != nil {
		return nil, err
	}
	process, err := plugin.Launch(s.ctx, program, s.options)
	if err == nil {
		s.running[p.Name] = process
	}
	return process, err
}

func (s *setProcesses) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, process := range s.running {
		_ = process.Close()
		delete(s.running, name)
	}
}

// lazyKind is a kind that is described by the lock file, and whose plugin is
// started when a set is made.
type lazyKind struct {
	addedKind
	processes *setProcesses
}

// Describe implements framework.SetKind.
func (k lazyKind) Describe() framework.SetDescription { return k.SetDescription }

// Make implements framework.SetKind.
func (k lazyKind) Make(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	process, err := k.processes.process(k.plugin)
	if err != nil {
		return nil, err
	}
	return process.Kind(k.processes.ctx, k.SetDescription).Make(rows, clusters, columns)
}

// declare makes the set of centers that the rows declare, by plugins where they
// serve a kind.
func (p *prepared) declare(ctx context.Context, rows []framework.ConstraintRow, o plugin.Options) (*declare.Set, error) {
	p.sets = newSetProcesses(ctx, o)
	unknown := func(r framework.ConstraintRow) bool { return !declare.Taken(r.Kind) && kindOf(r.Kind) == nil }
	if added.err != nil && slices.ContainsFunc(rows, unknown) {
		return nil, added.err // it might be of a plugin that is not known now
	}
	return declare.Rows(rows, p.problem, p.sets.kinds()...)
}

// foreign names the kinds of the problem's set of centers that plugins serve. With
// any, the driver of this process holds the centers in the set.
func (p *prepared) foreign() []string {
	if d, ok := p.problem.Centers.(*declare.Set); ok {
		return d.Foreign
	}
	return nil
}

// sent is the problem as the algorithm's process gets it. A set that lives in
// another process is not for it.
func (p *prepared) sent() framework.Problem {
	problem := p.problem
	if len(p.foreign()) > 0 {
		problem.Centers = nil
	}
	return problem
}

// refuseForeign returns a Fault if the centers are restricted by sets of plugins.
func (p *prepared) refuseForeign(command string) error {
	kinds := p.foreign()
	if len(kinds) == 0 {
		return nil
	}
	return framework.Faultf(framework.Usage, "no-plugin-sets", "%s does not take constraints of a kind that a plugin serves: %s", command, strings.Join(kinds, ", ")).
		At("constraints").WithHint("sqlcluster fit takes them, one value at a time")
}

// A storedKind says which plugin served a kind of a run's constraints.
type storedKind struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Plugin  string `json:"plugin"`
	SHA256  string `json:"sha256"`
}

// storedKinds are those of the problem's set of centers.
func (p *prepared) storedKinds() (all []storedKind) {
	for _, name := range p.foreign() {
		if k := kindOf(name); k != nil {
			all = append(all, storedKind{k.Kind, k.Version, k.plugin.Name, k.plugin.SHA256})
		}
	}
	return all
}

// kindTable lists the kinds of sets of added plugins.
func kindTable() render.Table {
	t := render.Table{Name: "sets", Columns: []string{"set", "plugin", "version", "summary"}}
	for _, k := range addedKinds() {
		t.Rows = append(t.Rows, []any{k.Kind, k.plugin.Name, k.Version, k.Summary})
	}
	return t
}

// describeKind shows a kind of sets and its example.
func (a *app) describeKind(k *addedKind) error {
	t := render.Table{Name: "example", Columns: []string{"kind", "name", "cluster", "feature", "coef", "lo", "hi", "value"}}
	for _, r := range k.Example {
		var name any
		if r.Name != "" {
			name = r.Name
		}
		t.Rows = append(t.Rows, []any{r.Kind, name, orNull(r.Cluster), orNull(r.Feature), orNull(r.Coef), orNull(r.Lo), orNull(r.Hi), orNull(r.Value)})
	}
	if a.settings.output == "table" {
		uses := "none"
		if len(k.Uses) > 0 {
			uses = strings.Join(k.Uses, ", ")
		}
		_, _ = fmt.Fprintf(a.out, "%s %s: %s\nsource: %s\nserved by: plugin %s\ncolumns of --constraints that it reads: %s\nan example, for features f1 to f5 and 3 clusters:\n\n",
			k.Kind, k.Version, k.Summary, k.Source, k.plugin.Name, uses)
	}
	return render.Write(a.out, a.settings.output, t)
}

// orNull returns what p points to, or nil.
func orNull[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
