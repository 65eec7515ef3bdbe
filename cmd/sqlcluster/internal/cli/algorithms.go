package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// An algorithm is one that fit can be told to use: built in, or of a plugin
// that was added.
type algorithm struct {
	framework.Description
	plugin  string
	built   framework.Algorithm // nil: of an added plugin, which alone can make a clusterer
	program func() (plugin.Program, error)
	here    []framework.Algorithm // of a built-in plugin: all its algorithms
	sha256  string                // of an added plugin's file
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
			all = append(all, algorithm{Description: a.Describe(), plugin: b.name, built: a, here: b.algorithms, program: b.program})
		}
	}
	for _, p := range added.file.Plugins {
		for _, d := range p.Algorithms {
			all = append(all, algorithm{Description: d, plugin: p.Name, program: pinned(p), sha256: p.SHA256})
		}
	}
	return all
}

// pinned returns the program of an added plugin, if its file is still the one
// that was added.
func pinned(p lock.Plugin) func() (plugin.Program, error) {
	return func() (plugin.Program, error) {
		return plugin.Program{Name: p.Name, Path: p.Path}, p.Verify()
	}
}

// algorithmOf returns the algorithm of a name.
func algorithmOf(name string) (algorithm, error) {
	var known []string
	for _, a := range algorithms() {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	if added.err != nil {
		return algorithm{}, added.err
	}
	f := framework.Faultf(framework.Usage, "unknown-algorithm", "there is no algorithm %q", name).
		At("algorithm").WithHint("sqlcluster plugin list shows the algorithms")
	f.Similar = framework.Closest(name, known)
	return algorithm{}, f
}

// eachAlgorithm calls f for every algorithm.
func eachAlgorithm(f func(plugin string, d framework.Description)) {
	for _, a := range algorithms() {
		f(a.plugin, a.Description)
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
func (a algorithm) host(ctx context.Context, o plugin.Options) (fit.Host, error) {
	if Here && a.here != nil {
		return fit.Here(a.here...), nil
	}
	program, err := a.program()
	if err != nil {
		return nil, err
	}
	program.Algorithm = a.Name
	process, err := plugin.Launch(ctx, program, o)
	if err != nil {
		return nil, err
	}
	return process, nil
}

// open starts the plugin of the algorithm and binds it to a problem, until done
// is called.
func (a algorithm) open(ctx context.Context, o plugin.Options, p framework.Problem, rows *matrix.Data) (c framework.Clusterer, done func(), err error) {
	host, err := a.host(ctx, o)
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
