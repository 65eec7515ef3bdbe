package summary

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func TestTheFeaturesOfJSONAreThoseOfTheResultTable(t *testing.T) {
	none := math.NaN()
	category := "low"
	r := &result.Tables{
		Assignments: result.Assignments{KeyName: "id", Keys: input.Numbered(1), Labels: []int32{0}, Distance: []float64{0}, Second: []int32{-1},
			Margin: []float64{none}},
		Features: []result.Feature{
			{Feature: "size", Category: &category, Group: "both", Cluster: -1, Selected: new(true), Weight: 0.5, Norm: 1, Gain: 2, Rank: 2,
				Location: 0.25, Scale: 0.5},
			{Feature: "x", Cluster: -1, Selected: new(true), Weight: 1, Norm: 1, Gain: 3, Rank: 1, Location: 7, Scale: 4},
			{Feature: "y", Cluster: -1, Weight: none, Norm: none, Gain: none, Location: 8, Scale: 5},
		},
	}
	var out strings.Builder
	w := &Writer{Out: &out, Flags: &flags.Values{Output: "json"}}
	must.Do(t, w.ShowFit(nil, nil, r))
	var shown struct{ Features []map[string]any }
	must.Do(t, json.Unmarshal([]byte(out.String()), &shown))
	// By rank; what has none comes first, as in show.
	want := []map[string]any{
		{"feature": "y", "category": nil, "feature_group": nil, "cluster": nil, "selected": nil, "weight": nil, "group_norm": nil,
			"gain": nil, "rank": nil, "location": 8.0, "scale": 5.0},
		{"feature": "x", "category": nil, "feature_group": nil, "cluster": nil, "selected": true, "weight": 1.0, "group_norm": 1.0,
			"gain": 3.0, "rank": 1.0, "location": 7.0, "scale": 4.0},
		{"feature": "size", "category": "low", "feature_group": "both", "cluster": nil, "selected": true, "weight": 0.5, "group_norm": 1.0,
			"gain": 2.0, "rank": 2.0, "location": 0.25, "scale": 0.5},
	}
	must.Equal(t, want, shown.Features)
	for name := range shown.Features[0] {
		if !slices.Contains(schema.ColumnNames(schema.Features), name) {
			t.Errorf("column %s is not one of the table", name)
		}
	}
}

func TestANoteOnGapsNamesTheFirstWithBothObjectivesAndListsTheOthers(t *testing.T) {
	at := func(value, objective float64) *tune.Point {
		return &tune.Point{Value: value, Result: &fit.Result{Objective: objective}}
	}
	points := []*tune.Point{at(4, 4529.04), at(3, 4529), at(2, 4503.25), at(1, 4600)}
	const start = "the objective at sparsity 4 (4529.04) is worse than at 2 (4503.25), and it need not be: whatever 2 allows, 4 allows too; " +
		"the same goes for 3. "
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
