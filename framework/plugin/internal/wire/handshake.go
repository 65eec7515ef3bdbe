package wire

import (
	"context"
	"errors"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Version is the version of protocol.proto. A change after which an old plugin
// would misunderstand a new host raises it.
const Version = 1

// MaxMessage bounds a message in either direction, in bytes. Lists as long as
// the data travel in pieces or not at all; this is room for models.
const MaxMessage = 64 << 20

// Served is go-plugin's name for the one service of a plugin process.
const Served = "algorithms"

// The variables by which a host speaks to a plugin all begin with OwnKeys. The
// cookie tells a plugin that it was started by a host, and not by hand. It keeps
// nobody out: the socket's directory does, and certificates or, between processes of
// one program, their numbers.
const (
	OwnKeys     = "SQLCLUSTER_PLUGIN_"
	CookieKey   = OwnKeys + "COOKIE"
	CookieValue = "c1f4b2e0-sqlcluster-plugin"
	LifelineKey = OwnKeys + "LIFELINE"   // number of the plugin's end of the lifeline
	HostKey     = OwnKeys + "HOST"       // number of the host's process, the only one to be answered; not set: certificates tell
	CPUKey      = OwnKeys + "CPUPROFILE" // file for a CPU profile
	TraceKey    = OwnKeys + "TRACE"      // file for an execution trace
)

// Handshake is what host and plugin agree on before they speak.
var Handshake = goplugin.HandshakeConfig{MagicCookieKey: CookieKey, MagicCookieValue: CookieValue}

// Glue is what go-plugin wants of either side.
type Glue struct {
	goplugin.NetRPCUnsupportedPlugin
	Serves pb.PluginServer // of a plugin; nil in a host
}

// GRPCServer implements go-plugin's GRPCPlugin.
func (g *Glue) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if g.Serves == nil {
		return errors.New("nothing to serve")
	}
	pb.RegisterPluginServer(s, g.Serves)
	return nil
}

// GRPCClient implements go-plugin's GRPCPlugin.
func (g *Glue) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return pb.NewPluginClient(conn), nil
}
