package pcskm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

// drawRows draws rows of noise, in which no two distances are equal.
func drawRows(t *rapid.T, n int) blocks {
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "rows"), 1))
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 3), Size: rapid.IntRange(1, n).Draw(t, "block rows")}}
	for i := range b.X.Data {
		b.X.Data[i] = random.NormFloat64()
	}
	return b
}

// drawLinks draws links with the given weights.
func drawLinks(t *rapid.T, n, most int, weights ...float64) []framework.Link {
	var all []framework.Link
	for range rapid.IntRange(0, most).Draw(t, "links") {
		a := rapid.Int32Range(0, int32(n-2)).Draw(t, "a")
		all = append(all, framework.Link{
			A: a, B: rapid.Int32Range(a+1, int32(n-1)).Draw(t, "b"), Cannot: rapid.Bool().Draw(t, "cannot"),
			Weight: rapid.SampledFrom(weights).Draw(t, "weight"),
		})
	}
	return all
}

// centersOf returns centers near the first k rows. At the rows themselves there
// would be ties: breaking a must-link costs what the way to its other row does.
func centersOf(b blocks, k int) fit.Start {
	c := framework.NewMatrix(k, b.X.Cols)
	for j := range k {
		for f := range b.X.Cols {
			c.Row(j)[f] = 0.8*b.X.Row(j)[f] + 0.2*b.X.Row(j + 1)[f]
		}
	}
	return fit.Start{Centers: &c}
}

// cost of breaking a link, by its definition.
func (b blocks) cost(l framework.Link, w []float64) (sum float64) {
	for f := range b.X.Cols {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range b.X.Rows {
			low, high = min(low, b.X.Row(i)[f]), max(high, b.X.Row(i)[f])
		}
		d := b.X.Row(int(l.A))[f] - b.X.Row(int(l.B))[f]
		v := d * d
		if l.Cannot {
			v = (high-low)*(high-low) - d*d
		}
		if w != nil {
			v *= w[f]
		}
		sum += l.Weight * v
	}
	return sum
}

// plain is pckm as it is defined: every row is visited, one after the other.
func (b blocks) plain(k int, all []framework.Link, centers framework.Matrix, passes int) []int32 {
	labels := slices.Repeat([]int32{-1}, b.X.Rows)
	for range passes {
		before := slices.Clone(labels)
		for i := range labels {
			best, at := math.Inf(1), 0
			for j := range k {
				d := 0.0
				for f, v := range b.X.Row(i) {
					d += (v - centers.Row(j)[f]) * (v - centers.Row(j)[f])
				}
				for _, l := range all {
					if int(l.A) != i && int(l.B) != i {
						continue
					}
					other := labels[l.A+l.B-int32(i)]
					if other >= 0 && (other == int32(j)) == l.Cannot {
						d += b.cost(l, nil)
					}
				}
				if d < best {
					best, at = d, j
				}
			}
			labels[i] = int32(at)
		}
		if slices.Equal(labels, before) {
			break
		}
		centers = framework.NewMatrix(k, b.X.Cols)
		size := make([]float64, k)
		for i, j := range labels {
			size[j]++
			for f, v := range b.X.Row(i) {
				centers.Row(int(j))[f] += v
			}
		}
		for j := range k {
			for f := range b.X.Cols {
				centers.Row(j)[f] /= max(1, size[j]) // an empty cluster is at the origin
			}
		}
	}
	return labels
}

func TestVisitingOnlyLinkedRowsIsVisitingAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(4, 14).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		b := drawRows(t, n)
		all := drawLinks(t, n, 12, 0.5, 1, 3)
		start := centersOf(b, k)
		got := must.Get(b.run(pcskm.PCKM{}, k, all, map[string]string{"duplicates": "add"}, start,
			func(s *fit.Settings) { s.Empty = framework.Origin }))(t)
		want := b.plain(k, all, *start.Centers, 25)
		must.Equal(t, want, got.Labels)
		objective := 0.0
		for i, j := range want {
			for f, v := range b.X.Row(i) {
				objective += (v - got.Model.Centers.Row(int(j))[f]) * (v - got.Model.Centers.Row(int(j))[f])
			}
		}
		for _, l := range all {
			if l.Broken(want) {
				objective += b.cost(l, nil)
			}
		}
		if math.Abs(got.Objective-objective) > 1e-9*(1+objective) {
			t.Fatalf("objective %v; it is %v", got.Objective, objective)
		}
	})
}

func TestCostsOfLinksAreWhatTheObjectiveLoses(t *testing.T) {
	for name, penalty := range map[string]string{"gains alone choose the weights": "false", "broken links take part": "true"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := drawRows(t, 14)
				all := drawLinks(t, 14, 12, 0.5, 1, 3)
				got := must.Get(b.run(pcskm.PCSKM{}, 3, all, map[string]string{"l1_bound": "1.3", "penalty_in_weights": penalty}, centersOf(b, 3),
					func(s *fit.Settings) { s.Empty = framework.Reseed }))(t)
				if got.Stop == framework.AllZero {
					return // the costs outweigh all gains: no labels
				}
				costs := must.Get(got.clusterer.(framework.Linker).LinkCosts(t.Context(), got.Model, b, got.Labels))(t)
				merged, place := links.Merge(all, false)
				want, sum := 0.0, 0.0
				for _, l := range merged {
					if l.Broken(got.Labels) {
						want += b.cost(l, got.Model.FeatureWeights)
					}
				}
				seen := map[int]bool{}
				for i, c := range costs {
					sum += c
					cost := 0.0 // nothing if it was said before, or is kept
					if !seen[place[i]] && all[i].Broken(got.Labels) {
						cost = b.cost(merged[place[i]], got.Model.FeatureWeights)
					}
					if math.Abs(c-cost) > 1e-9*(1+cost) {
						t.Fatalf("link %v costs %v; it is %v", all[i], c, cost)
					}
					seen[place[i]] = true
				}
				if math.Abs(sum-want) > 1e-9*(1+want) {
					t.Fatalf("costs add up to %v; they are %v", sum, want)
				}
				c := referenceCase{data: b}
				c.params.K = 3
				objective := -want
				for l, v := range c.between(got.Labels) {
					if v == v {
						objective += got.Model.FeatureWeights[l] * v
					}
				}
				if !slices.Contains(got.Labels, 0) || !slices.Contains(got.Labels, 1) || !slices.Contains(got.Labels, 2) {
					return // an empty cluster has no mean
				}
				if math.Abs(got.Objective-objective) > 1e-9*(1+math.Abs(objective)) {
					t.Fatalf("objective %v; it is %v", got.Objective, objective)
				}
			})
		})
	}
}

func TestNeitherThreadsNorTheOrderOfLinksChangeAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	const n = 3*1024 + 100
	b := blocks{clustertest.Rows{X: framework.NewMatrix(n, 5), Size: 200}}
	for i := range b.X.Data {
		b.X.Data[i] = random.NormFloat64() + float64(i/5%4)
	}
	var all []framework.Link
	for range 3000 {
		a, c := int32(random.IntN(n)), int32(random.IntN(n))
		if a != c {
			all = append(all, framework.Link{A: a, B: c, Cannot: (a%4 != c%4), Weight: 1 + random.Float64()})
		}
	}
	for name, a := range map[string]framework.Algorithm{"pcskm": pcskm.PCSKM{}, "pckm": pcskm.PCKM{}, "mpckm": pcskm.MPCKM{}} {
		params := map[string]string{"duplicates": "add"}
		if name == "pcskm" {
			params["l1_bound"] = "1.5"
		}
		for _, restarts := range []int{1, 3} { // more than one run side by side
			settings := func(threads int) func(s *fit.Settings) {
				return func(s *fit.Settings) {
					s.Threads, s.Restarts, s.MaxIter, s.Empty = threads, restarts, 20, framework.Reseed
				}
			}
			one := must.Get(b.run(a, 4, all, params, fit.Start{}, settings(1)))(t)
			other := slices.Clone(all)
			slices.Reverse(other)
			for i, l := range other {
				other[i].A, other[i].B = l.B, l.A
			}
			many := must.Get(b.run(a, 4, other, params, fit.Start{}, settings(3)))(t)
			if diff := cmp.Diff(one.Result, many.Result, same); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func TestTheBoxAroundTheDataDoesNotDependOnWhereZeroIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawRows(t, 12)
		all := drawLinks(t, 12, 12, 1)
		moved := blocks{clustertest.Rows{X: b.X.Clone(), Size: b.Size}}
		for i := range moved.X.Data {
			moved.X.Data[i] += 100
		}
		settings := func(s *fit.Settings) { s.Empty = framework.Reseed }
		here := must.Get(b.run(pcskm.PCKM{}, 2, all, nil, centersOf(b, 2), settings))(t)
		there := must.Get(moved.run(pcskm.PCKM{}, 2, all, nil, centersOf(moved, 2), settings))(t)
		must.Equal(t, here.Labels, there.Labels)
	})
}

func TestClosureGivesWhatFollows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawRows(t, 10)
		all := drawLinks(t, 10, 8, 1)
		merged, _ := links.Merge(all, false)
		closed, err := links.Close(merged, 10)
		got, runErr := b.run(pcskm.PCKM{}, 2, all, map[string]string{"closure": "true"}, centersOf(b, 2),
			func(s *fit.Settings) { s.Empty = framework.Reseed })
		if (err != nil) != (runErr != nil) {
			t.Fatalf("%v, but %v", err, runErr)
		}
		if err != nil {
			return
		}
		want := must.Get(b.run(pcskm.PCKM{}, 2, closed, nil, centersOf(b, 2), func(s *fit.Settings) { s.Empty = framework.Reseed }))(t)
		must.Equal(t, want.Result, got.Result, same)
		costs := must.Get(got.clusterer.(framework.Linker).LinkCosts(t.Context(), got.Model, b, got.Labels))(t)
		broken := 0
		for _, l := range merged {
			if l.Broken(got.Labels) {
				broken++
			}
		}
		for _, c := range costs {
			if c > 0 {
				broken--
			}
		}
		if broken != 0 {
			t.Fatalf("%d broken links are not among %v", broken, costs)
		}
	})
}

func TestEveryAlgorithmDescribesItselfAsItShould(t *testing.T) {
	for _, a := range pcskm.Algorithms() {
		must.Do(t, a.Describe().Check())
	}
}
