package cli

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/protocol"
)

func (a *app) pluginCommand() *cobra.Command {
	return group("plugin", "List, describe, add and verify plugins",
		&cobra.Command{Use: "list", SuggestFor: []string{"ls"}, Args: help.Takes(),
			Short: "List the algorithms and kinds of sets, with their plugins",
			RunE: func(*cobra.Command, []string) error {
				l := a.Flags.Library()
				for _, name := range a.Flags.Registry.NotAdded() {
					a.Note("sqlcluster.lock asks for plugin %s, which has not been added", name)
				}
				return cmp.Or(a.ShowLibrary(l), l.Lack)
			}},
		&cobra.Command{Use: "describe ALGORITHM", SuggestFor: []string{"show"}, Args: help.Takes("ALGORITHM"),
			Short:   "Describe an algorithm and its parameters, or a kind of sets",
			Example: `  sqlcluster plugin describe skfr`,
			RunE:    func(_ *cobra.Command, args []string) error { return a.pluginDescribe(args[0]) }},
		a.pluginNewCommand(), launches(a.pluginAddCommand()), a.pluginRemoveCommand(), a.pluginLockCommand(), launches(a.pluginVerifyCommand()),
		a.pluginProtocolCommand())
}

func (a *app) pluginDescribe(name string) error {
	l := a.Flags.Library()
	alg, err := l.Find(name)
	if err == nil {
		return a.ShowAlgorithm(alg.Description)
	}
	for _, k := range l.Kinds {
		if k.Kind == name {
			return a.ShowKind(k)
		}
	}
	if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("algorithm") {
		return f.WithWhere("ALGORITHM")
	}
	return err
}

func (a *app) pluginProtocolCommand() *cobra.Command {
	return &cobra.Command{
		Use: "protocol", Short: "Print the protocol of plugins as a .proto file", Args: help.Takes(),
		Long: `Print the protocol between sqlcluster and its plugins, in the version that this
program speaks, as a .proto file. Together with docs/plugin-protocol.md it is what a
plugin in a language other than Go needs.`,
		Example: `  sqlcluster plugin protocol > protocol.proto`,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.Out, protocol.Source)
			return err
		},
	}
}
