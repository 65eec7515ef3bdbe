package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework/plugin/protocol"
)

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
