package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

func (a *app) pluginProtocolCommand() *cobra.Command {
	return &cobra.Command{
		Use: "protocol", Short: "Print the protocol of plugins as a .proto file", Args: cobra.NoArgs,
		Long: `Print the protocol between sqlcluster and its plugins, in the version that this
program speaks, as a .proto file: what is needed for a plugin in another language
than Go, besides docs/plugin-protocol.md.`,
		Example: `  sqlcluster plugin protocol > protocol.proto`,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, plugin.Protocol())
			return err
		},
	}
}
