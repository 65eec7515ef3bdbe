package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

func (a *app) pluginAddCommand() *cobra.Command {
	return &cobra.Command{
		Use: "add PLUGIN", Short: "Add the algorithms and kinds of sets of a plugin",
		Long: `Start a plugin once, ask it for its algorithms and kinds of sets, and record
them with the path and the SHA-256 of its file. From then on fit -a ALGORITHM uses
it, and so do rows of --constraints of such a kind, as long as the file does not
change: each time, the file is copied while it is hashed, and the copy is run.
Adding a plugin again replaces its record.

PLUGIN is the path of a program, or a NAME: then sqlcluster looks for
sqlcluster-plugin-NAME beside itself, in sqlcluster/plugins of the user's
configuration directory, and in PATH, in this order.

A plugin runs with your rights: it can read your files, write them, and use the
network. Add only what you trust. The hash covers the file of the program; of a
script, neither its interpreter nor what it loads.`,
		Example: `  sqlcluster plugin add ./sqlcluster-plugin-spherical
  sqlcluster plugin add spherical`,
		Args: help.Takes("PLUGIN"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginAdd(c.Context(), args[0]) },
	}
}

func (a *app) pluginLockCommand() *cobra.Command {
	return &cobra.Command{
		Use: "lock [NAME...]", Short: "Print the hashes of added plugins for sqlcluster.lock",
		Long: `Print a line for each plugin that you have added, or for those that are named: its
SHA-256 and its name. In a directory with a file sqlcluster.lock of such lines,
a plugin that is named there is only run if it has that hash. The file adds no plugin:
everybody who works on the project adds those that they trust.`,
		Example: `  sqlcluster plugin lock > sqlcluster.lock`,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := a.Flags.Registry.Lock(args)
			if err == nil {
				_, err = io.WriteString(a.Out, text)
			}
			return err
		},
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
	if host.IsScript(p.Path) {
		a.Note("it is a script: its interpreter, and what it loads, may change without notice")
	}
	if before != nil && before.SHA256 != p.SHA256 {
		a.Note("it replaces the file with sha256 %s", before.SHA256)
	}
	a.Note("sqlcluster plugin verify %s checks it", framework.ShellWord(p.Name))
	return nil
}
