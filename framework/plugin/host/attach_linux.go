//go:build !portable

package host

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// ownPeer is an error unless the process at the other end of the connection is one of
// this user. The system says so itself: the owner of a file would not, as the file may
// have been exchanged since.
func ownPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return err
	}
	if failed == nil && int(peer.Uid) != os.Geteuid() {
		failed = errors.New("the process at the socket belongs to another user")
	}
	return failed
}
