package library

import (
	"context"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

// SetKinds returns the kinds of constraints as the framework takes them, of centers and of
// labels, and the hosts that serve them until they are closed.
func (l Library) SetKinds(ctx context.Context) (centers []framework.SetKind, labels []framework.LabelKind, hosts *SetHosts) {
	hosts = &SetHosts{ctx: ctx, running: map[string]SetHost{}}
	for _, k := range l.Kinds {
		if k.Labels {
			labels = append(labels, lazyLabels{lazyKind{k, hosts}})
		} else {
			centers = append(centers, lazyKind{k, hosts})
		}
	}
	return centers, labels, hosts
}

// SetHosts are the plugins whose sets are in use. One is started when the first
// set of its kinds is made.
type SetHosts struct {
	ctx context.Context

	mu      sync.Mutex
	running map[string]SetHost // by name of the plugin
}

// host returns the running plugin of a kind.
func (s *SetHosts) host(k Kind) (SetHost, error) {
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

// Close ends the plugins that run.
func (s *SetHosts) Close() {
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
	hosts *SetHosts
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

// lazyLabels is a kind of sets of labels.
type lazyLabels struct{ lazyKind }

// Make implements framework.LabelKind.
func (k lazyLabels) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	host, err := k.hosts.host(k.Kind)
	if err != nil {
		return nil, err
	}
	return host.LabelKind(k.hosts.ctx, k.SetDescription).Make(rows, t)
}
