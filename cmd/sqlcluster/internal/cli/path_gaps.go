package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// shownGaps is how many values a note about gaps names.
const shownGaps = 5

// pathGaps says which values have a worse objective than they can have, and what
// to do about it; "" if there are none.
func pathGaps(gaps []tune.Gap, varied string, warm bool) string {
	if len(gaps) == 0 {
		return ""
	}
	first := gaps[0]
	text := fmt.Sprintf("the objective at %s %s (%s) is worse than at %s (%s), and it need not be: whatever %s allows, %s allows too",
		varied, number(first.Point.Value), render.Number(first.Point.Result.Objective, 6), number(first.Than.Value), render.Number(first.Than.Result.Objective, 6),
		number(first.Than.Value), number(first.Point.Value))
	var others []string
	for _, g := range gaps[1:] {
		others = append(others, number(g.Point.Value))
	}
	if len(others) > 0 {
		text += "; the same goes for " + strings.Join(job.FirstOf(others, shownGaps), ", ")
	}
	if warm {
		return text + ". A longer search can mend this: use more --restarts"
	}
	return text + ". A longer search mends this: use --warm, or more --restarts"
}

// number writes a value as a parameter's text.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
