package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// filePrefix is how the file of a plugin is called: sqlcluster-plugin-NAME.
const filePrefix = "sqlcluster-plugin-"

func (a *app) pluginAddCommand() *cobra.Command {
	return &cobra.Command{
		Use: "add PLUGIN", Short: "Add the algorithms and kinds of sets of a plugin",
		Long: `Start a plugin once, ask it for its algorithms and kinds of sets, and record
them with the path and the SHA-256 of its file. From then on fit -a ALGORITHM uses
it, and so do rows of --constraints of such a kind, as long as the file does not
change. Adding a plugin again replaces its record.

PLUGIN is the path of a program, or a NAME: then sqlcluster looks for
sqlcluster-plugin-NAME beside itself, in sqlcluster/plugins of the user's
configuration directory, and in PATH, in this order. A plugin runs with your rights: add
only what you trust.`,
		Example: `  sqlcluster plugin add ./sqlcluster-plugin-spherical
  sqlcluster plugin add spherical`,
		Args: takes("PLUGIN"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginAdd(c.Context(), args[0]) },
	}
}

func (a *app) pluginRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", SuggestFor: []string{"delete", "drop", "rm"}, Short: "Forget a plugin that was added; its file stays", Args: takes("NAME"),
		Example: `  sqlcluster plugin remove spherical`,
		RunE: func(_ *cobra.Command, args []string) error {
			if added.err != nil {
				return added.err
			}
			found, err := added.file.Remove(args[0])
			if err != nil {
				return err
			}
			if !found {
				return unknownPlugin(args[0])
			}
			a.note("removed plugin %s", args[0])
			return nil
		},
	}
}

// unknownPlugin is the Fault of a name that no added plugin has.
func unknownPlugin(name string) error {
	var known []string
	for _, p := range added.file.Plugins {
		known = append(known, p.Name)
	}
	f := framework.Faultf(framework.Usage, "unknown-plugin", "no plugin %q has been added", name).WithHint("sqlcluster plugin list shows the plugins")
	f.Similar = framework.Closest(name, known)
	return f
}

func (a *app) pluginAdd(ctx context.Context, given string) error {
	if added.err != nil {
		return added.err
	}
	path, err := find(given)
	if err != nil {
		return err
	}
	p := lock.Plugin{Name: pluginName(path), Path: path}
	for _, b := range builtins {
		if b.name == p.Name {
			return framework.Faultf(framework.Usage, "plugin-taken", "there is a built-in plugin %s", p.Name).WithWhere("%s", path).WithHint("give the file another name")
		}
	}
	if p.SHA256, err = lock.Hash(path); err != nil {
		return framework.Faultf(framework.Plugin, "plugin-missing", "the file of plugin %s cannot be read: %v", p.Name, err).WithWhere("%s", path)
	}
	if p.Algorithms, p.Sets, err = describe(ctx, host.Program{Name: p.Name, Path: path}, a.settings.process()); err != nil {
		return err
	}
	if err := p.Verify(); err != nil { // what was asked is what was hashed
		return err
	}
	for _, d := range p.Algorithms {
		for _, other := range algorithms() {
			if other.Name == d.Name && other.Plugin != p.Name {
				return framework.Faultf(framework.Usage, "algorithm-taken", "plugin %s has an algorithm %s, but so has plugin %s", p.Name, d.Name, other.Plugin).
					WithWhere("%s", path).WithHint("sqlcluster plugin remove removes a plugin that was added; a built-in one stays")
			}
		}
	}
	if err := kindsTaken(p); err != nil {
		return err
	}
	before, err := added.file.Put(p)
	if err != nil {
		return err
	}
	a.sayAdded(p, before)
	return nil
}

// kindsTaken returns a Fault if a kind of sets of the plugin has the name of
// another.
func kindsTaken(p lock.Plugin) error {
	for _, d := range p.Sets {
		other := kindOf(d.Kind)
		owner := ""
		switch {
		case declare.Taken(d.Kind):
			owner = "sqlcluster itself"
		case other != nil && other.plugin.Name != p.Name:
			owner = "plugin " + other.plugin.Name
		default:
			continue
		}
		return framework.Faultf(framework.Usage, "kind-taken", "plugin %s has a kind of sets %s, but so has %s", p.Name, d.Kind, owner).
			WithWhere("%s", p.Path).WithHint("sqlcluster plugin remove removes a plugin that was added")
	}
	return nil
}

func (a *app) sayAdded(p lock.Plugin, before *lock.Plugin) {
	var names []string
	for _, d := range p.Algorithms {
		names = append(names, d.Name+" "+d.Version)
	}
	for _, d := range p.Sets {
		names = append(names, "set "+d.Kind+" "+d.Version)
	}
	a.note("added plugin %s from %s: %s", p.Name, p.Path, strings.Join(names, ", "))
	a.note("sha256 %s", p.SHA256)
	if before != nil && before.SHA256 != p.SHA256 {
		a.note("it replaces the file with sha256 %s", before.SHA256)
	}
	a.note("sqlcluster plugin verify %s checks it", shellWord(p.Name))
}

// describe starts a plugin, and asks for its algorithms and kinds of sets.
func describe(ctx context.Context, program host.Program, o host.Options) ([]framework.Description, []framework.SetDescription, error) {
	process, err := host.Launch(ctx, program, o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = process.Close() }()
	algorithms, err := process.Describe(ctx)
	if err != nil {
		return nil, nil, err
	}
	sets, err := process.DescribeSets(ctx)
	return algorithms, sets, err
}

// pluginName is the name of a plugin by the name of its file.
func pluginName(path string) string {
	name := strings.TrimPrefix(filepath.Base(path), filePrefix)
	if runtime.GOOS == "windows" {
		name = strings.TrimSuffix(name, ".exe")
	}
	return name
}

// find returns the absolute path of a plugin's file, by its path or name.
func find(given string) (string, error) {
	if strings.ContainsRune(given, os.PathSeparator) || strings.HasPrefix(given, ".") || isFile(given) {
		path, err := filepath.Abs(given)
		if err == nil && !isFile(path) {
			why := "there is no file " + given
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				why = given + " is a directory, not a program"
			}
			return "", framework.Faultf(framework.Plugin, "plugin-missing", "%s", why).WithHint("give the path of a program, or the NAME of sqlcluster-plugin-NAME")
		}
		return path, err
	}
	file := filePrefix + strings.TrimPrefix(given, filePrefix)
	var places []string
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(self))
	}
	if dir := userDir(); dir != "" {
		places = append(places, filepath.Join(dir, "plugins"))
	}
	for _, dir := range places {
		if path, err := exec.LookPath(filepath.Join(dir, file)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(file)
	if err == nil {
		return filepath.Abs(path)
	}
	f := framework.Faultf(framework.Plugin, "plugin-missing", "there is no program %s", file).WithHint("give the path of the program: sqlcluster plugin add PATH")
	for _, dir := range places {
		f.Details = append(f.Details, "looked in "+dir)
	}
	f.Details = append(f.Details, "looked in PATH")
	return "", f
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
