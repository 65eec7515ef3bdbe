package conformance

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/clusterers"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/labelsets"
	"github.com/sqlcluster/sqlcluster/conformance/internal/processes"
	"github.com/sqlcluster/sqlcluster/conformance/internal/sets"
)

// A Profile names a selection of the laws.
type Profile string

// The profiles. Full has all laws of Core.
const (
	Core Profile = "core"
	Full Profile = "full"
)

// Profiles lists the profiles, the smallest first.
var Profiles = []Profile{Core, Full}

// A Law is something that must hold.
type Law struct {
	Name      string  `json:"name"`      // stable: "clusterer/merge"
	Statement string  `json:"statement"` // one sentence
	Source    string  `json:"source"`    // where that is promised or proven
	Profile   Profile `json:"profile"`   // the smallest profile that includes it
}

// Laws returns all laws in the order in which they are checked.
func Laws() []Law {
	return slices.Concat(lawsOf(sets.Laws), lawsOf(clusterers.Laws), lawsOf(processes.Laws), lawsOf(sets.KindLaws), lawsOf(labelsets.Laws))
}

func lawsOf[T any](laws []judge.Law[T]) []Law {
	all := make([]Law, len(laws))
	for i, l := range laws {
		all[i] = Law{l.Name, l.Statement, l.Source, Core}
		if l.Full {
			all[i].Profile = Full
		}
	}
	return all
}

// A Status is the result of checking a law.
type Status string

// The statuses.
const (
	Passed         Status = "passed"
	Failed         Status = "failed"
	ExpectedFailed Status = "expected-failure" // failed, as Options.Expected says
	Skipped        Status = "skipped"          // does not apply
	Disabled       Status = "disabled"         // left out by the options
	Errored        Status = "error"            // the suite could not do its part
)

// A Verdict is the result for one law, with details.
type Verdict struct {
	Law
	Status  Status   `json:"status"`
	Reason  string   `json:"reason,omitempty"` // why it was skipped, disabled or expected to fail
	Note    string   `json:"note,omitempty"`   // what the law did not check on this target
	Cases   int      `json:"cases"`            // how many cases applied
	Finding *Finding `json:"finding,omitempty"`
	Seconds float64  `json:"seconds"`
}

// A Finding is the smallest failing case that was found.
type Finding struct {
	Case    uint64   `json:"case"`
	Input   []string `json:"input"`   // what the target was given
	Message string   `json:"message"` // what came out, and what was allowed
	Replay  string   `json:"replay"`  // how to see it again
}
