package summary

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

func TestANoteOnGapsNamesTheFirstWithBothObjectivesAndListsTheOthers(t *testing.T) {
	at := func(value, objective float64) *tune.Point {
		return &tune.Point{Value: value, Result: &fit.Result{Objective: objective}}
	}
	points := []*tune.Point{at(4, 4529.04), at(3, 4529), at(2, 4503.25), at(1, 4600)}
	const start = "the objective at sparsity 4 (4529.04) is worse than at 2 (4503.25), and it need not be: whatever 2 allows, 4 allows too; the same goes for 3. "
	for want, path := range map[string]tune.Path{
		start + "A longer search mends this: use --warm, or more --restarts": {Looser: framework.Up},
		start + "A longer search can mend this: use more --restarts":         {Looser: framework.Up, Warm: true},
		"": {Warm: true}, // nothing is known of the values
	} {
		if got := pathGaps(path.Gaps(points), "sparsity", path.Warm); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
