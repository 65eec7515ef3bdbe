// Package plugin is the main of a plugin: a program that serves an algorithm, or
// kinds of constraint sets, to sqlcluster.
//
//	func main() { plugin.Serve(mine.Algorithm{}, mine.Sets()...) }
//
// sqlcluster starts the program as a child process with its own process group,
// /dev/null as standard input, a short list of environment variables, and a pipe
// of which sqlcluster holds the other end: when sqlcluster dies, in whatever way,
// the pipe closes and the plugin ends at once. It speaks gRPC over a socket in a
// private directory, which is removed as soon as both are connected, with mutual TLS,
// or, if both are one program on Linux, with the process alone that has started it.
//
// You may print: it is never in the way. The last lines of standard error are
// kept, and quoted if the process crashes. A panic in a method of the algorithm
// or of a set becomes an error of that call, and the process goes on. A
// *framework.Fault that a method returns arrives as it was.
//
// The calls themselves are in framework/plugin/protocol/protocol.proto, for plugins
// in other languages. Package host starts plugins and calls them.
package plugin
