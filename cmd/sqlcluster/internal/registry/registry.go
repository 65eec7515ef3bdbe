// Package registry knows what there is to cluster with: the algorithms that are
// built in, and the algorithms and kinds of sets of the plugins that a user has
// added.
package registry

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// Tests run the command with other values of these.
var (
	// Here makes what is built in run in this process. Starting another one takes a
	// third of a small fit.
	Here bool
	// Silence is host.Options.CallTimeout.
	Silence time.Duration
)

// A Registry is all plugins, built in and added.
type Registry struct {
	BuiltIns []BuiltIn
	Lack     error // what is wrong with the file that lists the added ones

	file *lock.File
}

// Read returns the registry of some built-in plugins and of those that the user has
// added.
func Read(builtIns ...BuiltIn) *Registry {
	r := &Registry{BuiltIns: builtIns, file: new(lock.File)}
	if dir := UserDir(); dir != "" {
		r.file, r.Lack = lock.Read(filepath.Join(dir, "plugins.lock"))
	}
	return r
}

// UserDir returns the user's directory of sqlcluster, or nothing.
func UserDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sqlcluster")
}

// Library lists the algorithms, the built-in ones first, and the kinds of sets, as
// jobs use them. The options are those of their processes.
func (r *Registry) Library(o host.Options) job.Library {
	l := job.Library{Lack: r.Lack, Version: Version()}
	for _, b := range r.BuiltIns {
		for _, a := range b.Algorithms {
			d := a.Describe()
			start := func(ctx context.Context) (fit.Host, error) {
				if Here {
					return fit.Here(b.Algorithms...), nil
				}
				return launched(ctx, b.program, d.Name, o)
			}
			l.Algorithms = append(l.Algorithms, job.Algorithm{Description: d, Plugin: b.Name, Local: a, Host: start})
		}
	}
	for _, p := range r.file.Plugins {
		for _, d := range p.Algorithms {
			start := func(ctx context.Context) (fit.Host, error) { return launched(ctx, pinned(p), d.Name, o) }
			l.Algorithms = append(l.Algorithms, job.Algorithm{Description: d, Plugin: p.Name, SHA256: p.SHA256, Host: start})
		}
		for _, d := range p.Sets {
			start := func(ctx context.Context) (job.SetHost, error) { return launch(ctx, pinned(p), "", o) }
			l.Kinds = append(l.Kinds, job.Kind{SetDescription: d, Plugin: p.Name, SHA256: p.SHA256, Start: start})
		}
	}
	return l
}

// A program finds what is started to serve a plugin.
type program func() (host.Program, error)

// pinned returns the program of an added plugin, if its file is still the one that
// was added.
func pinned(p lock.Plugin) program {
	return func() (host.Program, error) { return host.Program{Name: p.Name, Path: p.Path}, p.Verify() }
}

// launch starts the process of a plugin, for one of its algorithms if there is a
// name.
func launch(ctx context.Context, find program, algorithm string, o host.Options) (*host.Process, error) {
	p, err := find()
	if err != nil {
		return nil, err
	}
	p.Algorithm, o.CallTimeout = algorithm, Silence
	return host.Launch(ctx, p, o)
}

// launched is launch for a fit.
func launched(ctx context.Context, find program, algorithm string, o host.Options) (fit.Host, error) {
	process, err := launch(ctx, find, algorithm, o)
	if err != nil {
		return nil, err // and not a Host that is a nil process
	}
	return process, nil
}

// kind returns the added kind of sets of a name, and its plugin.
func (r *Registry) kind(name string) (d framework.SetDescription, of lock.Plugin, ok bool) {
	for _, p := range r.file.Plugins {
		if i := slices.IndexFunc(p.Sets, func(d framework.SetDescription) bool { return d.Kind == name }); i >= 0 {
			return p.Sets[i], p, true
		}
	}
	return d, of, false
}

// Program returns what serves a plugin, an algorithm or a kind of sets of a name, or
// the program of that path, and which of its algorithms and kinds are meant (none:
// all).
func (r *Registry) Program(name string) (host.Program, []string, error) {
	for _, b := range r.BuiltIns {
		if b.Name == name {
			p, err := b.program()
			return p, nil, err
		}
	}
	for _, p := range r.file.Plugins {
		if p.Name == name {
			p, err := pinned(p)()
			return p, nil, err
		}
	}
	for _, b := range r.BuiltIns {
		if slices.ContainsFunc(b.Algorithms, func(a framework.Algorithm) bool { return a.Describe().Name == name }) {
			p, err := b.program()
			return p, []string{name}, err
		}
	}
	for _, p := range r.file.Plugins {
		if slices.ContainsFunc(p.Algorithms, func(d framework.Description) bool { return d.Name == name }) {
			p, err := pinned(p)()
			return p, []string{name}, err
		}
	}
	if _, of, ok := r.kind(name); ok {
		p, err := pinned(of)()
		return p, []string{name}, err
	}
	path, err := find(name)
	return host.Program{Name: pluginName(path), Path: path}, nil, err
}

// Version is the version of the module that this program was built from.
var Version = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
})
