package cli

import (
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// shownGaps is how many values a note about gaps names.
const shownGaps = 5

// pathGaps says which values have a worse objective than they can have, and what
// to do about it; "" if there are none.
func pathGaps(path *tune.Path, varied framework.Param, points []*tune.Point) string {
	gaps := path.Gaps(points)
	if len(gaps) == 0 {
		return ""
	}
	first := gaps[0]
	text := fmt.Sprintf("the objective at %s %s (%s) is worse than at %s (%s), and it need not be: whatever %s allows, %s allows too",
		varied.Name, number(first.Point.Value), render.Number(first.Point.Result.Objective, 6), number(first.Than.Value), render.Number(first.Than.Result.Objective, 6),
		number(first.Than.Value), number(first.Point.Value))
	var others []string
	for _, g := range gaps[1:] {
		others = append(others, number(g.Point.Value))
	}
	if len(others) > 0 {
		text += "; the same goes for " + strings.Join(firstOf(others, shownGaps), ", ")
	}
	if path.Warm {
		return text + ". A longer search can mend this: use more --restarts"
	}
	return text + ". A longer search mends this: use --warm, or more --restarts"
}
