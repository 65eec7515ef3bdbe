// Package library describes what there is to cluster with, algorithms and kinds of
// constraints, and starts it. Where an algorithm runs is up to its Host: the process
// of a plugin, or this one.
package library

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Library is what there is to cluster with.
type Library struct {
	Algorithms []Algorithm
	Kinds      []Kind // of constraints, beyond those that come with the framework

	// Lack says why there may be more that are not known, such as an unreadable list
	// of plugins; nil if there are not. It is the fault of a name that is not known.
	Lack error

	Version string // of the program, which results record
}

// An Algorithm is one that a fit can use.
type Algorithm struct {
	framework.Description
	Plugin string // that serves it
	SHA256 string // of the plugin's file, if it was added

	// Local makes a Clusterer in this process, without a Host. It is nil where only
	// the process of a plugin can.
	Local framework.Algorithm

	// Host starts where the algorithm runs: the process of its plugin, or fit.Here.
	Host func(ctx context.Context) (fit.Host, error)
}

// Here returns the Library of algorithms that run in this process.
func Here(algorithms ...framework.Algorithm) Library {
	var l Library
	here := fit.Here(algorithms...)
	host := func(context.Context) (fit.Host, error) { return here, nil }
	for _, a := range algorithms {
		l.Algorithms = append(l.Algorithms, Algorithm{Description: a.Describe(), Local: a, Host: host})
	}
	return l
}

// InThisProcess returns the same library, but those algorithms that can run in this
// process do so: for fits that are too small for a process of their own. Their Host has
// them all, as that of a plugin does: a path may end with another algorithm.
func (l Library) InThisProcess() Library {
	all := l.Algorithms
	l.Algorithms = nil
	var local []framework.Algorithm
	for _, a := range all {
		if a.Local != nil {
			local = append(local, a.Local)
		}
	}
	here := fit.Here(local...)
	for _, a := range all {
		if a.Local != nil {
			a.Host = func(context.Context) (fit.Host, error) { return here, nil }
		}
		l.Algorithms = append(l.Algorithms, a)
	}
	return l
}

// A Kind is one of sets of centers that a plugin serves.
type Kind struct {
	framework.SetDescription
	Plugin string // its name
	SHA256 string // of its file

	// Start starts the plugin, which is done once for all its kinds.
	Start func(ctx context.Context) (SetHost, error)
}

// A SetHost serves kinds of sets: the process of a plugin.
type SetHost interface {
	Kind(ctx context.Context, d framework.SetDescription) framework.SetKind
	LabelKind(ctx context.Context, d framework.SetDescription) framework.LabelKind
	Close() error
}

// Find returns the algorithm of a name.
func (l Library) Find(name string) (Algorithm, error) {
	var known []string
	for _, a := range l.Algorithms {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	if l.Lack != nil {
		return Algorithm{}, l.Lack
	}
	f := framework.Faultf(framework.Usage, "unknown-algorithm", "there is no algorithm %q", name).At("algorithm")
	f.Similar = framework.Closest(name, known)
	return Algorithm{}, f
}

// Names returns the names of the algorithms that are what is asked for.
func (l Library) Names(is func(framework.Description) bool) (names []string) {
	for _, a := range l.Algorithms {
		if is(a.Description) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Having returns the names of the algorithms that have a parameter of that name.
func (l Library) Having(param string) []string {
	return l.Names(func(d framework.Description) bool { _, ok := d.Param(param); return ok })
}

// Open starts the algorithm and binds it to a problem, until done is called.
func (a Algorithm) Open(ctx context.Context, p framework.Problem, rows *matrix.Data) (c framework.Clusterer, done func(), err error) {
	host, err := a.Host(ctx)
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = host.Close() }
	session, err := host.Bind(ctx, a.Name, p, rows)
	if err != nil {
		done()
		return nil, nil, err
	}
	return session.Clusterer(), done, nil
}

// A Running is an algorithm that is being started.
type Running struct {
	done   chan struct{}
	cancel context.CancelFunc
	host   fit.Host
	err    error
}

// Start starts the algorithm in the background.
func (a Algorithm) Start(ctx context.Context) *Running {
	ctx, cancel := context.WithCancel(ctx)
	r := &Running{done: make(chan struct{}), cancel: cancel}
	go func() {
		defer close(r.done)
		r.host, r.err = a.Host(ctx)
	}()
	return r
}

// Wait returns where the algorithm runs, once it does.
func (r *Running) Wait() (fit.Host, error) {
	<-r.done
	return r.host, r.err
}

// Close ends what has been started, or is being started.
func (r *Running) Close() {
	r.cancel()
	if host, err := r.Wait(); err == nil {
		_ = host.Close()
	}
}

// Parameters returns the names of the parameters that algorithms have, in order.
func (l Library) Parameters() []string {
	var names []string
	for _, a := range l.Algorithms {
		for _, p := range a.Params {
			names = append(names, p.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
