package tune_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawnFit is a fit and draws of its rows, with labels and selected features of no sense.
type drawnFit struct {
	k, p  int
	own   tune.Trial
	draws []tune.Trial
}

func drawFit(t *rapid.T) drawnFit {
	d := drawnFit{k: rapid.IntRange(1, 3).Draw(t, "k"), p: rapid.IntRange(1, 4).Draw(t, "p")}
	n := rapid.IntRange(2, 12).Draw(t, "n")
	local := rapid.Bool().Draw(t, "local")
	d.own = d.trial(t, n, local)
	for range rapid.IntRange(0, 5).Draw(t, "draws") {
		var rows []int32
		for i := range n {
			if i == 0 || rapid.Bool().Draw(t, "drawn") {
				rows = append(rows, int32(i))
			}
		}
		draw := d.trial(t, len(rows), local)
		draw.Rows = rows
		if rapid.IntRange(0, 4).Draw(t, "fails") == 0 {
			draw = tune.Trial{Outcome: tune.Outcome{Err: errors.New("too few rows")}}
		}
		d.draws = append(d.draws, draw)
	}
	return d
}

// trial makes a fit of n rows.
func (d drawnFit) trial(t *rapid.T, n int, local bool) tune.Trial {
	f := tune.Trial{Labels: rapid.SliceOfN(rapid.Int32Range(-1, int32(d.k-1)), n, n).Draw(t, "labels")}
	f.Columns = d.features(t)
	for range d.k {
		if local {
			f.Local = append(f.Local, d.features(t))
		}
	}
	return f
}

func (d drawnFit) features(t *rapid.T) (selected []int) {
	for l := range d.p {
		if rapid.Bool().Draw(t, "selected") {
			selected = append(selected, l)
		}
	}
	return selected
}

func (d drawnFit) stability() tune.Stability { return tune.NewStability(d.k, d.p, d.own, d.draws) }

// bits compares numbers exactly, and NaN with NaN.
var bits = []cmp.Option{cmpopts.EquateNaNs()}

// The oracle is the definition, for each cluster and feature by itself.
func TestAStabilitySaysWhatItsDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		got := d.stability()
		for j := range d.k {
			var all []float64
			sum, below, above := 0.0, 0.0, 0.0
			features := make([]float64, d.p)
			made := 0.0
			for b, draw := range d.draws {
				if draw.Err != nil {
					continue
				}
				v, match := best(d.own.Labels, draw, int32(j))
				must.Equal(t, v, got.Draws[b].Jaccards[j], bits...)
				columns, counts := draw.Columns, true
				if d.own.Local != nil {
					if counts = match >= 0; counts {
						columns = draw.Local[match]
					}
				}
				if counts {
					made++
					for _, l := range columns {
						features[l]++
					}
				}
				if v != v {
					continue
				}
				all = append(all, v)
				sum += v
				if v < 0.5 {
					below++
				}
				if v > 0.75 {
					above++
				}
			}
			n := float64(len(all))
			squares := 0.0
			for _, v := range all {
				squares += (v - sum/n) * (v - sum/n)
			}
			want := tune.Recovery{Jaccard: sum / n, Error: math.Sqrt(squares/(n-1)) / math.Sqrt(n), Dissolved: below / n, Recovered: above / n}
			must.Equal(t, want, got.Clusters[j], cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs())
			for l := range features {
				features[l] /= made
			}
			row := j
			if d.own.Local == nil {
				row = 0
			}
			must.Equal(t, features, got.Features[row], bits...)
		}
	})
}

// best returns the largest Jaccard coefficient of the drawn rows of a cluster with a
// cluster of the draw, and that cluster.
func best(labels []int32, draw tune.Trial, own int32) (most float64, match int) {
	most, match = math.NaN(), -1
	for j := range int32(3) {
		common, union, size := 0.0, 0.0, 0
		for at, row := range draw.Rows {
			a, b := labels[row] == own, draw.Labels[at] == j
			if a {
				size++
			}
			if a && b {
				common++
			}
			if a || b {
				union++
			}
		}
		if size == 0 {
			return math.NaN(), -1
		}
		if v := common / union; most != most || v > most {
			most = v
			if v > 0 {
				match = int(j)
			}
		}
	}
	return most, match
}

func TestADrawWithTheLabelsOfTheFitFindsEveryClusterAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		for b, draw := range d.draws {
			for at, row := range draw.Rows {
				d.draws[b].Labels[at] = d.own.Labels[row]
			}
		}
		for _, c := range d.stability().Clusters {
			if c.Jaccard == c.Jaccard { // some of its rows are drawn
				must.Equal(t, tune.Recovery{Jaccard: 1, Dissolved: 0, Recovered: 1, Error: c.Error}, c, bits...)
			}
		}
	})
}

// A draw numbers its clusters as it likes. Ties between clusters of the draw go to the
// lower number, so the features of a cluster may be those of another one that matches
// as well; all else stays.
func TestHowADrawNumbersItsClustersDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		want := d.stability()
		to := rapid.Permutation([]int32{0, 1, 2}[:d.k]).Draw(t, "numbers")
		for b := range d.draws {
			for at, j := range d.draws[b].Labels {
				if j >= 0 {
					d.draws[b].Labels[at] = to[j]
				}
			}
		}
		got := d.stability()
		must.Equal(t, want.Clusters, got.Clusters, bits...)
		must.Equal(t, want.Draws, got.Draws, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs())
	})
}

func TestHowTheFitNumbersItsClustersNumbersThoseOfTheStability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		want := d.stability()
		to := rapid.Permutation([]int{0, 1, 2}[:d.k]).Draw(t, "numbers")
		d.own.Labels = slices.Clone(d.own.Labels)
		for i, j := range d.own.Labels {
			if j >= 0 {
				d.own.Labels[i] = int32(to[j])
			}
		}
		got := d.stability()
		for j := range to {
			must.Equal(t, want.Clusters[j], got.Clusters[to[j]], bits...)
			if d.own.Local != nil {
				must.Equal(t, want.Features[j], got.Features[to[j]], bits...)
			}
		}
	})
}

func TestTheOrderOfDrawsDoesNotMatterToClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		want := d.stability()
		slices.Reverse(d.draws)
		got := d.stability()
		must.Equal(t, want.Clusters, got.Clusters, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateNaNs())
		must.Equal(t, want.Features, got.Features, bits...)
	})
}

func TestADrawThatFailedSaysNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawFit(t)
		got := d.stability()
		d.draws = slices.DeleteFunc(d.draws, func(t tune.Trial) bool { return t.Err != nil })
		want := d.stability()
		must.Equal(t, want.Clusters, got.Clusters, bits...)
		must.Equal(t, want.Features, got.Features, bits...)
		got.Draws = slices.DeleteFunc(got.Draws, func(c tune.Comparison) bool { return c.Jaccards == nil })
		must.Equal(t, want.Draws, got.Draws, bits...)
	})
}
