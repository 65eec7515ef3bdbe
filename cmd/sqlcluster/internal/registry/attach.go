package registry

import (
	"context"
	"reflect"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// Attach changes a library so that an algorithm of an added plugin runs in a process
// that a person has started, at a Unix socket: see host.Attach. The hash that the
// plugin was added with says nothing of that process.
func Attach(l library.Library, algorithm, socket string) error {
	for i := range l.Algorithms {
		a := &l.Algorithms[i]
		if a.Name != algorithm {
			continue
		}
		if a.Local != nil {
			return framework.Faultf(framework.Usage, "bad-flag", "%s is built in, and not of a plugin that you could have started", algorithm).
				At("attach").WithHint("leave it out")
		}
		d, program := a.Description, host.Program{Name: a.Plugin, Algorithm: algorithm}
		a.SHA256 = ""
		a.Host = func(ctx context.Context) (fit.Host, error) { return attached(ctx, program, d, socket) }
	}
	return nil
}

// attached returns the process, which must serve the algorithm as it was added: flags
// were made of that description.
func attached(ctx context.Context, program host.Program, d framework.Description, socket string) (fit.Host, error) {
	process, err := host.Attach(ctx, program, socket)
	if err != nil {
		return nil, err
	}
	served, err := process.Describe(ctx)
	if err == nil && !slices.ContainsFunc(served, func(s framework.Description) bool { return reflect.DeepEqual(s, d) }) {
		err = framework.Faultf(framework.Plugin, "plugin-changed", "what listens there does not describe %s as the plugin that was added does",
			d.Name).WithWhere("%s", socket).WithHint("add the plugin again: sqlcluster plugin add PLUGIN")
	}
	if err != nil {
		_ = process.Close()
		return nil, err
	}
	return process, nil
}
