package grouped

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// columnCodes are those of faults that have to do with columns, and not with the rows of a
// group.
var columnCodes = []string{"column-not-categorical", "column-not-found", "column-not-numeric", "feature-names-collide", "key-name-taken",
	"key-type-unsupported", "no-features", "pattern-matches-nothing", "weight-not-numeric", "constraint-columns", "groups-columns",
	"beside-columns", "keys-of-no-group", "labels-columns", "pairs-columns", "start-columns", "value-not-numeric"}

// OfColumns reports whether a fault has to do with columns: all groups of rows have it.
func OfColumns(f *framework.Fault) bool { return slices.Contains(columnCodes, f.Code) }

// isOfGroup reports whether a fault is that of a group, and others may have none.
func isOfGroup(f *framework.Fault) bool {
	return (f.Class == framework.Data || f.Class == framework.Plugin) && !OfColumns(f)
}

// noneDone is the fault of work that has failed for all groups; done is what it would have
// made of them: fitted.
func noneDone[T any](r *result.Grouped[T], done string) error {
	if r.Failed() < r.Groups.Len() {
		return nil
	}
	if r.Groups.Len() == 1 {
		return r.Faults[0]
	}
	f := framework.Faultf(r.Faults[0].Class, "no-group-"+done, "none of the %d groups could be %s", r.Groups.Len(), done)
	return f.WithDetails(WhyFailed(r))
}

// mostDetails is how many details of a fault are said in its line.
const mostDetails = 3

// whole says in one line what a fault is: with its details, and the setting that they are of.
func whole(f *framework.Fault) string {
	line := f.Summary
	if n := len(f.Details); n > 0 {
		line += ": " + strings.Join(f.Details[:min(n, mostDetails)], "; ")
		if n > mostDetails {
			line += fmt.Sprintf("; and %d more", n-mostDetails)
		}
	}
	if setting := framework.Say(f.Where, nil) != f.Where; setting && len(f.Details) > 0 {
		line += " (" + f.Where + ")"
	}
	return line
}

// mostReasons is how many kinds of faults are listed.
const mostReasons = 5

// WhyFailed lists the faults of groups: a sentence for each kind, with the first groups
// that have it.
func WhyFailed[T any](r *result.Grouped[T]) []string {
	var order, lines []string
	of := map[string][]int{}
	for g, f := range r.Faults {
		if f != nil {
			if of[f.Code] == nil {
				order = append(order, f.Code)
			}
			of[f.Code] = append(of[f.Code], g)
		}
	}
	for i, code := range order {
		if i == mostReasons {
			return append(lines, fmt.Sprintf("… and %s", input.Counted(len(order)-i, "other reason", "other reasons")))
		}
		names := input.NamesOf(of[code], r.Groups.Text)
		line := names[0] + ": " + whole(r.Faults[of[code][0]])
		if more := names[1:]; len(more) > 0 {
			line += fmt.Sprintf(" (%s, in %s more: %s)", code, input.Counted(len(more), "group", "groups"),
				strings.Join(input.FirstOf(more, 3), "; "))
		}
		lines = append(lines, line)
	}
	return lines
}
