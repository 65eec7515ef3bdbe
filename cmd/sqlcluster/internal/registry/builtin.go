package registry

import (
	"errors"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/plugins"
)

// A BuiltIn is a plugin that is part of this program: it is served by starting the
// program once more.
type BuiltIn plugins.BuiltIn

// BuiltIns returns the built-in plugins.
func BuiltIns() (all []BuiltIn) {
	for _, b := range plugins.BuiltIns() {
		all = append(all, BuiltIn(b))
	}
	return all
}

// Hidden commands, by which this program is started as another process.
const (
	serveCommand = "__serve" // serves a built-in plugin
	guardCommand = "__guard" // becomes an added one
)

// Serve does what the arguments of a process of plugins ask for, and reports whether
// they do.
func Serve(args []string) bool {
	switch {
	case len(args) > 0 && args[0] == guardCommand:
		host.Guard(args[1:])
	case len(args) == 2 && args[0] == serveCommand:
		for _, b := range BuiltIns() {
			if b.Name == args[1] {
				host.CloseInherited()
				plugin.ServeAll(b.Algorithms, nil)
				return true
			}
		}
	}
	return false
}

// ownProgram is the program of this process on Linux, even after its file was replaced.
const ownProgram = "/proc/self/exe"

// guard is how this program is started to become a plugin.
func guard() []string {
	if _, err := os.Stat(ownProgram); err == nil {
		return []string{ownProgram, guardCommand}
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, guardCommand}
}

// program is what is started to serve the built-in plugin.
func (b BuiltIn) program() (host.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return host.Program{}, framework.Faultf(framework.Internal, "internal", "cannot find this program's own file: %v", err)
	}
	return host.Program{Name: b.Name, Path: self, Args: []string{serveCommand, b.Name}, Own: true}, nil
}

// Check refuses built-in algorithms from whose descriptions no flags can be made.
func (r *Registry) Check() error {
	var wrong []error
	for _, b := range r.BuiltIns {
		for _, a := range b.Algorithms {
			wrong = append(wrong, a.Describe().Check())
		}
	}
	return errors.Join(wrong...)
}
