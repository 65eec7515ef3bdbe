package skfr_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// gapRows reads the rows of an archive of testdata/gap, standardised.
func gapRows(t *testing.T, dir string) clustertest.Rows {
	rows := clustertest.ReadTable(t, filepath.Join(dir, "X.csv")).Rows(t)
	rows.Standardise()
	return rows
}

// withSparsity returns the parameters of SKFR with s features.
func withSparsity(t *testing.T, s int) framework.Params {
	t.Helper()
	return must.Get(skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": strconv.Itoa(s)}))(t)
}

func TestGapCurvesAreThoseOfTheAuthorsProgram(t *testing.T) {
	dir, remove := clustertest.Unpack("testdata/gap")
	t.Cleanup(remove)
	for _, c := range []struct {
		name  string
		draws int
	}{{"iris", 5}, {"sim_p20", 4}} {
		rows := gapRows(t, filepath.Join(dir, c.name))
		start := fit.Start{Labels: clustertest.ReadTable(t, filepath.Join(dir, c.name, "init.csv")).Labels(t, "label", 0)}
		curve := clustertest.ReadTable(t, filepath.Join(dir, c.name, "gap_exact.csv"))
		p := rows.Problem(3)
		total := float64(p.P * (p.N - 1))
		explained := func(x framework.Matrix, s int) float64 {
			data, columns := matrix.Derive(p.Columns, x, nil)
			of := p
			of.Columns, of.Params = columns, withSparsity(t, s)
			f := must.Get(tune.Here(skfr.SKFR{}, nil)(t.Context(), of, data, start,
				fit.Settings{InitSpace: fit.Fitted, MaxIter: 1000, Empty: framework.Origin, Threads: 1, Restarts: 1}))(t)
			return total - f.Objective
		}
		permutations := clustertest.ReadTable(t, filepath.Join(dir, c.name, "permutations.csv"))
		var of []float64
		draws := make([][]float64, c.draws)
		for i, s := range curve.Column(t, "s") {
			of = append(of, explained(rows.X, int(s)))
			if want := curve.Column(t, "tot")[i]; math.Abs(of[i]-want) > 1e-9*want {
				t.Errorf("%s, s %v: explained %v, want %v", c.name, s, of[i], want)
			}
			for b := range draws {
				x := rows.X.Clone()
				for l := range p.P {
					for r, from := range permutations.Column(t, permutations.Header[b*p.P+l]) {
						x.Row(r)[l] = rows.X.Row(int(from))[l]
					}
				}
				draws[b] = append(draws[b], explained(x, int(s)))
			}
		}
		got := tune.Gaps(of, draws)
		for i, want := range curve.Column(t, "gap") {
			if math.Abs(got.Gap[i]-want) > 1e-9 {
				t.Errorf("%s: gap %v, want %v", c.name, got.Gap[i], want)
			}
			sd := curve.Column(t, "sd_log_permtot")[i]
			if want := sd * math.Sqrt(1+1/float64(c.draws)); math.Abs(got.Error[i]-want) > 1e-9 {
				t.Errorf("%s: standard error %v, want %v", c.name, got.Error[i], want)
			}
		}
	}
}

// sweepOver returns a sweep over numbers of features, with permutations.
func sweepOver(t *testing.T, k int, s []int, permutations, starts int) tune.Sweep {
	sweep := tune.Sweep{Draws: []tune.Draw{{}}, Settings: fit.Settings{Init: "kmeans++", InitSpace: fit.Both, Restarts: starts, MaxIter: 300,
		Empty: framework.Reseed, Threads: 2}}
	for _, n := range s {
		sweep.Candidates = append(sweep.Candidates, tune.Candidate{K: k, Params: withSparsity(t, n)})
	}
	for b := range permutations {
		sweep.Draws = append(sweep.Draws, tune.Draw{Kind: tune.Permuted, Number: b})
	}
	return sweep
}

// gapOf runs a sweep whose first draw is the rows.
func gapOf(t *testing.T, sweep tune.Sweep, p framework.Problem, rows *matrix.Data) tune.GapCurve {
	explained := make([][]float64, len(sweep.Draws))
	for i := range explained {
		explained[i] = make([]float64, len(sweep.Candidates))
	}
	must.Do(t, sweep.Run(t.Context(), tune.Here(skfr.SKFR{}, nil), p, rows, func(trial tune.Trial) error {
		explained[trial.Draw][trial.Candidate] = trial.Explained
		return trial.Err
	}))
	return tune.Gaps(explained[0], explained[1:])
}

// The designs have 6 and 15 informative features. The curve of many permutations
// picks the number that it should, so that few must do the same.
func TestTheGapOfFewPermutationsPicksWhatThatOfManyPicks(t *testing.T) {
	dir, remove := clustertest.Unpack("testdata/gap")
	t.Cleanup(remove)
	for _, c := range []struct {
		name        string
		k           int
		s           []int
		informative int
	}{
		{"sim_p20", 3, []int{2, 4, 5, 6, 7, 8, 10, 12, 16, 19}, 6},
		{"brod_p50", 10, []int{5, 10, 13, 15, 17, 20, 30, 49}, 15},
	} {
		rows := gapRows(t, filepath.Join(dir, c.name))
		data := matrix.FromMatrix(rows.X, nil, 0)
		p := rows.Problem(c.k)
		picks := map[int]int{}
		for seed := range uint64(5) {
			p.Seed = seed + 1
			g := gapOf(t, sweepOver(t, c.k, c.s, 25, 10), p, data)
			picks[c.s[slices.Index(g.Gap, slices.Max(g.Gap))]]++
		}
		p.Seed = 99
		many := gapOf(t, sweepOver(t, c.k, c.s, 40, 10), p, data)
		want := c.s[slices.Index(many.Gap, slices.Max(many.Gap))]
		if want != c.informative || picks[want] < 4 {
			t.Errorf("%s: 40 permutations pick %d, five times 25 of them %v; %d features are informative", c.name, want, picks, c.informative)
		}
	}
}

// The draws of a sweep are the same whatever else is drawn, and on any number of
// threads.
func TestTrialsDependNeitherOnThreadsNorOnTheRestOfTheSweep(t *testing.T) {
	rows := clustertest.ReadTable(t, filepath.Join(unpacked, "iris", "X.csv")).Rows(t)
	rows.Standardise()
	data, p := matrix.FromMatrix(rows.X, nil, 0), rows.Problem(3)
	p.Seed = 7
	all := sweepOver(t, 3, []int{1, 2, 4}, 3, 3)
	all.Labels = true
	all.Candidates[1].K = 2
	all.Draws = append(all.Draws, tune.Draw{Kind: tune.Half, Number: 2}, tune.Draw{Kind: tune.Bootstrap}, tune.Draw{Kind: tune.Uniform,
		Number: 1},
		tune.Draw{Kind: tune.Normal})
	trials := func(s tune.Sweep) map[string]tune.Trial {
		got := map[string]tune.Trial{}
		must.Do(t, s.Run(t.Context(), tune.Here(skfr.SKFR{}, nil), p, data, func(trial tune.Trial) error {
			c := s.Candidates[trial.Candidate]
			of := fmt.Sprint(s.Draws[trial.Draw], c.K, c.Params)
			trial.Draw, trial.Candidate = 0, 0
			got[of] = trial
			return nil
		}))
		return got
	}
	want := trials(all)
	must.Equal(t, len(all.Candidates)*len(all.Draws), len(want))
	for _, threads := range []int{1, 3, 8} {
		all.Settings.Threads = threads
		must.Equal(t, want, trials(all))
	}
	for i := range all.Draws {
		one := all
		one.Draws = all.Draws[i : i+1]
		one.Candidates = all.Candidates[i%3 : i%3+1]
		for of, got := range trials(one) {
			must.Equal(t, want[of], got)
		}
	}
}
