package conformance_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
)

// varied is an algorithm whose path is computed on random rows of six features.
type varied struct {
	algorithm framework.Algorithm
	params    map[string]string
	grid      []float64 // unsorted
	also      string    // what is special about the problem
}

const (
	none       = ""
	missing    = "missing cells"
	restricted = "centers in a box"
	pairs      = "pairs of rows"
)

var (
	counts    = []float64{3, 1, 6, 2, 5, 4}
	bounds    = []float64{1.5, 1, 2.2, 1.1, 2.4494, 1.9} // √6 = 2.4495
	penalties = []float64{0.1, 0, 0.4, 0.2, 0.05, 0.3, 0.8}
)

var paths = map[string]varied{
	"skfr":                    {skfr.SKFR{}, nil, counts, none},
	"skfr, local":             {skfr.SKFR{}, map[string]string{"scope": "local"}, counts, none},
	"skfr, medians":           {skfr.SKFR{}, map[string]string{"loss": "l1"}, counts, none},
	"skfr, missing":           {skfr.SKFR{}, nil, counts, missing},
	"skfr, filled":            {skfr.SKFR{}, map[string]string{"missing": "kpod"}, counts, missing},
	"skm":                     {skm.SKM{}, nil, bounds, none},
	"skm, missing":            {skm.SKM{}, nil, bounds, missing},
	"groupskm":                {groupskm.GroupSKM{}, nil, penalties, none},
	"pcskm":                   {pcskm.PCSKM{}, nil, bounds, none},
	"skm, one update":         {skm.SKM{}, map[string]string{"weight_updates": "1"}, bounds, none},
	"skfr, restricted":        {skfr.SKFR{}, nil, counts, restricted},
	"skm, restricted":         {skm.SKM{}, nil, bounds, restricted},
	"pcskm, restricted":       {pcskm.PCSKM{}, nil, bounds, restricted},
	"pcskm, pairs":            {pcskm.PCSKM{}, nil, bounds, pairs},
	"pcskm, pairs in weights": {pcskm.PCSKM{}, map[string]string{"penalty_in_weights": "true"}, bounds, pairs},
	"skfr, all columns":       {skfr.SKFR{}, nil, []float64{6, 6, 6}, none},
}

// random returns standardised rows: those of three columns have clusters.
func (v varied) random(number uint64) (clustertest.Rows, framework.Problem) {
	random := rand.New(rand.NewPCG(number, 5))
	r := clustertest.Rows{X: framework.NewMatrix(12+random.IntN(30), 6), Size: 16}
	for i := range r.X.Rows {
		for l := range r.X.Row(i) {
			r.X.Row(i)[l] = random.NormFloat64()
			if l < 3 {
				r.X.Row(i)[l] += 2 * float64(random.IntN(3))
			}
			if v.also == missing && l > 0 && random.IntN(6) == 0 {
				r.X.Row(i)[l] = math.NaN()
			}
		}
	}
	if v.also != missing {
		r.Standardise()
	}
	p := r.Problem(2 + random.IntN(4))
	p.Seed = number
	switch v.also {
	case restricted:
		p.Centers = constraint.Box{Lo: slices.Repeat([]float64{-0.7}, 6), Hi: slices.Repeat([]float64{0.4}, 6)}
	case pairs:
		for range 6 {
			if a, b := random.IntN(r.Len()), random.IntN(r.Len()); a != b {
				p.Links = append(p.Links, framework.Link{A: int32(a), B: int32(b), Cannot: random.IntN(2) == 0, Weight: 1})
			}
		}
	}
	return r, p
}

// path returns the path of the rows.
func (v varied) path(t clustertest.T, r clustertest.Rows, p framework.Problem, warm bool, threads int) tune.Path {
	d := v.algorithm.Describe()
	var maximize atomic.Bool
	return tune.Path{Grid: v.grid, Rows: r, Warm: warm, Threads: threads, Looser: d.Looser, Maximize: maximize.Load,
		Fit: func(ctx context.Context, value float64, start fit.Start, threads int) (*fit.Result, []framework.Feature, error) {
			given := map[string]string{d.Path: strconv.FormatFloat(value, 'g', -1, 64)}
			maps.Copy(given, v.params)
			problem := p
			var err error
			if problem.Params, err = d.Resolve(given); err != nil {
				return nil, nil, err
			}
			c, err := v.algorithm.New(problem)
			if err != nil {
				return nil, nil, err
			}
			maximize.Store(c.Plan().Maximize)
			res, err := fit.Run(ctx, c, problem, r, start, fit.Settings{Init: "kmeans++", InitSpace: fit.Both, Restarts: 1, MaxIter: 300,
				Empty: d.Empty, Threads: threads}, nil)
			return res, c.(framework.Selector).Features(res.Model), err
		}}
}

func mustRun(t clustertest.T, p tune.Path) []*tune.Point {
	points := must.Get(p.Run(context.Background(), nil))(t)
	return points
}

func TestAWarmPathIsNeverWorseWithALooserValueNorThanAColdOne(t *testing.T) {
	numbers := uint64(6)
	if clustertest.Campaign {
		numbers = 12
	}
	for name, v := range paths {
		t.Run(name, func(t *testing.T) {
			gaps := 0
			for number := range numbers {
				r, p := v.random(number)
				plain, better := v.path(t, r, p, false, 1), v.path(t, r, p, true, 1)
				cold, warm := mustRun(t, plain), mustRun(t, better)
				gaps += len(plain.Gaps(cold))
				if more := better.Gaps(warm); len(more) > 0 && v.also != pairs { // a pass over linked rows may make the objective worse
					g := more[0]
					t.Fatalf("%v has %v, and %v has %v", g.Point.Value, g.Point.Result.Objective, g.Than.Value, g.Than.Result.Objective)
				}
				for i, point := range warm {
					if math.IsNaN(point.WarmFrom) {
						if diff := cmp.Diff(cold[i].Result, point.Result, cmpopts.IgnoreFields(fit.Result{}, "Seconds"), cmpopts.EquateNaNs(),
							cmpopts.IgnoreFields(framework.Model{}, "Cache")); diff != "" {
							t.Fatalf("%v starts as without neighbours, and ends otherwise: %s", point.Value, diff)
						}
						continue
					}
					of := tune.Path{Looser: "", Maximize: better.Maximize}
					a, b := *cold[i], *point
					a.Value, b.Value = 0, 0
					if g := of.Gaps([]*tune.Point{&a, &b}); len(g) == 1 && g[0].Point == &b {
						t.Fatalf("%v is worse than without neighbours: %v, %v", point.Value, point.Result.Objective, cold[i].Result.Objective)
					}
				}
			}
			// The clusters of these two are those of k-means, whatever the bound.
			if gaps == 0 && name != "skfr, all columns" && name != "skm, one update" {
				t.Error("no cold path has a gap: the cases show nothing")
			}
		})
	}
}

func TestThreadsDoNotChangeAWarmPath(t *testing.T) {
	for number, name := range []string{"skfr", "skm", "groupskm", "pcskm"} {
		v := paths[name]
		r, p := v.random(uint64(number))
		var all [][]string
		for _, threads := range []int{1, 3} {
			var text []string
			for _, point := range mustRun(t, v.path(t, r, p, true, threads)) {
				text = append(text, fmt.Sprint(point.Value, point.WarmFrom, point.Result.Objective, point.Result.Labels, point.ARI))
			}
			all = append(all, text)
		}
		must.Equal(t, all[0], all[1])
	}
}
