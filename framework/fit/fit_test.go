package fit_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// twoGroups has its best two centers at −2 and 2, and an objective of 4 there.
var twoGroups = line{-3, -2, -1, 1, 2, 3}

// crowd repeats rows until two workers have something to do: 6000 rows.
func crowd(rows line) line {
	var all line
	for len(all) < 6000 {
		all = append(all, rows...)
	}
	return all
}

// halves labels the first half of the rows 0, the others 1.
func halves(rows line) fit.Start {
	start := make([]int32, len(rows))
	for i := len(rows) / 2; i < len(rows); i++ {
		start[i] = 1
	}
	return fit.Start{Labels: start}
}

func settings() fit.Settings {
	return fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 50, Empty: framework.Origin, Threads: 2}
}

func runToy(c toy, rows line, start fit.Start, s fit.Settings) (*fit.Result, error) {
	p := rows.problem(2)
	c.Lloyd = means.NewLloyd(p, means.Squared)
	return fit.Run(context.Background(), c, p, rows, start, s, nil)
}

func labels(l ...int32) fit.Start { return fit.Start{Labels: l} }

func TestRunSettlesAtTheMeansAndMeasuresEveryRow(t *testing.T) {
	res := must.Get(runToy(toy{}, twoGroups, labels(0, 0, 1, 0, 1, 1), settings()))(t)
	want := &fit.Result{ // by hand
		Labels: []int32{0, 0, 0, 1, 1, 1}, Distance: []float64{1, 0, 1, 1, 0, 1},
		Second: []int32{1, 1, 1, 0, 0, 0}, Margin: []float64{4, 4, 2, 2, 4, 4},
		Objective: 4, Inertia: 4, Converged: true, Stop: fit.Settled,
		Model: &framework.Model{Centers: framework.Matrix{Rows: 2, Cols: 1, Data: []float64{-2, 2}}, FeatureWeights: []float64{0}},
	}
	want.Model.Round = res.Iterations + 1 // the first centers are projected too
	want.Iterations, want.Trace, want.BlocksByWorker, want.Seconds = res.Iterations, res.Trace, res.BlocksByWorker, res.Seconds
	must.Equal(t, want, res)
	last := res.Trace[len(res.Trace)-1]
	if last.Moved != 0 || last.Iteration != res.Iterations || last.Objective != 4 {
		t.Errorf("last iteration %+v", last)
	}
}

func TestATargetForSettledLabelsIsProjectedUntilItRests(t *testing.T) {
	res := must.Get(runToy(toy{weight: 1}, twoGroups, labels(0, 0, 0, 1, 1, 1), settings()))(t)
	// Settled at once; then 1 → 1/2 → 1/4 → at rest, one iteration each.
	if got := res.Model.FeatureWeights[0]; got != 0.25 || res.Iterations != 3 || !res.Converged {
		t.Errorf("weight %v after %d iterations (stop %q), want 0.25 after 3", got, res.Iterations, res.Stop)
	}
}

func TestWithoutIterationsAStartIsUpdatedAndProjectedAndKeepsItsLabels(t *testing.T) {
	s := settings()
	s.MaxIter = 0
	start := []int32{0, 1, 0, 1, 0, 1}
	res := must.Get(runToy(toy{}, twoGroups, fit.Start{Labels: start}, s))(t)
	must.Equal(t, start, res.Labels)
	// Means of −3, −1, 2 and of −2, 1, 3, by hand.
	must.Equal(t, []float64{-2.0 / 3, 2.0 / 3}, res.Model.Centers.Data)
	if res.Converged || res.Stop != fit.MaxIter {
		t.Errorf("converged %v, stop %q", res.Converged, res.Stop)
	}
}

func TestAStartFromCentersBeginsWithAssign(t *testing.T) {
	s := settings()
	s.MaxIter = 1
	centers := framework.Matrix{Rows: 2, Cols: 1, Data: []float64{2.5, -10}}
	res := must.Get(runToy(toy{}, twoGroups, fit.Start{Centers: &centers}, s))(t)
	// −10 wins no row (−3 is 5.5 from 2.5 and 7 from −10), so all rows are of
	// cluster 0 with mean 0, the other center is at the origin as well, and the
	// lower one wins the tie.
	must.Equal(t, []int32{0, 0, 0, 0, 0, 0}, res.Labels)
}

func TestTheBestRestartWinsAndItsNumberIsTold(t *testing.T) {
	s := settings()
	s.Restarts = 8
	res := must.Get(runToy(toy{}, line{0, 1, 10, 11, 20, 21.5}, fit.Start{}, s))(t)
	best, at := math.Inf(1), -1
	final := map[int]float64{}
	for _, it := range res.Trace {
		final[it.Restart] = it.Objective
	}
	for r := range 8 {
		if final[r] < best {
			best, at = final[r], r
		}
	}
	if len(final) != 8 || res.Restart != at || res.Objective != best {
		t.Errorf("restart %d with %v was returned, but %d has %v (of %v)", res.Restart, res.Objective, at, best, final)
	}
}

func TestAGivenStartIsRunOnce(t *testing.T) {
	s := settings()
	s.Restarts = 5
	res := must.Get(runToy(toy{}, twoGroups, labels(0, 0, 1, 0, 1, 1), s))(t)
	for _, it := range res.Trace {
		if it.Restart != 0 {
			t.Fatalf("restart %d", it.Restart)
		}
	}
}

func TestEveryBlockOfEveryPassIsCountedForAWorker(t *testing.T) {
	var calls atomic.Int64
	c := toy{onAssign: func(framework.Block) { calls.Add(1) }}
	res := must.Get(runToy(c, crowd(twoGroups), halves(crowd(twoGroups)), settings()))(t)
	counted := 0
	for _, n := range res.BlocksByWorker {
		counted += n
	}
	if len(res.BlocksByWorker) != 2 || counted != int(calls.Load()) {
		t.Errorf("workers counted %v, but there were %d calls", res.BlocksByWorker, calls.Load())
	}
}

func TestTwoWorkersTakeBlocksAtTheSameTime(t *testing.T) {
	// One worker alone would never get on.
	c := toy{onAssign: meeting()}
	must.Get(runToy(c, crowd(twoGroups), halves(crowd(twoGroups)), settings()))(t)
}

func TestAnEmptyClusterFailsTheRunWhenAskedFor(t *testing.T) {
	s := settings()
	s.Empty = framework.Fail
	_, err := runToy(toy{}, line{5, 5, 5, 5}, labels(0, 0, 0, 0), s)
	if f := framework.AsFault(err); f == nil || f.Code != "empty-cluster" || f.Class != framework.Data {
		t.Errorf("got %v", err)
	}
}

func TestAPanicOfTheAlgorithmIsAFault(t *testing.T) {
	for _, threads := range []int{1, 2} {
		s := settings()
		s.Threads = threads
		rows := crowd(twoGroups)
		_, err := runToy(toy{onAssign: func(b framework.Block) { panic("index out of range") }}, rows, halves(rows), s)
		f := framework.AsFault(err)
		if f == nil || f.Code != "plugin-panic" || f.Summary != "the algorithm stopped with an internal error: index out of range" {
			t.Errorf("%d threads: got %v", threads, err)
		}
	}
}

func TestCancellationEndsTheRun(t *testing.T) {
	for _, threads := range []int{1, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		c := toy{onAssign: func(framework.Block) { cancel() }}
		rows := crowd(twoGroups)
		p := rows.problem(2)
		c.Lloyd = means.NewLloyd(p, means.Squared)
		s := settings()
		s.Threads = threads
		_, err := fit.Run(ctx, c, p, rows, halves(rows), s, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d threads: got %v", threads, err)
		}
	}
}

func TestCancellationAndPanicsEndRunsSideBySide(t *testing.T) {
	s := settings()
	s.Restarts = 9
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := twoGroups.problem(2)
	c := toy{Lloyd: means.NewLloyd(p, means.Squared), onAssign: func(framework.Block) { cancel() }}
	if _, err := fit.Run(ctx, c, p, twoGroups, fit.Start{}, s, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	_, err := runToy(toy{onAssign: func(framework.Block) { panic("oh") }}, twoGroups, fit.Start{}, s)
	must.Fault(t, err, "plugin-panic")
}

func TestProgressComesInTheOrderOfRestarts(t *testing.T) {
	for _, oneModel := range []bool{false, true} {
		s := settings()
		s.Restarts = 20
		p := line(noise(300)).problem(5)
		c := toy{Lloyd: means.NewLloyd(p, means.Squared), oneModel: oneModel}
		var seen []fit.Iteration
		tell := func(it fit.Iteration) { seen = append(seen, it) }
		res := must.Get(fit.Run(context.Background(), c, p, line(noise(300)), fit.Start{}, s, tell))(t)
		must.Equal(t, res.Trace, seen)
		for i := 1; i < len(seen); i++ {
			a, b := seen[i-1], seen[i]
			if !(b.Restart == a.Restart && b.Iteration == a.Iteration+1 || b.Restart == a.Restart+1 && b.Iteration == 1) {
				t.Fatalf("%+v after %+v", b, a)
			}
		}
		if last := seen[len(seen)-1].Restart; last != 19 {
			t.Errorf("restart %d came last", last)
		}
	}
}

func TestRunsSideBySideAndOneByOneGiveTheSameBits(t *testing.T) {
	s := settings()
	s.Restarts = 5
	rows := crowd(noise(400))
	p := rows.problem(4)
	var want *fit.Result
	for _, threads := range []int{1, 2, 20} {
		for _, oneModel := range []bool{true, false} {
			s.Threads = threads
			c := toy{Lloyd: means.NewLloyd(p, means.Squared), oneModel: oneModel}
			res := must.Get(fit.Run(context.Background(), c, p, rows, fit.Start{}, s, nil))(t)
			res.BlocksByWorker, res.Seconds, res.Model.Cache = nil, fit.Seconds{}, nil
			if want == nil {
				want = res
			}
			if diff := cmp.Diff(want, res); diff != "" {
				t.Errorf("%d threads, one model at a time %v: %s", threads, oneModel, diff)
			}
		}
	}
}

// noise is n normal numbers about 1e5.
func noise(n int) []float64 {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = 1e5 + random.NormFloat64()
	}
	return x
}

func TestSettingsAndStartsThatCannotBeRunAreRefused(t *testing.T) {
	cases := map[string]struct {
		change func(*fit.Settings)
		start  fit.Start
		code   string
		where  string
	}{
		"no restart":             {func(s *fit.Settings) { s.Restarts = 0 }, fit.Start{}, "bad-setting", "restarts"},
		"max_iter":               {func(s *fit.Settings) { s.MaxIter = -1 }, fit.Start{}, "bad-setting", "max_iter"},
		"tol":                    {func(s *fit.Settings) { s.Tol = math.NaN() }, fit.Start{}, "bad-setting", "tol"},
		"empty":                  {func(s *fit.Settings) { s.Empty = "drop" }, fit.Start{}, "bad-setting", "empty"},
		"init space":             {func(s *fit.Settings) { s.InitSpace = "" }, fit.Start{}, "bad-setting", "init_space"},
		"few labels":             {nil, labels(0, 1), "bad-start", "start"},
		"label too large":        {nil, labels(0, 0, 0, 0, 0, 2), "bad-start", "start"},
		"one row":                {nil, fit.Start{Rows: []int{1}}, "bad-start", "start"},
		"no such row":            {nil, fit.Start{Rows: []int{1, 6}}, "bad-start", "start"},
		"settled, but of no fit": {nil, fit.Start{Labels: []int32{0, 0, 0, 1, 1, 1}, Settled: true}, "bad-start", "start"},
		"wrong centers":          {nil, fit.Start{Centers: &framework.Matrix{Rows: 2, Cols: 2, Data: make([]float64, 4)}}, "bad-start", "start"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := settings()
			if c.change != nil {
				c.change(&s)
			}
			_, err := runToy(toy{}, twoGroups, c.start, s)
			if f := framework.AsFault(err); f == nil || f.Code != c.code || f.Where != framework.Setting(c.where) {
				t.Errorf("got %+v, want %s at %s", f, c.code, c.where)
			}
		})
	}
}

func TestMoreClustersThanRowsAreRefused(t *testing.T) {
	p := twoGroups.problem(7)
	_, err := fit.Run(context.Background(), toy{Lloyd: means.NewLloyd(p, means.Squared)}, p, twoGroups, fit.Start{}, settings(), nil)
	must.Fault(t, err, "too-few-rows")
}

func TestTheTraceCountsTheRowsThatMoved(t *testing.T) {
	res := must.Get(runToy(toy{}, twoGroups, labels(1, 1, 1, 0, 0, 1), settings()))(t)
	// By hand: means −3/4 and 3/2 of rows 0 1 2 5 and 3 4 move row 5; then the
	// labels are right.
	if len(res.Trace) != 2 || res.Trace[0].Moved != 1 || res.Trace[1].Moved != 0 {
		t.Errorf("got %+v", res.Trace)
	}
}

func TestOfEquallyGoodRestartsTheFirstIsReturned(t *testing.T) {
	s := settings()
	s.Restarts = 6
	res := must.Get(runToy(toy{}, twoGroups, fit.Start{}, s))(t) // every start of two far groups ends alike
	for _, it := range res.Trace {
		if it.Restart < res.Restart && it.Objective <= res.Objective {
			t.Errorf("restart %d had %v before restart %d", it.Restart, it.Objective, res.Restart)
		}
	}
}

func TestRankingNamesTheNearestCentersInOrderAndTheLowerOfEqualsFirst(t *testing.T) {
	rows := line{0, 5, math.NaN()}
	p := rows.problem(3)
	p.Columns[0].Missing = 1
	m := &framework.Model{Centers: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{4, -4, 7}}}
	got := must.Get(fit.Rank(t.Context(), means.NewLloyd(p, means.Squared), m, rows, 2, 2))(t)
	want := &fit.Ranking{PerRow: 2, Cluster: []int32{0, 1, 0, 2, -1, -1}, Distance: []float64{4, 4, 1, 2, 0, 0}} // by hand
	must.Equal(t, want, got)
	if all := must.Get(fit.Rank(t.Context(), means.NewLloyd(p, means.Squared), m, rows, 9, 1))(t); all.PerRow != 3 {
		t.Errorf("%d of 3 centers", all.PerRow)
	}
}
