package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// RunSet checks the laws of constraint sets in a Go test, each as a subtest, for
// a set that takes points of any shape. Without options it checks the laws of Core.
func RunSet(t *testing.T, set framework.Set, options ...Options) {
	t.Helper()
	RunSetTarget(t, SetTarget{Name: set.Properties().Kind, New: func(*rand.Rand, int, int) framework.Set { return set }}, options...)
}

// RunSetTarget is RunSet for sets that depend on the shape of points, or that
// belong to a family.
func RunSetTarget(t *testing.T, target SetTarget, options ...Options) {
	t.Helper()
	call := fmt.Sprintf("conformance.RunSetTarget(t, target, conformance.Options{%%s}) with the set %s", target.Name)
	r, err := CheckSet(t.Context(), target, one(t, options, call))
	show(t, r, err)
}

// RunKind checks the laws of constraint sets in a Go test, each as a subtest, for
// sets like the Example of the kind's description.
func RunKind(t *testing.T, k framework.SetKind, options ...Options) {
	t.Helper()
	r, err := CheckKind(t.Context(), k, one(t, options, "conformance.RunKind(t, kind, conformance.Options{%s})"))
	show(t, r, err)
}

// RunLabelKind checks the laws of sets of labels in a Go test, each as a subtest, for
// sets like the Example of the kind's description.
func RunLabelKind(t *testing.T, k framework.LabelKind, options ...Options) {
	t.Helper()
	r, err := CheckLabelKind(t.Context(), k, one(t, options, "conformance.RunLabelKind(t, kind, conformance.Options{%s})"))
	show(t, r, err)
}

// RunClusterer checks the laws of algorithms and their clusterers in a Go test,
// each as a subtest. Without options it checks the laws of Core.
func RunClusterer(t *testing.T, a framework.Algorithm, options ...Options) {
	t.Helper()
	r, err := CheckAlgorithm(t.Context(), a, one(t, options, "conformance.RunClusterer(t, algorithm, conformance.Options{%s})"))
	show(t, r, err)
}

// RunPlugin starts a program that serves algorithms or kinds of sets, and checks
// the laws of processes, and those of each algorithm and kind, in a Go test, each
// as a subtest.
func RunPlugin(t *testing.T, program host.Program, options ...Options) {
	t.Helper()
	reports, err := CheckPlugin(t.Context(), program, nil, one(t, options, "conformance.RunPlugin(t, program, conformance.Options{%s})"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		t.Run(r.Target, func(t *testing.T) { show(t, r, nil) })
	}
}

// one returns the options of a test that makes the call.
func one(t *testing.T, options []Options, call string) (o Options) {
	t.Helper()
	if len(options) > 1 {
		t.Fatal("conformance: there is one Options at most")
	}
	if len(options) == 1 {
		o = options[0]
	}
	o.Replay = func(law string, number uint64) string {
		return fmt.Sprintf(call, fmt.Sprintf("Laws: []string{%q}, Case: new(uint64(%d))", law, number))
	}
	return o
}

// show makes a subtest of every law that is not disabled.
func show(t *testing.T, r *Report, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, v := range r.Verdicts {
		if v.Status == Disabled {
			continue
		}
		looked++
		t.Run(v.Name, func(t *testing.T) {
			switch v.Status {
			case Failed:
				t.Errorf("%s\n%s", v.Statement, v.Finding.text(v.Source))
			case Errored:
				t.Errorf("could not be checked: %s", v.Reason)
			case Skipped:
				t.Skip(v.Reason)
			case Passed:
				if v.Note != "" {
					t.Log(v.Note)
				}
			case ExpectedFailed:
				t.Logf("fails as expected: %s", v.Reason)
			}
		})
	}
	if looked == 0 {
		t.Error("no law was checked")
	}
}
