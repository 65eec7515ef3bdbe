package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// knowing returns a fitter that gives a row the class that most must-links tell
// of, and row number modulo 2 where there is none: so it depends on every link.
// It selects as many of 5 features as the value of the point says, and refuses values
// below 0.
func knowing(n int, grid ...float64) LinkedFitter {
	return func(_ context.Context, point int, links []framework.Link, _ int) (*fit.Result, []framework.Feature, error) {
		value := grid[point]
		if value < 0 {
			return nil, nil, framework.Faultf(framework.Data, "below-zero", "%v is below 0", value)
		}
		r := &fit.Result{Stop: fit.Settled, Converged: value != 3, Labels: make([]int32, n), Iterations: len(links)}
		if value == 3 {
			r.Stop = "max_iter"
		}
		for i := range r.Labels {
			r.Labels[i] = int32(i % 2)
		}
		for _, l := range links {
			if !l.Cannot {
				r.Labels[l.B] = r.Labels[l.A]
			}
		}
		features := make([]framework.Feature, 5)
		for l := range features {
			features[l] = framework.Feature{Column: l, Selected: float64(l) < value}
		}
		return r, features, nil
	}
}

// grid is the values of drawCrossValidation.
var grid = []float64{4, 2, -1, 3}

func drawCrossValidation(t *rapid.T) *CrossValidation {
	c := &CrossValidation{
		Points: len(grid), Classes: rapid.SliceOfN(rapid.Int32Range(-1, 1), 20, 40).Draw(t, "classes"),
		Folds: rapid.IntRange(2, 3).Draw(t, "folds"), Repeats: rapid.IntRange(1, 3).Draw(t, "repeats"),
		Seed: rapid.Uint64().Draw(t, "seed"), Threads: 1, Share: rapid.SampledFrom([]float64{1, 0.3}).Draw(t, "share"),
	}
	c.Fit = knowing(len(c.Classes), grid...)
	return c
}

func TestThreadsDoNotChangeACrossValidation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCrossValidation(t)
		if CheckFolds(c.Classes, c.Folds) != nil {
			return
		}
		run := func(threads int) ([]Value, []FoldFit) {
			c.Threads = threads
			reports := 0
			values, fits, err := c.Run(t.Context(), func(ended, of, _ int) {
				if reports++; ended != reports || of != 4*c.Repeats*c.Folds {
					t.Errorf("report %d says %d of %d", reports, ended, of)
				}
			})
			if err != nil || reports != 4*c.Repeats*c.Folds {
				t.Fatalf("%d reports, %v", reports, err)
			}
			return values, fits
		}
		values, fits := run(1)
		same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.EquateErrors(), cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })}
		for _, threads := range []int{2, 5} {
			v, f := run(threads)
			must.Equal(t, values, v, same[0], same[2])
			must.Equal(t, fits, f, same[0], same[2])
		}
	})
}

func TestFitsComeByValueRepetitionAndFoldWithTheLinksThatTheyMayKnow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCrossValidation(t)
		if CheckFolds(c.Classes, c.Folds) != nil {
			return
		}
		_, fits, err := c.Run(t.Context(), nil)
		must.Do(t, err)
		i := 0
		for point := range grid {
			for r := range c.Repeats {
				fold := Deal(c.Classes, c.Folds, c.Seed, r)
				for held := range c.Folds {
					links := must.Get(c.linksWithout(fold, r, held))(t)
					f := fits[i]
					i++
					if f.Point != point || f.Repeat != r || f.Fold != held || f.Links != len(links) {
						t.Fatalf("fit %d: %+v", i, f)
					}
					result, _, err := c.Fit(t.Context(), point, links, 1)
					if err != nil {
						if f.Status() != "below-zero" || f.Score == f.Score {
							t.Fatalf("fit %d: %+v", i, f)
						}
						continue
					}
					if want := ByF.heldOut(c.Classes, result.Labels, fold, held); f.Score != want || f.Iterations != len(links) {
						t.Fatalf("fit %d: %+v, want a score of %v", i, f, want)
					}
				}
			}
		}
		if i != len(fits) {
			t.Fatalf("%d fits, want %d", len(fits), i)
		}
	})
}

func TestAMethodWithoutLinksIsFittedOncePerValueAndScoredOnEveryFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCrossValidation(t)
		if CheckFolds(c.Classes, c.Folds) != nil {
			return
		}
		blind, count := knowing(len(c.Classes), grid...), 0
		c.Fit = func(ctx context.Context, point int, _ []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
			count++
			return blind(ctx, point, nil, threads)
		}
		values, fits, err := c.Run(t.Context(), nil)
		must.Do(t, err)
		count, c.Unlinked = 0, true
		v, f, err := c.Run(t.Context(), nil)
		if err != nil || count != c.Points {
			t.Fatalf("%d fits of %d values, %v", count, c.Points, err)
		}
		for i := range fits {
			fits[i].Links = 0
		}
		errs := cmp.Comparer(func(a, b error) bool { return (a == nil) == (b == nil) })
		must.Equal(t, values, v, cmpopts.EquateNaNs(), errs)
		must.Equal(t, fits, f, cmpopts.EquateNaNs(), errs)
	})
}

func TestAValueIsTheMeanOfItsFoldsAndAFailureLeavesItWithoutScore(t *testing.T) {
	c := &CrossValidation{Folds: 2, Repeats: 2}
	fold := func(score float64, selected int) FoldFit {
		return FoldFit{Score: score, Outcome: Outcome{Stop: fit.Settled, Converged: true, Selected: selected}}
	}
	fits := []FoldFit{fold(0.5, 3), fold(0.7, 4), fold(0.8, 4), fold(0.8, 4)}
	v := c.judge(1, fits)
	// By hand: variances over the folds 0.02 and 0, their mean 0.01, over 2 folds 0.005.
	want := Value{Point: 1, Status: fit.Settled, Converged: true, Fits: 4, Score: 0.7, Error: math.Sqrt(0.005), Selected: 3.75}
	must.Equal(t, want, v, cmpopts.EquateApprox(0, 1e-15))
	fits[1].Converged, fits[1].Stop = false, "max_iter"
	if v := c.judge(1, fits); v.Status != "max_iter" || v.Converged || v.Score != v.Score {
		t.Errorf("%+v", v)
	}
	if v := c.judge(1, fits[:3]); v.Status != Incomplete || v.Converged || v.Score == v.Score || v.Fits != 3 {
		t.Errorf("%+v", v)
	}
	fits[2].Err = framework.Faultf(framework.Data, "empty-cluster", "cluster 0 is empty")
	if v := c.judge(1, fits); v.Status != "empty-cluster" || v.Converged || v.Score == v.Score || v.Err == nil {
		t.Errorf("%+v", v)
	}
}

func TestLinksThatAreGivenAreUsedWhereNoRowIsHeldOut(t *testing.T) {
	classes := []int32{0, 0, 0, 0, 1, 1, 1, 1, -1, -1}
	given := []framework.Link{{A: 8, B: 9, Weight: 2}}
	for i := range int32(8) {
		given = append(given, framework.Link{A: i, B: 8, Cannot: true, Weight: math.Inf(1)})
	}
	seen := map[int]int{}
	c := &CrossValidation{Points: 1, Classes: classes, Folds: 2, Repeats: 2, Seed: 1, Threads: 1, Links: given,
		Fit: func(ctx context.Context, point int, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
			seen[len(links)]++
			if !slices.Contains(links, given[0]) {
				t.Error("the link of rows without class is missing")
			}
			return knowing(len(classes), grid...)(ctx, point, links, threads)
		}}
	if _, _, err := c.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	must.Equal(t, map[int]int{5: 4}, seen) // one and half of eight, in each of four fits
	c.Links = []framework.Link{{A: 0, B: 1, Weight: 1}}
	_, _, err := c.Run(t.Context(), nil)
	must.Fault(t, err, "fold-without-pairs")
}

func TestAnErrorEndsACrossValidationAndKeepsWhatHasEnded(t *testing.T) {
	failure := framework.Faultf(framework.Plugin, "plugin-crashed", "it has crashed")
	classes := []int32{0, 0, 0, 0, 1, 1, 1, 1}
	for _, threads := range []int{1, 3} {
		c := &CrossValidation{Points: 3, Classes: classes, Folds: 2, Repeats: 1, Seed: 1, Threads: threads, Share: 1,
			Fit: func(ctx context.Context, point int, links []framework.Link, threads int) (*fit.Result, []framework.Feature, error) {
				if point == 1 {
					return nil, nil, failure
				}
				return knowing(len(classes), grid...)(ctx, point, links, threads)
			}}
		values, fits, err := c.Run(t.Context(), nil)
		if !errors.Is(err, failure) {
			t.Errorf("%d threads: %v", threads, err)
		}
		if threads == 1 && (len(values) != 1 || len(fits) != 2 || values[0].Score != values[0].Score) {
			t.Errorf("values %+v, fits %+v", values, fits)
		}
		for _, f := range fits {
			if f.Point == 1 {
				t.Errorf("%d threads: a fit of the value that failed: %+v", threads, f)
			}
		}
	}
}

func TestTheChoiceIsTheBestAndTheSparsestWithinOneStandardError(t *testing.T) {
	nan := math.NaN()
	for name, test := range map[string]struct {
		values         []Value
		best, sparsest int
	}{
		"none":     {nil, -1, -1},
		"no score": {[]Value{{Score: nan, Error: nan, Selected: nan}}, -1, -1},
		"one":      {[]Value{{Score: 0, Error: 0, Selected: 3}}, 0, 0},
		"a sparser one is near": {[]Value{{Score: 0.75, Error: 0.25, Selected: 9},
			{Score: 0.5, Error: 0, Selected: 3}, {Score: 0.25, Selected: 1}}, 0, 1},
		"a sparser one is too far":            {[]Value{{Score: 0.75, Error: 0.125, Selected: 9}, {Score: 0.5, Error: 1, Selected: 3}}, 0, 0},
		"of equal scores the sparsest":        {[]Value{{Score: 0.5, Selected: 9}, {Score: 0.5, Selected: 3}, {Score: 0.5, Selected: 3}}, 1, 1},
		"of equally sparse ones the better":   {[]Value{{Score: 0.5, Error: 1, Selected: 3}, {Score: 0.75, Error: 1, Selected: 3}}, 1, 1},
		"a value without score is not chosen": {[]Value{{Score: nan, Error: nan, Selected: 0}, {Score: 0.1, Error: 0.1, Selected: 3}}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if best, sparsest := Choose(test.values); best != test.best || sparsest != test.sparsest {
				t.Errorf("%d and %d, want %d and %d", best, sparsest, test.best, test.sparsest)
			}
		})
	}
}

func TestSelectedCountsFeaturesAndNotTheirClusters(t *testing.T) {
	features := []framework.Feature{{Column: 1, Selected: true}, {Column: 1, Cluster: 1, Selected: true}, {Column: 2},
		{Column: 3, Selected: true}}
	if n := Selected(features); n != 2 {
		t.Errorf("%d", n)
	}
}
