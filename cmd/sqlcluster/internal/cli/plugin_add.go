package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
)

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
		Args: help.Takes("PLUGIN"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginAdd(c.Context(), args[0]) },
	}
}

func (a *app) pluginRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", SuggestFor: []string{"delete", "drop", "rm"}, Args: help.Takes("NAME"),
		Short:   "Forget a plugin that was added; its file stays",
		Example: `  sqlcluster plugin remove spherical`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := a.Flags.Registry.Remove(args[0]); err != nil {
				return err
			}
			a.Note("removed plugin %s", args[0])
			return nil
		},
	}
}

func (a *app) pluginAdd(ctx context.Context, given string) error {
	p, before, err := a.Flags.Registry.Add(ctx, given, a.Flags.Plugins())
	if err != nil {
		return err
	}
	var names []string
	for _, d := range p.Algorithms {
		names = append(names, d.Name+" "+d.Version)
	}
	for _, d := range p.Sets {
		names = append(names, "set "+d.Kind+" "+d.Version)
	}
	a.Note("added plugin %s from %s: %s", p.Name, p.Path, strings.Join(names, ", "))
	a.Note("sha256 %s", p.SHA256)
	if before != nil && before.SHA256 != p.SHA256 {
		a.Note("it replaces the file with sha256 %s", before.SHA256)
	}
	a.Note("sqlcluster plugin verify %s checks it", framework.ShellWord(p.Name))
	return nil
}
