package tune_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func mustRun(t *testing.T, p tune.Path) []*tune.Point {
	t.Helper()
	return must.Get(p.Run(t.Context(), nil))(t)
}

// nothing is the objective of a result without clusters.
const nothing = 20

// found returns a fitter that finds the objective of a value when it starts by
// itself, and that of the start otherwise: labels say where it comes from.
func found(objectives map[float64]float64, starts *[][2]float64) tune.Fitter {
	return func(_ context.Context, value float64, start fit.Start, _ int) (*fit.Result, []framework.Feature, error) {
		from := int32(value)
		if start.Settled {
			from = start.Labels[0]
			*starts = append(*starts, [2]float64{float64(from), value})
		}
		objective, ok := objectives[float64(from)]
		switch {
		case !ok:
			return nil, nil, framework.Faultf(framework.Data, "no-fit", "there is none")
		case objective == nothing: // as where no feature is left
			from = -1
		}
		return &fit.Result{Labels: slices.Repeat([]int32{from}, len(rows)), Objective: objective, Model: new(framework.Model)}, nil, nil
	}
}

func TestWhatAPointFindsReachesAllLooserOnesAndNoStartIsTriedTwice(t *testing.T) {
	cold := map[float64]float64{1: 8, 2: 10, 3: nothing, 5: 9, 6: 7}
	for name, c := range map[string]struct {
		looser framework.Direction
		want   []float64 // of the grid below: the objective at the end
		gaps   [][2]float64
	}{
		// By hand. Up: 1 is open to all, and what 6 found is tried by all too.
		"up":        {framework.Up, []float64{7, 7, 7, 7, 7, 7}, [][2]float64{{5, 1}, {3, 1}, {2, 1}}},
		"down":      {framework.Down, []float64{7, 7, 7, 7, 7, 7}, [][2]float64{{5, 6}, {3, 6}, {2, 6}, {1, 6}}},
		"not known": {"", []float64{7, 7, 7, 7, 7, 7}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var starts [][2]float64
			p := tune.Path{Grid: []float64{5, 3, 2, 4, 6, 1}, Rows: rows, Looser: c.looser, Threads: 1, Fit: found(cold, &starts)}
			points := mustRun(t, p)
			var gaps [][2]float64
			for _, g := range p.Gaps(points) {
				gaps = append(gaps, [2]float64{g.Point.Value, g.Than.Value})
			}
			if diff := cmp.Diff(c.gaps, gaps); diff != "" {
				t.Errorf("gaps of a cold path: %s", diff)
			}
			if p.Warm = true; len(starts) != 0 {
				t.Error("a cold path has warm starts")
			}
			var got []float64
			points = mustRun(t, p)
			for i, point := range points {
				got = append(got, point.Result.Objective)
				if from := point.WarmFrom; (from != from) != (p.Grid[i] == 6) {
					t.Errorf("%v starts from %v", point.Value, from)
				}
			}
			must.Equal(t, c.want, got)
			seen := map[[2]float64]int{}
			for _, s := range starts {
				if seen[s]++; seen[s] > 2 { // from below and from above
					t.Errorf("%v starts from the clusters of %v again", s[1], s[0])
				}
			}
			if gaps := p.Gaps(points); len(gaps) > 0 {
				t.Errorf("gaps are left: %v", gaps)
			}
		})
	}
}

func TestRoundingIsNoGap(t *testing.T) {
	at := func(value, objective float64) *tune.Point {
		return &tune.Point{Value: value, Result: &fit.Result{Objective: objective}}
	}
	p := tune.Path{Looser: framework.Up}
	points := []*tune.Point{at(1, 100), at(2, 1e-14), at(3, 2e-14), at(4, 5e-8), {Value: 5, Err: context.Canceled}}
	if gaps := p.Gaps(points); len(gaps) != 0 { // a part of 1e-9 of 100 is 1e-7
		t.Errorf("%v", gaps)
	}
	points[3].Result.Objective = 2e-7
	if gaps := p.Gaps(points); len(gaps) != 1 || gaps[0].Point != points[3] || gaps[0].Than != points[1] {
		t.Errorf("%v", gaps)
	}
}
