package plugin

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// handshake tells a plugin that a host of ours has started it. It is no secret.
var handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "SQLCLUSTER_PLUGIN",
	MagicCookieValue: "clusterer",
}

const (
	// lifelineKey names the variable with the file descriptor of the pipe that
	// closes when the host is gone.
	lifelineKey = "SQLCLUSTER_LIFELINE_FD"
	// service is the name of the only go-plugin plugin.
	service = "clusterer"
	// maxMessage is the largest request, in bytes: the labels of 200 million rows.
	maxMessage = 1 << 30
)

// Serve serves the algorithms to the host that started this process, until the
// host ends it. It is an author's whole main function.
func Serve(algorithms ...framework.Algorithm) {
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprintln(os.Stderr, "This is a plugin of sqlcluster, which starts it when it is needed; there is nothing to do by hand.")
		os.Exit(1)
	}
	holdLifeline()
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         goplugin.PluginSet{service: &wire{algorithms: algorithms}},
		Logger:          hclog.NewNullLogger(),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(maxMessage))...)
		},
	})
}

// holdLifeline ends this process when the host does, however that happens.
func holdLifeline() {
	fd, err := strconv.Atoi(os.Getenv(lifelineKey))
	if err != nil {
		return // a host of another make
	}
	pipe := os.NewFile(uintptr(fd), "lifeline")
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		os.Exit(1)
	}()
}

// wire connects both ends of the service to go-plugin.
type wire struct {
	goplugin.NetRPCUnsupportedPlugin
	algorithms []framework.Algorithm
}

// GRPCServer implements goplugin.GRPCPlugin.
func (w *wire) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	proto.RegisterClustererServer(s, newServer(w.algorithms))
	return nil
}

// GRPCClient implements goplugin.GRPCPlugin.
func (w *wire) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, c *grpc.ClientConn) (any, error) {
	return proto.NewClustererClient(c), nil
}
