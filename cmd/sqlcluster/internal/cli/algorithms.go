package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// An algorithm is one that fit can be told to use: built in, or of a plugin
// that was added.
type algorithm struct {
	job.Algorithm // without a Host
	program       func() (host.Program, error)
	here          []framework.Algorithm // of a built-in plugin: all its algorithms
}

// added is the lock file, and what is wrong with it. It is read when a run of
// the command begins.
var added = struct {
	file *lock.File
	err  error
}{file: new(lock.File)}

// lockName is the lock file in the user's directory for configuration.
const lockName = "plugins.lock"

// userDir returns the user's directory of sqlcluster, or nothing.
func userDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sqlcluster")
}

// readAdded reads the lock file.
func readAdded() {
	added.file, added.err = new(lock.File), nil
	if dir := userDir(); dir != "" {
		added.file, added.err = lock.Read(filepath.Join(dir, lockName))
	}
}

// algorithms lists all algorithms, the built-in ones first.
func algorithms() []algorithm {
	var all []algorithm
	for _, b := range builtins {
		for _, a := range b.algorithms {
			all = append(all, algorithm{job.Algorithm{Description: a.Describe(), Plugin: b.name, Local: a}, b.program, b.algorithms})
		}
	}
	for _, p := range added.file.Plugins {
		for _, d := range p.Algorithms {
			all = append(all, algorithm{job.Algorithm{Description: d, Plugin: p.Name, SHA256: p.SHA256}, pinned(p), nil})
		}
	}
	return all
}

// pinned returns the program of an added plugin, if its file is still the one
// that was added.
func pinned(p lock.Plugin) func() (host.Program, error) {
	return func() (host.Program, error) {
		return host.Program{Name: p.Name, Path: p.Path}, p.Verify()
	}
}

// library is what the jobs of the command cluster with.
func (a *app) library() job.Library {
	l := job.Library{Lack: added.err, Version: toolVersion()}
	options := a.settings.process()
	for _, alg := range algorithms() {
		alg.Host = func(ctx context.Context) (fit.Host, error) { return alg.host(ctx, options) }
		l.Algorithms = append(l.Algorithms, alg.Algorithm)
	}
	for _, k := range addedKinds() {
		l.Kinds = append(l.Kinds, job.Kind{SetDescription: k.SetDescription, Plugin: k.plugin.Name, SHA256: k.plugin.SHA256,
			Start: func(ctx context.Context) (job.SetHost, error) {
				program, err := pinned(k.plugin)()
				if err != nil {
					return nil, err
				}
				return host.Launch(ctx, program, options)
			}})
	}
	return l
}

// eachAlgorithm calls f for every algorithm.
func eachAlgorithm(f func(plugin string, d framework.Description)) {
	for _, a := range algorithms() {
		f(a.Plugin, a.Description)
	}
}

// completeAlgorithms completes the value of --algorithm.
func completeAlgorithms(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, a := range algorithms() {
		names = append(names, a.Name+"\t"+a.Summary)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Here makes what is built in run in this process. It is for tests, most of
// which are not about processes: starting one takes a third of a small fit.
var Here bool

// host starts the plugin of the algorithm.
func (a algorithm) host(ctx context.Context, o host.Options) (fit.Host, error) {
	if Here && a.here != nil {
		return fit.Here(a.here...), nil
	}
	program, err := a.program()
	if err != nil {
		return nil, err
	}
	program.Algorithm = a.Name
	process, err := host.Launch(ctx, program, o)
	if err != nil {
		return nil, err
	}
	return process, nil
}
