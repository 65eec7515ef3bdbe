package store

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestSuggestionsAreReadBackAndThoseWithoutAKindAreLeftOut(t *testing.T) {
	db := memory(t, "CREATE TABLE points AS SELECT chr(97 + i::INT) AS name, i AS x FROM range(5) t(i)")
	ctx := t.Context()
	table := sqltest.Read(t, db, input.Spec{Relation: "points", ID: "name"})
	all := []result.Suggestion{{A: 4, B: 0, Weight: 1, Why: "far"}, {A: 2, B: 0, Weight: 1, Why: "far"}, {A: 2, B: 4, Weight: 1, Why: "far"}}
	must.Do(t, db.WriteSuggestions(ctx, "asked", false, table.Keys, all))
	must.Fault(t, db.CheckSuggestions(ctx, "asked", false), "table-exists")
	must.Do(t, db.CheckSuggestions(ctx, "asked", true))
	_, err := db.ReadPairs(ctx, "asked", table)
	sqltest.WantFault(t, err, "unlabelled-pairs: no pair of table \"asked\" has a kind yet\nwhere: pairs\nhint: "+
		"write must or cannot into the column kind; pairs that keep NULL are left out")
	must.Do(t, db.Exec(ctx, "UPDATE asked SET kind = CASE WHEN a = 'e' THEN 'cannot' ELSE 'must' END WHERE b = 'a'"))
	got := must.Get(db.ReadPairs(ctx, "asked", table))(t)
	want := input.Pairs{Links: []framework.Link{{A: 2, B: 0, Weight: 1}, {A: 4, B: 0, Cannot: true, Weight: 1}}, Unlabelled: 1}
	must.Equal(t, want, got)
	_, err = db.ReadPairs(ctx, "SELECT * EXCLUDE (why) FROM asked", table)
	sqltest.WantFault(t, err, "bad-pairs: 1 problem in the query\npair of c and e: the kind is NULL: "+
		"label it must or cannot, or leave the pair out\nwhere: pairs")
}

func TestATuningIsWrittenWithAFitOrWithout(t *testing.T) {
	db := memory(t)
	ctx := t.Context()
	r := sample()
	tuning := &result.Tune{
		KeyName: r.Assignments.KeyName, Keys: r.Assignments.Keys, Fit: r.Fit, Run: r.Run,
		Values: []result.TuneValue{
			{Method: "cv", K: 2, Parameter: "l1_bound", Value: 1.5, Status: "settled", Converged: true, Fits: 2, Selected: 2.5, Score: 0.75,
				Error: 0.25, Best: true},
			{Point: 1, Method: "cv", K: 2, Parameter: "l1_bound", Value: 9, Status: "l1-bound-out-of-range", Fits: 2, Selected: math.NaN(),
				Score: math.NaN(),
				Error: math.NaN()},
		},
		Folds: []result.TuneFold{{Point: 0, Repetition: 1, Fold: 2, Pairs: 3, Status: "settled", Converged: true, Iterations: 4,
			Selected: 5, Score: 0.5},
			{Point: 1, Status: "l1-bound-out-of-range", Iterations: -1, Selected: -1, Score: math.NaN()}},
	}
	tuning.Fit.Model = ""
	must.Do(t, db.WriteTune(ctx, "t", false, tuning))
	show := func(what string) [][]any {
		t.Helper()
		_, rows, err := db.Show(ctx, "t", what)
		if err != nil {
			t.Fatal(sqltest.Explain(err))
		}
		return rows
	}
	want := [][]any{
		{int64(0), "cv", int64(2), "l1_bound", 1.5, "settled", true, int64(2), 2.5, 0.75, 0.25, true, false},
		{int64(1), "cv", int64(2), "l1_bound", 9.0, "l1-bound-out-of-range", false, int64(2), nil, nil, nil, false, false},
	}
	must.Equal(t, want, show("tune"))
	want = [][]any{
		{int64(0), int64(1), int64(2), int64(3), "settled", true, int64(4), int64(5), 0.5},
		{int64(1), int64(0), int64(0), int64(0), "l1-bound-out-of-range", false, nil, nil, nil},
	}
	must.Equal(t, want, show("tune_folds"))
	if _, _, err := db.Show(ctx, "t", "assignments"); !IsMissing(err) {
		t.Errorf("%v", err)
	}
	tuning.Final = r
	must.Do(t, db.WriteTune(ctx, "t", true, tuning))
	if rows := show("assignments"); len(rows) == 0 || len(show("tune")) != 2 {
		t.Errorf("assignments %v", rows)
	}
}
