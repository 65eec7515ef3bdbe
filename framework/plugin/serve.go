package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// protocolVersion is the version of internal/pb/protocol.proto. A change after
// which an old plugin would misunderstand a new host raises it.
const protocolVersion = 1

// maxMessage bounds a message in either direction, in bytes. Lists as long as
// the data travel in pieces or not at all; this is room for models.
const maxMessage = 64 << 20

// The cookie tells a plugin that it was started by a host, and not by hand. It
// keeps nobody out: the socket's directory and the certificates do.
const (
	ownKeys     = "SQLCLUSTER_PLUGIN_" // beginning of the variables by which a host speaks to a plugin
	cookieKey   = ownKeys + "COOKIE"
	cookieValue = "c1f4b2e0-sqlcluster-plugin"
	lifelineKey = ownKeys + "LIFELINE"
)

var cookie = goplugin.HandshakeConfig{MagicCookieKey: cookieKey, MagicCookieValue: cookieValue}

// Serve serves the algorithms to the host that has started this process, and
// returns when the host is done. It is all that main has to do. Started by
// hand, the process says what it is and exits with status 1.
func Serve(algorithms ...framework.Algorithm) {
	serve(protocolVersion, Served{Algorithms: algorithms})
}

// Served is what a plugin serves: one algorithm or one kind of sets at least.
type Served struct {
	Algorithms []framework.Algorithm
	Sets       []framework.SetKind // of centers, which rows of a constraints relation can then declare
}

// ServeAll is Serve for a plugin that serves kinds of sets, next to algorithms or
// alone.
func ServeAll(all Served) { serve(protocolVersion, all) }

func serve(version int, all Served) {
	s, err := newServer(all)
	if err == nil {
		err = means.CheckKernel()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
	if os.Getenv(cookieKey) != cookieValue {
		fmt.Fprintf(os.Stderr, "%s is a sqlcluster plugin: sqlcluster starts it, to run %s\n",
			filepath.Base(os.Args[0]), strings.Join(slices.Concat(s.names, s.kindNames), ", "))
		os.Exit(1)
	}
	holdLifeline()
	stop, err := profileAskedFor().Start()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: cannot write a profile: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
	fmt.Println() // ends what has been printed so far, which must not share the handshake's line
	out, errs := os.Stdout, os.Stderr
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  cookie,
		VersionedPlugins: map[int]goplugin.PluginSet{version: {pluginName: &glue{server: s}}},
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: errs}),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			_ = os.Unsetenv(cookieKey) // has been read; not for what the algorithm may start
			return grpc.NewServer(append(opts,
				grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
				grpc.StreamInterceptor(keepOutput(out, errs)))...)
		},
	})
	if err := stop(); err != nil {
		fmt.Fprintf(errs, "%s: the profile is not complete: %v\n", filepath.Base(os.Args[0]), err)
	}
}

// keepOutput undoes go-plugin's redirection of standard output and error into
// the connection, when the first stream (Watch) begins: last words before an
// os.Exit would be lost there.
func keepOutput(out, errs *os.File) grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		if info.FullMethod == pb.Plugin_Watch_FullMethodName {
			os.Stdout, os.Stderr = out, errs
		}
		return handler(srv, stream)
	}
}

// pluginName is the name of the one thing that a plugin process serves.
const pluginName = "algorithms"

// glue is what go-plugin wants of either side.
type glue struct {
	goplugin.NetRPCUnsupportedPlugin
	server *server // of a plugin; nil in a host
}

// GRPCServer implements go-plugin's GRPCPlugin.
func (g *glue) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if g.server == nil {
		return errors.New("nothing to serve")
	}
	pb.RegisterPluginServer(s, g.server)
	return nil
}

// GRPCClient implements go-plugin's GRPCPlugin.
func (g *glue) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return pb.NewPluginClient(conn), nil
}
