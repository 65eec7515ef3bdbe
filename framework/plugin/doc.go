// Package plugin runs an algorithm in a process of its own.
//
// An author's whole program is
//
//	func main() { plugin.Serve(mine.Algorithm{}) }
//
// A host launches it, and opens a [Session] for an algorithm, a problem and the
// shared matrix. [Session.Fit] runs the driver in the plugin process; a Session
// is also a framework.Clusterer, so that the driver can run in the host. Both
// give the same bits.
//
// # Processes
//
// The handshake is that of hashicorp/go-plugin, with its automatic TLS. The
// plugin gets no standard input, an environment cut down to a list, and a pipe
// that closes when the host is gone, whereupon it exits. What it prints before
// the handshake is not taken for one, and what it prints at all is drained and
// its last lines are kept for the error message. It runs in a process group of
// its own, which is killed when it is closed, hangs or was cancelled. Its
// sockets are in a private directory, which is removed with it.
//
// A panic in an algorithm becomes a Fault where it can be caught; where it
// cannot (in a goroutine of the algorithm), the process ends and the host
// reports that, with the reason that the plugin printed.
//
// Wire types never leave this package; the protocol is in proto/clusterer.proto.
package plugin

//go:generate protoc --proto_path=proto --go_out=proto --go_opt=paths=source_relative --go-grpc_out=proto --go-grpc_opt=paths=source_relative clusterer.proto
