package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/skeleton"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/version"
)

func (a *app) pluginNewCommand() *cobra.Command {
	var source string
	c := &cobra.Command{
		Use: "new NAME", SuggestFor: []string{"init", "create"}, Args: help.Takes("NAME"),
		Short: "Write the beginnings of a plugin in Go, with test and CI file",
		Long: `Make the directory sqlcluster-plugin-NAME with a Go module that builds and passes
its test: spherical k-means under the name NAME, to be changed. It also has a file for
CI at GitHub. See docs/plugin-authors.md for what each step may do.`,
		Example: `  sqlcluster plugin new mine
  sqlcluster plugin new mine --source ~/sqlcluster`,
		RunE: func(_ *cobra.Command, args []string) error { return a.pluginNew(args[0], source) },
	}
	c.Flags().StringVar(&source, "source", "", "`directory` of a clone of sqlcluster to build with; default: the published module")
	_ = c.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return c
}

func (a *app) pluginNew(name, source string) error {
	if l := a.Flags.Library(); l.Lack == nil {
		if known, err := l.Find(name); err == nil {
			return framework.Faultf(framework.Usage, "algorithm-taken", "plugin %s already has an algorithm %s", known.Plugin,
				name).WithWhere("NAME")
		}
	}
	p := skeleton.Plugin{Name: name, Version: version.Current().Name}
	if version.Current().Changed {
		p.Version = version.Unknown // what was changed is nowhere to be had
	}
	if source != "" {
		path, err := filepath.Abs(source)
		if err != nil {
			return err
		}
		p.Source = path
	}
	dir := "sqlcluster-plugin-" + name
	names, err := p.Write(dir)
	if err != nil {
		return err
	}
	a.Note("wrote %s: %s", dir, strings.Join(names, ", "))
	a.Note("next: cd %s && go mod tidy && go test", dir)
	return nil
}
