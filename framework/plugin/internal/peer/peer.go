// Package peer tells which process is at the other end of a Unix socket, on the word
// of the system, and makes that the credentials of a connection: a host and the plugin
// that it has started of its own program know each other by their numbers, which no
// other process can claim. ARCHITECTURE.md says what that is worth beside certificates.
package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
)

// A Process is one at the other end of a connection.
type Process struct{ ID, User int }

// Of returns the process that listened, or that connected, at the other end. The owner
// of a socket's file would not tell: the file may have been exchanged since.
func Of(conn net.Conn) (Process, error) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return Process{}, errors.New("the connection is not one of a Unix socket")
	}
	return of(socket)
}

// Credentials take a single connection, to or from the process whose number id
// returns, and no other. They do not encrypt: the bytes do not leave the system.
func Credentials(id func() int) credentials.TransportCredentials { return &known{id: id} }

// known implements credentials.TransportCredentials.
type known struct {
	id   func() int
	used atomic.Bool
}

func (k *known) take(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	switch p, err := Of(conn); {
	case err != nil:
		return nil, nil, err
	case p.ID != k.id():
		return nil, nil, fmt.Errorf("process %d is at the socket, and not %d", p.ID, k.id())
	case k.used.Swap(true):
		return nil, nil, errors.New("there is a connection already")
	}
	return conn, info{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}}, nil
}

func (k *known) ClientHandshake(_ context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return k.take(conn)
}

func (k *known) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return k.take(conn)
}

func (k *known) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "process"}
}

// Clone shares the one connection: gRPC makes a copy for each that it tries.
func (k *known) Clone() credentials.TransportCredentials { return k }

func (k *known) OverrideServerName(string) error { return nil }

// info implements credentials.AuthInfo.
type info struct{ credentials.CommonAuthInfo }

func (info) AuthType() string { return "process" }
