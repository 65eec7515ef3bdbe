// Package conformance holds the laws that constraint sets, algorithms and
// plugin processes obey, and checks them.
//
// # Three ways in
//
// In a Go test of your own:
//
//	func TestLaws(t *testing.T) { conformance.RunClusterer(t, mine.Algorithm{}) }
//
// From any program, [CheckAlgorithm], [CheckSet], [CheckKind] and [CheckPlugin]
// return a [Report], which [Write] writes as text, JSON or JUnit. On the command
// line, sqlcluster plugin verify checks a program that serves algorithms or kinds
// of sets, in whatever language it is written. A kind is checked on sets like the
// Example of its description: the same rows for other features, clusters and
// scales of columns.
//
// # Laws and cases
//
// A [Law] has a stable name, one sentence that says what must hold, and the place
// that promises it. It is checked on generated cases, small ones first. A case is
// a number: the same number is the same case on any machine, and [Options.Case]
// replays it. When a case fails, smaller ones are tried. The smallest one that
// fails is reported: the input, the output, what was allowed, and how to replay it.
//
// # Verdicts
//
// A law passes or fails. It is skipped when it does not apply, for example because
// the algorithm does not declare the capability, or because no case had anything
// to check. It is an error when the suite itself failed, for example because a
// matrix did not fit into memory, and disabled when the options leave it out.
//
// An expected failure has a reason and does not count as a failure. If such a law
// passes, that is a failure: the reason is out of date. A law that passed without
// checking everything that the target declares has a note that says so.
//
// # Profiles
//
// [Core] has the laws without which results are wrong or depend on threads.
// [Full] adds laws that need more time or that describe quality. A report is
// partial when laws of its profile were disabled.
//
// Where results need not agree bit for bit, a law allows a small relative error,
// so that another order of summation is not a failure.
package conformance
