package host

import (
	"context"
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// strangerTime is how long a plugin may take to refuse a connection.
const strangerTime = 2 * time.Second

// AnswersStrangers starts the program, and reports whether it answers another client
// than its host: one without the certificate that the host has, or without encryption;
// a program that is Own, a second connection. It must answer neither. It is for tests of plugins.
func AnswersStrangers(ctx context.Context, prog Program, o Options) (bool, error) {
	p, err := start(ctx, prog, o)
	if err != nil {
		return false, err
	}
	defer func() { _ = p.Close() }()
	address := p.client.ReattachConfig().Addr
	for _, stranger := range []credentials.TransportCredentials{
		credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}), //nolint:gosec // whom it speaks to does not matter
		insecure.NewCredentials(),
	} {
		if answered(ctx, address.Network()+":"+address.String(), stranger) {
			return true, nil
		}
	}
	return false, nil
}

func answered(ctx context.Context, address string, as credentials.TransportCredentials) bool {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(as))
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(ctx, strangerTime)
	defer cancel()
	_, err = pb.NewPluginClient(conn).Describe(ctx, &pb.DescribeRequest{})
	return err == nil
}
