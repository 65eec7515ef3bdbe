package cli

import (
	"errors"
	"os"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// A builtin is a plugin that is part of this program: it is served by starting
// the program once more.
type builtin struct {
	name       string
	algorithms []framework.Algorithm
}

// builtins lists the built-in plugins. Nothing else in the command knows them.
var builtins = []builtin{
	{"skfr", skfr.Algorithms()},
	{"skm", skm.Algorithms()},
	{"groupskm", groupskm.Algorithms()},
	{"pcskm", pcskm.Algorithms()},
}

// serveCommand is the hidden command that serves a built-in plugin.
const serveCommand = "__serve"

// program is what is started to serve the built-in plugin.
func (b builtin) program() (host.Program, error) {
	self, err := os.Executable()
	if err != nil {
		return host.Program{}, framework.Faultf(framework.Internal, "internal", "cannot find this program's own file: %v", err)
	}
	return host.Program{Name: b.name, Path: self, Args: []string{serveCommand, b.name}}, nil
}

// checkBuiltins refuses descriptions from which no flags can be made.
func checkBuiltins() error {
	var wrong []error
	for _, b := range builtins {
		for _, a := range b.algorithms {
			wrong = append(wrong, a.Describe().Check())
		}
	}
	return errors.Join(wrong...)
}
