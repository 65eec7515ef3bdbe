// Package registry knows what there is to cluster with: the algorithms that are
// built in, and the algorithms and kinds of sets of the plugins that a user has
// added.
package registry

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/version"
	"github.com/sqlcluster/sqlcluster/sql/library"
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

	file    *lock.File
	project lock.Demands
}

// projectFile is the file in the working directory that says which plugins a project is
// locked to.
const projectFile = "sqlcluster.lock"

// Read returns the registry of some built-in plugins and of those that the user has
// added.
func Read(builtIns ...BuiltIn) *Registry {
	r := &Registry{BuiltIns: builtIns, file: new(lock.File)}
	if dir := UserDir(); dir != "" {
		r.file, r.Lack = lock.Read(filepath.Join(dir, "plugins.lock"))
	}
	var err error
	if r.project, err = lock.ReadDemands(projectFile); r.Lack == nil {
		r.Lack = err
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

// A served is a plugin: what it serves, and what is started for it.
type served struct {
	name, sha256 string
	program      func() (host.Program, error)
	algorithms   []framework.Description
	sets         []framework.SetDescription
	local        []framework.Algorithm // of one that is built in
}

// plugins lists the plugins, the built-in ones first.
func (r *Registry) plugins() (all []served) {
	for _, b := range r.BuiltIns {
		p := served{name: b.Name, program: b.program, local: b.Algorithms}
		for _, a := range b.Algorithms {
			p.algorithms = append(p.algorithms, a.Describe())
		}
		all = append(all, p)
	}
	for _, p := range r.file.Plugins {
		program := func() (host.Program, error) {
			if r.Lack != nil {
				return host.Program{}, r.Lack
			}
			return pinned(p), r.project.Check(p, projectFile)
		}
		all = append(all, served{p.Name, p.SHA256, program, p.Algorithms, p.Sets, nil})
	}
	return all
}

// pinned is what is started of an added plugin: the bytes that were added, and no others.
func pinned(p lock.Plugin) host.Program {
	return host.Program{Name: p.Name, Path: p.Path, SHA256: p.SHA256, Guard: guard()}
}

// serves reports whether a plugin has an algorithm or a kind of sets of a name.
func (p *served) serves(name string) bool {
	return slices.ContainsFunc(p.algorithms, func(d framework.Description) bool { return d.Name == name }) ||
		slices.ContainsFunc(p.sets, func(d framework.SetDescription) bool { return d.Kind == name })
}

// Lock writes a line for each added plugin of these names, or for all, as a project's
// file has them.
func (r *Registry) Lock(names []string) (text string, err error) {
	if r.Lack != nil {
		return "", r.Lack
	}
	for _, name := range names {
		if !slices.Contains(r.Names(), name) {
			return "", r.unknown(name)
		}
	}
	for _, p := range r.file.Plugins {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			text += p.SHA256 + "  " + p.Name + "\n"
		}
	}
	return text, nil
}

// NotAdded lists the plugins that the project is locked to, and that have not been added.
func (r *Registry) NotAdded() (names []string) {
	for name := range r.project {
		if !slices.Contains(r.Names(), name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Library lists the algorithms and the kinds of sets as jobs use them. The options
// are those of their processes.
func (r *Registry) Library(o host.Options) library.Library {
	l := library.Library{Lack: r.Lack, Version: version.Current().Name}
	for _, p := range r.plugins() {
		here := fit.Here(p.local...)
		for i, d := range p.algorithms {
			a := library.Algorithm{Description: d, Plugin: p.name, SHA256: p.sha256}
			if p.local != nil {
				a.Local = p.local[i]
			}
			a.Host = func(ctx context.Context) (fit.Host, error) {
				if Here && p.local != nil {
					return here, nil
				}
				process, err := launch(ctx, p.program, d.Name, o)
				if err != nil {
					return nil, err // and not a Host that is a nil process
				}
				return process, nil
			}
			l.Algorithms = append(l.Algorithms, a)
		}
		for _, d := range p.sets {
			start := func(ctx context.Context) (library.SetHost, error) { return launch(ctx, p.program, "", o) }
			l.Kinds = append(l.Kinds, library.Kind{SetDescription: d, Plugin: p.name, SHA256: p.sha256, Start: start})
		}
	}
	return l
}

// launch starts the process of a plugin, for one of its algorithms if there is a
// name.
func launch(ctx context.Context, find func() (host.Program, error), algorithm string, o host.Options) (*host.Process, error) {
	p, err := find()
	if err != nil {
		return nil, err
	}
	p.Algorithm, o.CallTimeout = algorithm, Silence
	process, err := host.Launch(ctx, p, o)
	return process, Remedy(p, err)
}

// Remedy names the commands that help where the file of an added plugin is not what it
// was.
func Remedy(p host.Program, err error) error {
	f := framework.AsFault(err)
	if f == nil || p.SHA256 == "" {
		return err
	}
	switch f.Code {
	case "plugin-changed":
		return f.WithHint("if you trust the new file: sqlcluster plugin add %s", framework.ShellWord(p.Path))
	case "plugin-missing":
		return f.WithHint("put it back, or: sqlcluster plugin remove %s", framework.ShellWord(p.Name))
	}
	return err
}

// Program returns what serves a plugin, an algorithm or a kind of sets of a name, or
// the program of that path, and which of its algorithms and kinds are meant (none:
// all).
func (r *Registry) Program(name string) (p host.Program, only []string, err error) {
	all := r.plugins()
	i := slices.IndexFunc(all, func(p served) bool { return p.name == name })
	if i < 0 {
		i, only = slices.IndexFunc(all, func(p served) bool { return p.serves(name) }), []string{name}
	}
	if i >= 0 {
		p, err = all[i].program()
		return p, only, err
	}
	if !isPath(name) {
		f := framework.Faultf(framework.Usage, "unknown-plugin", "no plugin, algorithm or kind of sets %q has been added", name).
			WithHint("give the path of a program, with a /, to run one that has not been added")
		f.Similar = framework.Closest(name, r.Names())
		return p, nil, f
	}
	path, err := find(name)
	return host.Program{Name: pluginName(path), Path: path, Guard: guard()}, nil, err
}
