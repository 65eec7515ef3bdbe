package host

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/peer"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// Attach connects to a plugin that this user has started by hand, at the Unix socket
// whose path it has printed: such as one under a debugger. Name and Algorithm of the
// program are for messages; nothing is known of its file. A process that is held by a
// debugger gives no sign of life, and a step may take for ever, so neither is watched.
// The process goes on after Close.
//
// Without a host, a plugin has no certificate to trust, so the connection is not
// encrypted. What listens at the socket must be a process of the same user.
func Attach(ctx context.Context, prog Program, socket string) (*Process, error) {
	p := &Process{name: prog.Name, algorithm: prog.Algorithm, opts: Options{StepTimeout: math.MaxInt64}}
	p.runner = newRunner("", prog, p.opts)
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		f := framework.Faultf(framework.Plugin, "plugin-missing", "%s cannot be reached: %v", p.title(), err)
		return nil, f.WithWhere("%s", socket).
			WithHint("start the plugin first; the path of its socket is the fourth part of the line that it prints")
	}
	if err := ownPeer(conn); err != nil {
		_ = conn.Close()
		f := framework.Faultf(framework.Plugin, "not-a-plugin", "%s is not used: %v", p.title(), err)
		return nil, f.WithWhere("%s", socket).WithHint("attach to a plugin that you have started yourself")
	}
	var used atomic.Bool
	p.attached, err = grpc.NewClient("passthrough:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()), callOptions, neverIdle,
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			if used.Swap(true) { // another process may listen there by now
				return nil, net.ErrClosed
			}
			return conn, nil
		}))
	if err != nil {
		_ = conn.Close()
		return nil, framework.Faultf(framework.Internal, "plugin-start", "%s cannot be reached: %v", p.title(), err)
	}
	p.calls = pb.NewPluginClient(p.attached)
	p.life, p.end = context.WithCancelCause(context.Background())
	go p.listen()
	return p, nil
}

// ownPeer is an error unless the process at the other end of the connection is one of
// this user.
func ownPeer(conn net.Conn) error {
	p, err := peer.Of(conn)
	if err == nil && p.User != os.Geteuid() {
		err = errors.New("the process at the socket belongs to another user")
	}
	return err
}

// listen receives beats, and makes nothing of it if there are none. A plugin in Go
// prints to its own terminal only from the first beat on.
func (p *Process) listen() {
	beats, err := p.calls.Watch(p.life, &pb.WatchRequest{IntervalMs: time.Second.Milliseconds()})
	for err == nil {
		_, err = beats.Recv()
	}
}

// How calls are made of a plugin. The socket's path may be gone, and with it the way to
// a second connection: so the first one stays.
var (
	callOptions = grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(wire.MaxMessage), grpc.MaxCallSendMsgSize(wire.MaxMessage))
	neverIdle   = grpc.WithIdleTimeout(0)
)
