//go:build !linux || portable

package host

import (
	"errors"
	"net"
)

// ownPeer is an error: whose process is at the other end is asked on Linux alone.
func ownPeer(*net.UnixConn) error {
	return errors.New("this is only possible on Linux, which says whose process it is")
}
