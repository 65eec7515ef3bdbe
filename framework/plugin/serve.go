package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/peer"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/profile"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// Serve serves an algorithm (nil: none) and kinds of constraints to the host that has
// started this process, and returns when the host is done. It is all that main
// has to do. Started by hand, the process says what it is and exits with status 1.
// Unless GOMAXPROCS is set, it raises that of the process by two, for Go's scheduler, so that
// runtime.NumCPU says how many processors there are, and runtime.GOMAXPROCS does not.
//
// A kind of constraints is a kind of rows of --constraints: a framework.SetKind, or a
// framework.LabelKind. There must be one at least if there is no algorithm.
func Serve(algorithm framework.Algorithm, kinds ...framework.Kind) {
	var algorithms []framework.Algorithm
	if algorithm != nil {
		algorithms = append(algorithms, algorithm)
	}
	ServeAll(algorithms, kinds)
}

// ServeAll is Serve for a plugin that serves several algorithms.
func ServeAll(algorithms []framework.Algorithm, kinds []framework.Kind) {
	s, err := newServer(algorithms, kinds)
	if err == nil {
		err = means.CheckKernel()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
	if os.Getenv(wire.CookieKey) != wire.CookieValue {
		fmt.Fprintf(os.Stderr, "%s is a sqlcluster plugin: sqlcluster starts it, to run %s\n",
			filepath.Base(os.Args[0]), strings.Join(slices.Concat(s.names, s.kindNames), ", "))
		os.Exit(1)
	}
	holdLifeline()
	parallel.Spare()
	stop, err := startProfile()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: cannot write a profile: %v\n", filepath.Base(os.Args[0]), err)
		os.Exit(1)
	}
	fmt.Println() // ends what has been printed so far, which must not share the handshake's line
	out, errs := os.Stdout, os.Stderr
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{wire.Version: {wire.Served: &wire.Glue{Serves: s}}},
		Logger:           hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: errs}),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			_ = os.Unsetenv(wire.CookieKey) // has been read; not for what the algorithm may start
			return grpc.NewServer(append(append(opts, hostAlone()...),
				grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
				grpc.StreamInterceptor(keepOutput(out, errs)))...)
		},
	})
	if err := stop(); err != nil {
		fmt.Fprintf(errs, "%s: the profile is not complete: %v\n", filepath.Base(os.Args[0]), err)
	}
}

// hostAlone makes the server answer the host that is of the same program, if it is.
func hostAlone() []grpc.ServerOption {
	host, err := strconv.Atoi(os.Getenv(wire.HostKey))
	if err != nil {
		return nil // go-plugin has its certificate, or it was started by hand
	}
	_ = os.Unsetenv(wire.HostKey)
	return []grpc.ServerOption{grpc.Creds(peer.Credentials(func() int { return host }))}
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

// startProfile begins the profiles that the host has asked this process for.
func startProfile() (stop func() error, err error) {
	cpu, trace := os.Getenv(wire.CPUKey), os.Getenv(wire.TraceKey)
	_, _ = os.Unsetenv(wire.CPUKey), os.Unsetenv(wire.TraceKey) // not for what the algorithm may start
	return profile.Start(cpu, trace)
}
