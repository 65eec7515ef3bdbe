// Package conformance holds the laws that constraint sets, algorithms and
// plugin processes obey, and checks them.
//
// # Three ways in
//
// In a Go test of your own:
//
//	func TestLaws(t *testing.T) { conformance.RunClusterer(t, mine.Algorithm{}) }
//
// From any program, [Check] returns a [Report], which can be written as text,
// JSON or JUnit. On the command line, sqlcluster plugin verify does that for a
// program that serves algorithms or kinds of sets, in whatever language it is
// written. The laws of sets are checked on sets like the Example of the kind's
// description: the same rows for other features, clusters and scales of columns.
//
// # Laws and cases
//
// A [Law] has a stable name, one sentence that says what must hold, and the
// place where that is promised. It is checked on generated cases, small ones
// first. A case is a number: the same number is the same case on any machine,
// and [Options.Case] replays it. When a case fails, smaller ones are tried, and
// the smallest failing one is reported with what was given, what came out, what
// was allowed, and how to replay it.
//
// # Verdicts
//
// A law is passed or failed; it is skipped when it does not apply, say because
// the algorithm does not declare the capability; it ends with an error when the
// suite itself could not do its part, a matrix that finds no room, say; and it
// is disabled when the options leave it out. An expected failure has a reason
// and counts as no failure, but passing such a law does: the reason is out of
// date. A law of which no case had anything to say is skipped, never passed. One
// that passed but leaves out something that the target declares has a note of it.
//
// # Profiles
//
// [Core] are the laws without which results are wrong or depend on threads.
// [Full] adds those that need more time or that describe quality. A report is
// partial when laws of its profile were disabled.
//
// Rounding: a comparison that is not of bits allows the relative error that its
// law states, so that another order of summation is not a failure.
package conformance
