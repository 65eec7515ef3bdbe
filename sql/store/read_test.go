package store

import (
	"context"
	"testing"
)

func TestRead(t *testing.T) {
	db := memory(t,
		"CREATE TABLE flowers AS SELECT * FROM (VALUES (3, 1.5, 'x'), (1, 2.5, 'y'), (2, NULL, 'z')) AS v(id, length, class)")
	table := read(t, db, ReadSpec{Relation: "flowers", ID: "id", Exclude: []string{"class"}, MissingOK: true})
	if d := diff([][]float64{{2.5}, {nan}, {1.5}}, cells(table)); d != "" {
		t.Error(d)
	}
	if d := diff([]string{"1", "2", "3"}, keyTexts(table.Keys)); d != "" {
		t.Error(d)
	}
	if d := diff([]string{"length"}, table.Features); d != "" {
		t.Error(d)
	}
	labels := []int32{0, 1, 0}
	r := &Results{Assignments: Assignments{KeyName: table.KeyName, Keys: table.Keys, Labels: labels, Distance: []float64{1, 2, nan}},
		Fit: Fit{RunID: "x", Algorithm: "skfr", Seed: 1 << 63, Params: `{"a":1}`}, Centers: []Center{{Feature: "length", Center: 3}}}
	ctx := context.Background()
	if err := db.Write(ctx, "run", false, r); err != nil {
		t.Fatal(explain(err))
	}
	for _, what := range []string{"assignments", "centers", "fit", "run"} {
		columns, rows, err := db.Show(ctx, "run", what)
		t.Log(columns, rows, err)
	}
	runs, err := db.Runs(ctx)
	t.Log(runs, err)
}
