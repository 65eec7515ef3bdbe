package store

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func progress(iteration int) *result.Progress {
	return &result.Progress{RunID: "abc", Params: `{"k": 2}`, Fingerprint: "f", Source: "FROM t", Point: -1, Restart: 1, Iteration: iteration,
		Objective: 7.5, SavedAt: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), State: `{"stand": {}}`}
}

// unfinished are the tables of a run whose fit has begun.
func unfinished() *result.Tables {
	r := sample()
	r.Fit.StopReason, r.Fit.Model, r.Fit.Converged = result.Unfinished, "", false
	return r
}

func TestProgressIsARunUntilItsFitHasEnded(t *testing.T) {
	db := memory(t)
	if p := must.Get(db.LoadProgress(t.Context(), "big"))(t); p != nil {
		t.Errorf("%+v of no run", p)
	}
	for i := range 3 {
		must.Do(t, db.KeepProgress(t.Context(), "big", unfinished(), progress(i)))
	}
	must.Equal(t, progress(2), must.Get(db.LoadProgress(t.Context(), "big"))(t))
	if runs := must.Get(db.Runs(t.Context()))(t); len(runs) != 1 || runs[0].Name != "big" || runs[0].Fit.StopReason != result.Unfinished {
		t.Errorf("%+v", runs)
	}
	_, _, err := db.Show(t.Context(), "big", schema.Assignments)
	if f := framework.AsFault(err); f == nil || !strings.Contains(f.Summary, "was interrupted") || !IsMissing(err) {
		t.Error(err)
	}
	write(t, db, "big", true, sample())
	if p := must.Get(db.LoadProgress(t.Context(), "big"))(t); p != nil {
		t.Errorf("%+v is left of a fit that has ended", p)
	}
}

func TestProgressBesideARunThatItReplacesLeavesThatAsItIs(t *testing.T) {
	db := memory(t)
	write(t, db, "big", false, sample())
	must.Do(t, db.KeepProgress(t.Context(), "big", unfinished(), progress(4)))
	if fit := must.Get(db.LoadModel(t.Context(), "big"))(t); fit.StopReason != "settled" {
		t.Errorf("the run is %q", fit.StopReason)
	}
	must.Equal(t, progress(4), must.Get(db.LoadProgress(t.Context(), "big"))(t))
	dropped := must.Get(db.Drop(t.Context(), "big"))(t)
	if !strings.Contains(strings.Join(dropped, " "), "big_progress") {
		t.Errorf("dropped %v", dropped)
	}
	if rows := must.Get(db.Rows(t.Context(), "FROM duckdb_tables()"))(t); len(rows) != 0 {
		t.Errorf("%v is left", rows)
	}
}

func TestAssignmentsCanBeTheRowsOfAQueryOrElsewhere(t *testing.T) {
	db := memory(t)
	r := sample()
	r.Violations, r.Limits = nil, nil
	r.Assignments = result.Assignments{KeyName: "id", Keys: r.Assignments.Keys,
		From: "SELECT 7::BIGINT, 1, 0.5, 0, 0.25, NULL UNION ALL SELECT 8, NULL, NULL, NULL, NULL, 'null_cell'"}
	write(t, db, "there", false, r)
	columns, rows, err := db.Show(t.Context(), "there", schema.Assignments)
	must.Do(t, err)
	must.Equal(t, []string{"id", "cluster", "distance", "second_cluster", "margin", "status"}, columns)
	must.Equal(t, [][]any{{int64(7), int64(1), 0.5, int64(0), 0.25, nil}, {int64(8), nil, nil, nil, nil, "null_cell"}}, rows)

	r.Assignments.Unlabelled = framework.AllZero
	write(t, db, "there", true, r)
	if _, rows, err = db.Show(t.Context(), "there", schema.Assignments); err != nil || len(rows) != 2 || rows[0][5] != framework.AllZero {
		t.Errorf("%v, %v", rows, err)
	}

	r.Assignments.Elsewhere = "clickhouse://host:9000/db"
	r.Fit.Params = `{"engine": {"value": "clickhouse://host:9000/db"}, "assignments": {"value": "there_assignments"}}`
	write(t, db, "there", true, r)
	_, _, err = db.Show(t.Context(), "there", schema.Assignments)
	if f := framework.AsFault(err); f == nil || !strings.Contains(f.Summary, "table there_assignments of clickhouse://host:9000/db") {
		t.Error(err)
	}
}

func TestATuningIsKeptUntilItHasEnded(t *testing.T) {
	db := memory(t)
	begun := &result.Tune{KeyName: "id", Keys: sample().Assignments.Keys, Draws: []result.TuneDraw{}, Fit: unfinished().Fit}
	begun.Fit.StopReason = result.Incomplete
	p := progress(4)
	p.RunID, p.Point = begun.Fit.RunID, 1
	must.Do(t, db.BeginTune(t.Context(), "big", false, begun, p))
	nan := math.NaN()
	all := &result.Tune{Draws: []result.TuneDraw{{Kind: "rows", Status: "settled", Converged: true, Iterations: 3, Selected: 2,
		Objective: 0.1 + 0.2, Explained: nan}, {Kind: "rows", Point: 1, Status: "too-few-rows", Iterations: -1, Selected: -1, Objective: nan, Explained: nan}}}
	for i := range 2 {
		all.Values = append(all.Values, result.TuneValue{Point: i, Method: "silhouette", K: 2 + i, Value: nan, Status: "settled", Converged: true,
			Fits: 1, Selected: 2, Score: []float64{1. / 3, nan}[i], Error: nan, Best: i == 0, OneSE: i == 0})
	}
	for most := range 3 {
		some := &result.Tune{Values: all.Values[:most], Draws: all.Draws[:most]}
		must.Do(t, db.KeepTune(t.Context(), "big", some, p))
		fit, got, err := db.LoadTune(t.Context(), "big")
		must.Do(t, err)
		must.Equal(t, begun.Fit.RunID, fit.RunID)
		must.Equal(t, some, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
	}
	there := must.Get(db.Standing(t.Context(), "big"))(t)
	if there.Ended || there.Fit != nil || there.Tuning == nil || there.Tuning.RunID != begun.Fit.RunID {
		t.Errorf("%+v", there)
	}
	must.Equal(t, p, there.At)
	must.Do(t, db.KeepProgress(t.Context(), "big", nil, progress(7))) // of a fit that is to replace it
	if there = must.Get(db.Standing(t.Context(), "big"))(t); there.Fit == nil || there.Tuning == nil || there.At != nil {
		t.Errorf("%+v", there)
	}
	write(t, db, "big", true, sample())
	if there = must.Get(db.Standing(t.Context(), "big"))(t); !there.Ended || there.Fit != nil || there.Tuning != nil {
		t.Errorf("%+v", there)
	}
	if there = must.Get(db.Standing(t.Context(), "none"))(t); there != (Standing{}) {
		t.Errorf("%+v", there)
	}
	must.Do(t, db.KeepProgress(t.Context(), "fit", unfinished(), progress(1)))
	if there = must.Get(db.Standing(t.Context(), "fit"))(t); there.Ended || there.Fit == nil || there.Tuning != nil {
		t.Errorf("%+v", there)
	}
}
