package store

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestTheRowsOfAResultComeOneByOneInTheirOrder(t *testing.T) {
	db := memory(t)
	const n = 3*duck.ChunkRows + 5
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	r := &result.Tables{Assignments: result.Assignments{KeyName: "id", Keys: input.Numbered(n), Labels: labels},
		Fit: result.Fit{RunID: "0", Algorithm: "a", Version: "1", Params: "{}", Source: "FROM t", ToolVersion: "1", Model: "{}"}}
	r.Features = append(r.Features, result.Feature{Feature: "none", Cluster: -1}, result.Feature{Feature: "second", Cluster: 1, Rank: 2},
		result.Feature{Feature: "first", Cluster: 1, Rank: 1}, result.Feature{Feature: "zero", Cluster: 0, Rank: 3})
	must.Do(t, db.Write(t.Context(), "t", false, r))
	shown := must.Get(db.Shown(t.Context(), "t", "assignments"))(t)
	if shown.Rows != n || len(shown.Columns) != 6 || shown.Columns[0] != "id" {
		t.Errorf("%d rows of %v", shown.Rows, shown.Columns)
	}
	for limit, want := range map[int]int{0: n, 1: 1, duck.ChunkRows + 1: duck.ChunkRows + 1, n + 1: n} {
		next := int64(0)
		err := shown.Each(t.Context(), limit, func(row []any) error {
			next++
			if row[0] != next || row[1] != (next-1)%3 {
				return fmt.Errorf("row %d is %v", next, row)
			}
			return nil
		})
		if err != nil || next != int64(want) {
			t.Errorf("%d rows of a limit of %d, %v", next, limit, err)
		}
	}
	var names []any
	features, err := db.Shown(t.Context(), "t", "features")
	if err == nil {
		err = features.Each(t.Context(), 0, func(row []any) error { names = append(names, row[0]); return nil })
	}
	if d := sqltest.Diff([]any{"none", "zero", "first", "second"}, names); d != "" || err != nil {
		t.Errorf("%s%v", d, err)
	}
	stop := errors.New("stop")
	taken := 0
	if err := shown.Each(t.Context(), 0, func([]any) error { taken++; return stop }); !errors.Is(err, stop) || taken != 1 {
		t.Errorf("%d rows were taken after an error: %v", taken, err)
	}
	if _, err := db.Shown(t.Context(), "t", "center"); err == nil {
		t.Error("a table that no run has is shown")
	}
}

func TestTheLargestRowsAreThoseOfEachCluster(t *testing.T) {
	db := memory(t)
	r := &result.Tables{Assignments: result.Assignments{KeyName: "id", Keys: input.Numbered(1)},
		Fit: result.Fit{RunID: "0", Algorithm: "a", Version: "1", Params: "{}", Source: "FROM t", ToolVersion: "1", Model: "{}"}}
	number := func(feature string, cluster, rank int, weight, gain float64) {
		r.Features = append(r.Features, result.Feature{Feature: feature, Cluster: cluster, Rank: rank, Weight: weight, Gain: gain})
	}
	number("unranked", -1, 0, 9, 9)
	number("less gain", -1, 0, 1, 2)
	number("more gain", -1, 0, 1, 3)
	number("no gain", -1, 0, 1, math.NaN())
	number("second", 1, 2, 1, 9)
	number("first", 1, 1, 1, 1)
	number("third", 1, 3, 9, 9)
	for i, scaled := range []float64{-1, 2, 1, math.NaN()} {
		for j := range 2 {
			r.Centers = append(r.Centers, result.Center{Cluster: j, Feature: fmt.Sprint(i), Center: -scaled, Scaled: scaled})
		}
	}
	must.Do(t, db.Write(t.Context(), "t", false, r))
	for table, want := range map[string][]any{"features": {"unranked", "more gain", "first", "second"}, "centers": {"1", "2", "1", "2"}} {
		shown := must.Get(db.ShownTop(t.Context(), "t", table, 2))(t)
		var names []any
		must.Do(t, shown.Each(t.Context(), 0, func(row []any) error {
			names = append(names, row[slices.Index(shown.Columns, "feature")])
			return nil
		}))
		must.Equal(t, want, names)
		must.Equal(t, 4, shown.Rows)
	}
}
