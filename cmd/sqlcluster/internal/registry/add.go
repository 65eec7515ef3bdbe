package registry

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// filePrefix is how the file of a plugin is called: sqlcluster-plugin-NAME.
const filePrefix = "sqlcluster-plugin-"

// Add starts a plugin, given by its path or name, and records what it says of
// itself. before is the record that it replaces, if it does.
func (r *Registry) Add(ctx context.Context, given string, o host.Options) (p lock.Plugin, before *lock.Plugin, err error) {
	if r.Lack != nil {
		return p, nil, r.Lack
	}
	path, err := find(given)
	if err != nil {
		return p, nil, err
	}
	p = lock.Plugin{Name: pluginName(path), Path: path}
	if !lock.GoodName(p.Name) {
		return p, nil, framework.Faultf(framework.Usage, "bad-plugin-name", "%q cannot be the name of a plugin", p.Name).WithWhere("%s", path).
			WithHint("call its file sqlcluster-plugin-NAME, with a NAME of letters, digits, ., - and _ that begins with a letter or digit")
	}
	for _, b := range r.BuiltIns {
		if b.Name == p.Name {
			return p, nil, framework.Faultf(framework.Usage, "plugin-taken", "there is a built-in plugin %s", p.Name).
				WithWhere("%s", path).WithHint("give the file another name")
		}
	}
	if p.SHA256, err = host.Hash(path); err != nil {
		return p, nil, framework.Faultf(framework.Plugin, "plugin-missing", "the file of plugin %s cannot be read: %v", p.Name, err).
			WithWhere("%s", path)
	}
	if err := describe(ctx, &p, o); err != nil {
		return p, nil, err
	}
	if err := r.taken(p); err != nil {
		return p, nil, err
	}
	before, err = r.file.Put(p)
	return p, before, err
}

// describe starts a plugin, and asks for its algorithms and kinds of sets.
func describe(ctx context.Context, p *lock.Plugin, o host.Options) error {
	process, err := launch(ctx, func() (host.Program, error) { return pinned(*p), nil }, "", o)
	if err != nil {
		return err
	}
	defer func() { _ = process.Close() }()
	if p.Algorithms, err = process.Describe(ctx); err != nil {
		return err
	}
	p.Sets, err = process.DescribeSets(ctx)
	return err
}

// taken returns a Fault if an algorithm or a kind of sets of the plugin has the name
// of another.
func (r *Registry) taken(p lock.Plugin) error {
	l := r.Library(host.Options{})
	for _, d := range p.Algorithms {
		if other, err := l.Find(d.Name); err == nil && other.Plugin != p.Name {
			return framework.Faultf(framework.Usage, "algorithm-taken", "plugin %s has an algorithm %s, but so has plugin %s",
				p.Name, d.Name, other.Plugin).WithWhere("%s", p.Path).
				WithHint("sqlcluster plugin remove removes a plugin that was added; a built-in one stays")
		}
	}
	for _, d := range p.Sets {
		other := slices.IndexFunc(l.Kinds, func(k library.Kind) bool { return k.Kind == d.Kind && k.Plugin != p.Name })
		owner := "sqlcluster itself"
		if !declare.Taken(d.Kind) {
			if other < 0 {
				continue
			}
			owner = "plugin " + l.Kinds[other].Plugin
		}
		return framework.Faultf(framework.Usage, "kind-taken", "plugin %s has a kind of sets %s, but so has %s", p.Name, d.Kind, owner).
			WithWhere("%s", p.Path).WithHint("sqlcluster plugin remove removes a plugin that was added")
	}
	return nil
}

// Remove forgets an added plugin.
func (r *Registry) Remove(name string) error {
	if r.Lack != nil {
		return r.Lack
	}
	if found, err := r.file.Remove(name); found || err != nil {
		return err
	}
	return r.unknown(name)
}

func (r *Registry) unknown(name string) error {
	f := framework.Faultf(framework.Usage, "unknown-plugin", "no plugin %q has been added", name).
		WithHint("sqlcluster plugin list shows the plugins")
	f.Similar = framework.Closest(name, r.Names())
	return f
}

// Names returns the names of the added plugins.
func (r *Registry) Names() (names []string) {
	for _, p := range r.file.Plugins {
		names = append(names, p.Name)
	}
	return names
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
	if isPath(given) || isFile(given) {
		path, err := filepath.Abs(given)
		if err == nil && !isFile(path) {
			why := "there is no file " + given
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				why = given + " is a directory, not a program"
			}
			return "", framework.Faultf(framework.Plugin, "plugin-missing", "%s", why).
				WithHint("give the path of a program, or the NAME of sqlcluster-plugin-NAME")
		}
		return path, err
	}
	file := filePrefix + strings.TrimPrefix(given, filePrefix)
	var places []string
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Dir(self))
	}
	if dir := UserDir(); dir != "" {
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
	f := framework.Faultf(framework.Plugin, "plugin-missing", "there is no program %s", file).
		WithHint("give the path of the program: sqlcluster plugin add PATH")
	for _, dir := range places {
		f.Details = append(f.Details, "looked in "+dir)
	}
	f.Details = append(f.Details, "looked in PATH")
	return "", f
}

// isPath reports whether a text is the path of a program, and no name.
func isPath(given string) bool {
	return strings.ContainsAny(given, "/"+string(os.PathSeparator)) || strings.HasPrefix(given, ".")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
