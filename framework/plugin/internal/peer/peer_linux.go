//go:build !portable

package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

// Told reports whether the system tells which process is at the other end.
const Told = true

func of(conn *net.UnixConn) (Process, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return Process{}, err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return Process{}, err
	}
	if failed != nil {
		return Process{}, failed
	}
	return Process{ID: int(peer.Pid), User: int(peer.Uid)}, nil
}
