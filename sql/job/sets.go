package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
)

// setHosts are the plugins whose sets are in use. One is started when the first
// set of its kinds is made.
type setHosts struct {
	ctx context.Context

	mu      sync.Mutex
	running map[string]SetHost // by name of the plugin
}

// host returns the running plugin of a kind.
func (s *setHosts) host(k Kind) (SetHost, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if running := s.running[k.Plugin]; running != nil {
		return running, nil
	}
	host, err := k.Start(s.ctx)
	if err == nil {
		s.running[k.Plugin] = host
	}
	return host, err
}

func (s *setHosts) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, host := range s.running {
		_ = host.Close()
		delete(s.running, name)
	}
}

// lazyKind is a kind whose plugin is started when a set is made.
type lazyKind struct {
	Kind
	hosts *setHosts
}

// Describe implements framework.SetKind.
func (k lazyKind) Describe() framework.SetDescription { return k.SetDescription }

// Make implements framework.SetKind.
func (k lazyKind) Make(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	host, err := k.hosts.host(k.Kind)
	if err != nil {
		return nil, err
	}
	return host.Kind(k.hosts.ctx, k.SetDescription).Make(rows, clusters, columns)
}

// readConstraints reads the constraints and makes the set of centers that they
// declare, by plugins where they serve a kind.
func (b *Job) readConstraints(ctx context.Context, src Source) error {
	if b.Settings.Constraints == "" {
		return nil
	}
	rows, err := src.ReadConstraints(ctx, b.Settings.Constraints)
	if err != nil {
		return err
	}
	b.sets = &setHosts{ctx: ctx, running: map[string]SetHost{}}
	kinds := make([]framework.SetKind, len(b.library.Kinds))
	for i, k := range b.library.Kinds {
		kinds[i] = lazyKind{k, b.sets}
	}
	unknown := func(r framework.ConstraintRow) bool {
		known := slices.ContainsFunc(b.library.Kinds, func(k Kind) bool { return k.SetDescription.Kind == r.Kind })
		return !known && !declare.Taken(r.Kind)
	}
	if b.library.Lack != nil && slices.ContainsFunc(rows, unknown) {
		return b.library.Lack
	}
	set, err := declare.Rows(rows, b.Problem, kinds...)
	if err != nil {
		return err
	}
	if set == nil {
		b.note("%s has no rows, so it has no effect", framework.Setting("constraints"))
		return nil
	}
	b.Problem.Centers, b.constraints = set, set.Rows
	if names := b.foreign(); b.vary.by != "" && len(names) > 0 {
		// There are many fits, each of which the algorithm's process makes by itself.
		return framework.Faultf(framework.Usage, "no-plugin-sets", "path does not take constraints of a kind that a plugin serves: %s",
			strings.Join(names, ", ")).
			At("constraints").WithHint("a fit takes them, one value at a time")
	}
	text, err := json.Marshal(set.Rows) // the relation's text alone does not say what its rows are
	b.fingerprint += string(text)
	for _, k := range b.storedKinds() {
		b.fingerprint += fmt.Sprint(k)
	}
	return err
}

// foreign names the kinds of the problem's set of centers that plugins serve. With
// any, the driver of this process holds the centers in the set.
func (b *Job) foreign() []string {
	if d, ok := b.Problem.Centers.(*declare.Set); ok {
		return d.Foreign
	}
	return nil
}

// sent is the problem as the algorithm's process gets it. A set that lives in
// another process is not for it.
func (b *Job) sent() framework.Problem {
	problem := b.Problem
	if len(b.foreign()) > 0 {
		problem.Centers = nil
	}
	return problem
}

// A storedKind says which plugin served a kind of a run's constraints.
type storedKind struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Plugin  string `json:"plugin"`
	SHA256  string `json:"sha256"`
}

// storedKinds are those of the problem's set of centers.
func (b *Job) storedKinds() (all []storedKind) {
	for _, name := range b.foreign() {
		for _, k := range b.library.Kinds {
			if k.SetDescription.Kind == name {
				all = append(all, storedKind{name, k.Version, k.Plugin, k.SHA256})
			}
		}
	}
	return all
}
