package cli

import (
	"errors"

	"github.com/sqlcluster/sqlcluster/framework"
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

// algorithm returns the built-in algorithm of a name, and its plugin.
func algorithm(name string) (framework.Algorithm, string, error) {
	var known []string
	for _, b := range builtins {
		for _, a := range b.algorithms {
			d := a.Describe()
			if d.Name == name {
				return a, b.name, nil
			}
			known = append(known, d.Name)
		}
	}
	f := framework.Faultf(framework.Usage, "unknown-algorithm", "there is no algorithm %q", name).
		WithWhere("--algorithm").WithHint("sqlcluster plugin list shows the algorithms")
	f.Similar = framework.Closest(name, known)
	return nil, "", f
}

// checkBuiltins refuses descriptions from which no flags can be made.
func checkBuiltins() error {
	var wrong []error
	eachAlgorithm(func(_ string, d framework.Description) { wrong = append(wrong, d.Check()) })
	return errors.Join(wrong...)
}

// eachAlgorithm calls f for every built-in algorithm.
func eachAlgorithm(f func(plugin string, d framework.Description)) {
	for _, b := range builtins {
		for _, a := range b.algorithms {
			f(b.name, a.Describe())
		}
	}
}
