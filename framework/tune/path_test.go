package tune_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// line is rows of one feature in one block.
type line []float64

func (l line) Len() int    { return len(l) }
func (l line) Blocks() int { return 1 }
func (l line) Block(int) framework.Block {
	return framework.Block{X: framework.Matrix{Rows: len(l), Cols: 1, Data: l}}
}

var rows = line{0, 1, 10, 11}

// cut puts the rows below the value into cluster 0. It refuses values below 0.
func cut(_ context.Context, value float64, _ fit.Start, _ int) (*fit.Result, []framework.Feature, error) {
	if value < 0 {
		return nil, nil, framework.Faultf(framework.Data, "below-zero", "%v is below 0", value)
	}
	r := &fit.Result{Stop: fit.Settled, Labels: make([]int32, len(rows))}
	for i, x := range rows {
		if x >= value {
			r.Labels[i] = 1
		}
	}
	if value == 100 { // as where no feature is left
		r.Stop, r.Labels = "all_zero", []int32{-1, -1, -1, -1}
	}
	return r, nil, nil
}

func TestPointsComeInTheOrderOfTheGridAndAreComparedWithTheLastThatHasLabels(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 20} {
		p := tune.Path{Grid: []float64{5, -1, 100, 0.5, 5}, Rows: rows, Threads: threads, Fit: cut}
		reports := 0
		points := must.Get(p.Run(t.Context(), func(ended, of int, _ *tune.Point) {
			if reports++; ended != reports || of != 5 {
				t.Errorf("report %d says %d of %d", reports, ended, of)
			}
		}))(t)
		var status []string
		var explained, ari []float64
		for _, point := range points {
			status, explained, ari = append(status, point.Status()), append(explained, point.Explained), append(ari, point.ARI)
		}
		nan := math.NaN()
		must.Equal(t, []string{"settled", "below-zero", "all_zero", "settled", "settled"}, status)
		// By hand: the total is 101 about 5.5; within are 1 for {0 1 | 10 11}, and
		// 182/3 for {0 | 1 10 11}. Pairs together: 2 and 3 of 6, 1 in both, so that
		// the adjusted index is (1 − 2·3/6) / ((2+3)/2 − 2·3/6) = 0.
		want := []float64{1 - 1/101.0, nan, nan, 1 - 182/3.0/101, 1 - 1/101.0}
		must.Equal(t, want, explained, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-15))
		must.Equal(t, []float64{nan, nan, nan, 0, 0}, ari, cmpopts.EquateNaNs())
	}
}

func TestAPointWithoutRowsForEveryClusterSaysSo(t *testing.T) {
	for clusters, want := range map[int]string{0: "settled", 2: "settled", 3: "too_few_distinct"} {
		p := tune.Path{Grid: []float64{5}, Rows: rows, Threads: 1, Fit: cut, Clusters: clusters}
		points, err := p.Run(t.Context(), nil)
		if err != nil || points[0].Status() != want {
			t.Errorf("%d clusters: %s, %v", clusters, points[0].Status(), err)
		}
	}
}

func TestACancelledPathReturnsTheErrorOfItsContext(t *testing.T) {
	for _, threads := range []int{1, 3} {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := tune.Path{Grid: []float64{1, 2, 3, 4, 5, 6}, Rows: rows, Threads: threads,
			Fit: func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
				if value == 3 {
					cancel(errors.New("a signal"))
				}
				if ctx.Err() != nil {
					return nil, nil, ctx.Err()
				}
				return cut(ctx, value, start, threads)
			}}
		if points, err := p.Run(ctx, nil); !errors.Is(err, context.Canceled) || len(points) == 6 {
			t.Errorf("%d threads: %d points, %v", threads, len(points), err)
		}
		cancel(nil)
	}
}

func TestAnErrorEndsThePathAndKeepsThePointsThatEnded(t *testing.T) {
	for name, failure := range map[string]error{
		"plugin": framework.Faultf(framework.Plugin, "plugin-crashed", "it has crashed"), "cancelled": context.Canceled,
	} {
		for _, threads := range []int{1, 3} {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			p := tune.Path{Grid: []float64{1, 2, 3, 4, 5, 6}, Rows: rows, Threads: threads,
				Fit: func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
					if value == 3 {
						if name == "cancelled" {
							cancel(errors.New("a signal")) // which is why, and not what has happened
						}
						return nil, nil, failure
					}
					return cut(ctx, value, start, threads)
				}}
			points, err := p.Run(ctx, nil)
			if !errors.Is(err, failure) {
				t.Errorf("%s, %d threads: %v", name, threads, err)
			}
			var values []float64
			for _, point := range points {
				values = append(values, point.Value)
			}
			if slices.Contains(values, 3) || !slices.IsSorted(values) || threads == 1 && !slices.Equal(values, []float64{1, 2}) {
				t.Errorf("%s, %d threads: points %v", name, threads, values)
			}
		}
	}
}
