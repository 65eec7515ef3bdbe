// Package host starts plugins and calls them: programs that serve algorithms, or
// kinds of constraint sets, by package plugin or in another language.
//
// # Process
//
// [Launch] starts a plugin and returns a [Process]. [Process.Close] ends it, if
// need be by force, within three seconds. See package plugin for what the process
// finds, and what becomes of what it prints. [Attach] connects to one that a person
// has started, and leaves it running.
//
// # Session
//
// [Process.Open] binds an algorithm to a problem and to rows that the plugin
// maps into its own memory, read-only. [Session.Fit] then runs the driver
// (package fit) inside the plugin, or in the host if the plugin does not serve
// Fit, as one in another language may not. A Session is a framework.Clusterer too,
// each of whose steps is one call, so that the same driver can run in the host.
// Both ways give the same bits.
//
// # Sets
//
// [Process.OpenSet] makes a set of centers from rows. The set lives in the plugin:
// a [Set] is a framework.Set whose Project and Violation are calls. [Process.Kind]
// makes such sets for declare.Rows. Sets belong to no session, and the process of
// an algorithm cannot reach them: a driver in the host projects onto them, see
// fit.Restrict.
//
// # Faults
//
// A Fault that an algorithm returns arrives as it was. What goes wrong with the
// process itself is a Fault of class Plugin:
//
//	plugin-missing        there is no such executable
//	not-a-plugin          it is something else
//	plugin-version        it speaks another version of the protocol
//	plugin-start-timeout  it did not get ready in time
//	plugin-crashed        it ended during a call
//	plugin-hung           it gave no sign of life, or a step took too long
//	plugin-panic          the algorithm panicked; the process goes on
//	plugin-nonsense       it sent something that cannot be
//	plugin-message-size   a step needs a message above the limit of 64 MiB
//	plugin-closed         the session or the process has been closed
package host
