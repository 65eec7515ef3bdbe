package score_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// indices are the scores that need no classes and are not bounded.
var indices = map[string]func(framework.Rows, []int32) float64{
	"Caliński–Harabasz": score.CalinskiHarabasz,
	"Davies–Bouldin":    score.DaviesBouldin,
}

// drawGaps draws rows some of whose cells are missing, and row weights.
func drawGaps(t *rapid.T) (blocks, []int32) {
	b, labels := drawRows(t)
	b.Weights = make([]float64, b.X.Rows)
	for i := range b.Weights {
		b.Weights[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
	}
	for i := range b.X.Data {
		if rapid.IntRange(0, 5).Draw(t, "missing") == 0 {
			b.X.Data[i] = math.NaN()
		}
	}
	return b, labels
}

// cells returns the observed cells of a column of cluster j, as often as their row
// counts; those of all clusters where j is −1.
func (b blocks) cells(labels []int32, j int32, l int) (cells []float64) {
	for i, of := range labels {
		if v := b.X.Row(i)[l]; v == v && of >= 0 && (j < 0 || j == of) {
			cells = append(cells, slices.Repeat([]float64{v}, int(b.Weights[i]))...)
		}
	}
	return cells
}

// pairSquares is the sum of squares about the mean, from all pairs of cells.
func pairSquares(cells []float64) (sum float64) {
	for i, x := range cells {
		for _, y := range cells[:i] {
			sum += (x - y) * (x - y) / float64(len(cells))
		}
	}
	return sum
}

// agree is near, for numbers of any size.
func agree(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(want))) && got != want && (got == got || want == want) {
		t.Fatalf("%s is %v; it should be %v", what, got, want)
	}
}

func TestCalinskiHarabaszFollowsFromPairsOfCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawGaps(t)
		var total, within, over, under float64
		for l := range 2 {
			all := b.cells(labels, -1, l)
			total += pairSquares(all)
			if len(all) > 0 {
				over, under = over-1, under+float64(len(all))
			}
			for j := range int32(3) {
				if own := b.cells(labels, j, l); len(own) > 0 {
					within, over, under = within+pairSquares(own), over+1, under-1
				}
			}
		}
		want := math.NaN()
		switch {
		case over == 0 || under == 0 || total < 1e-9:
		case within < 1e-9:
			want = math.Inf(1)
		default:
			want = (total - within) / over / (within / under)
		}
		agree(t, "the index", score.CalinskiHarabasz(b, labels), want)
	})
}

func TestDaviesBouldinEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawGaps(t)
		var means [3][]float64
		for j := range means {
			for l := range 2 {
				cells := b.cells(labels, int32(j), l)
				sum := 0.0
				for _, v := range cells {
					sum += v
				}
				means[j] = append(means[j], sum/float64(len(cells)))
			}
		}
		far := func(x, y []float64) float64 {
			switch u, v := x[0]-y[0], x[1]-y[1]; {
			case u != u:
				return math.Sqrt(2 * v * v)
			case v != v:
				return math.Sqrt(2 * u * u)
			default:
				return math.Hypot(u, v)
			}
		}
		var spread [3]float64
		for j := range spread {
			rows := 0.0
			for i, of := range labels {
				if d := far(b.X.Row(i), means[j]); int(of) == j && d == d {
					spread[j] += b.Weights[i] * d
					rows += b.Weights[i]
				}
			}
			spread[j] /= rows
		}
		sum, count := 0.0, 0.0
		for i := range 3 {
			worst := math.NaN()
			for j := range 3 {
				d := far(means[i], means[j])
				if j == i || d != d {
					continue
				}
				ratio := (spread[i] + spread[j]) / d
				if d < 1e-9 {
					ratio = math.Inf(1)
				}
				if spread[i]+spread[j] < 1e-9 {
					ratio = 0
				}
				if !(worst >= ratio) {
					worst = ratio
				}
			}
			if worst == worst {
				sum, count = sum+worst, count+1
			}
		}
		agree(t, "the index", score.DaviesBouldin(b, labels), sum/count)
	})
}

func TestIndicesKeepTheirBitsWhenRowsMoveGrowOrClustersAreRenumbered(t *testing.T) {
	for name, index := range indices {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, labels := drawGaps(t)
				want := index(b, labels)
				moved, other := blocks{clustertest.Rows{X: b.X.Clone(), Weights: b.Weights, Size: 5}}, slices.Clone(labels)
				for i := range moved.X.Data {
					moved.X.Data[i] = (moved.X.Data[i] + 1e8) * 4 // whole numbers: exact
				}
				to := rapid.Permutation([]int32{0, 1, 2, 3}).Draw(t, "numbers")
				for i, j := range other {
					if j >= 0 {
						other[i] = to[j]
					}
				}
				if got := index(moved, labels); got != want && (got == got || want == want) {
					t.Fatalf("%v of the moved rows, %v before", got, want)
				}
				agree(t, "the index of other numbers", index(b, other), want)
			})
		})
	}
}

func TestIndicesTakeRowWeightsAsFrequencies(t *testing.T) {
	for name, index := range indices {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b, labels := drawGaps(t)
				repeated := blocks{clustertest.Rows{X: framework.Matrix{Cols: 2}, Size: 3}}
				var copies []int32
				for i, w := range b.Weights {
					for range int(w) {
						repeated.X.Data = append(repeated.X.Data, b.X.Row(i)...)
						copies = append(copies, labels[i])
					}
				}
				repeated.X.Rows = len(copies)
				agree(t, "the index", index(b, labels), index(repeated, copies))

				b.Weights = nil
				want := index(b, labels)
				b.Weights = slices.Repeat([]float64{0.7}, b.X.Rows)
				agree(t, "the index with equal weights", index(b, labels), want)
			})
		})
	}
}

// The cultivars of examples/wine.csv as clusters of its 13 columns. Expected: the
// definitions of scikit-learn 1.7 (calinski_harabasz_score, davies_bouldin_score)
// in exact fractions, with roots of 50 digits.
func TestIndicesOfTheCultivarsOfWine(t *testing.T) {
	table := clustertest.ReadTable(t, "../../examples/wine.csv")
	all := table.Rows(t)
	b := clustertest.Rows{X: framework.NewMatrix(178, 13), Size: 50}
	for i := range 178 {
		copy(b.X.Row(i), all.X.Row(i)[1:14]) // without id and class
	}
	labels := table.Labels(t, "class", 1)
	if got, want := score.CalinskiHarabasz(b, labels), 206.67811644828787; math.Abs(got-want) > 1e-11 {
		t.Errorf("Caliński–Harabasz %.15g, want %.15g", got, want)
	}
	if got, want := score.DaviesBouldin(b, labels), 1.5154862521642116; math.Abs(got-want) > 1e-14 {
		t.Errorf("Davies–Bouldin %.16g, want %.16g", got, want)
	}
}

func TestWhereIndicesHaveNoNumber(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		cells    []float64
		labels   []int32
		calinski float64
		davies   float64
	}{
		"no rows":                  {nil, nil, nan, nan},
		"no row has a cluster":     {[]float64{1, 2}, []int32{-1, -1}, nan, nan},
		"one cluster":              {[]float64{1, 2, 3}, []int32{1, 1, -1}, nan, nan},
		"each row is a cluster":    {[]float64{1, 2, 4}, []int32{0, 1, 2}, nan, 0},
		"all rows are equal":       {[]float64{0.1, 0.1, 0.1}, []int32{0, 0, 1}, nan, 0},
		"equal rows in each":       {slices.Repeat([]float64{0.1, 0.7}, 49), slices.Repeat([]int32{0, 1}, 49), inf, 0},
		"equal means":              {[]float64{0.1, 0.3, 0.7, 0.7, 0.1, 0.3}, []int32{0, 0, 0, 1, 1, 1}, 0, inf},
		"a cluster without a cell": {[]float64{1, 2, nan}, []int32{0, 0, 1}, nan, nan},
		// B = 4e30, W = 4; (1 + 1) / 2e15
		"tight far clusters": {[]float64{1e15, 1e15 + 2, -1e15, -1e15 + 2}, []int32{0, 0, 1, 1}, 2e30, 1e-15},
	} {
		t.Run(name, func(t *testing.T) {
			b := clustertest.Rows{X: framework.Matrix{Rows: len(c.cells), Cols: 1, Data: c.cells}, Size: 2}
			for name, index := range indices {
				want := c.calinski
				if name == "Davies–Bouldin" {
					want = c.davies
				}
				if got := index(b, c.labels); math.Abs(got-want) > 1e-12*want && got != want || (got == got) != (want == want) {
					t.Errorf("%s %v, want %v", name, got, want)
				}
			}
		})
	}
}

// Cells missing at random change what the indices estimate by their scatter only. The
// rows are 3000 in 3 clusters; three cells of ten are missing.
func TestIndicesOfRowsWithMissingCellsAreNearThoseOfAllCells(t *testing.T) {
	whole, labels := scattered(3000, 6, 0)
	missing, _ := scattered(3000, 6, 0)
	random := framework.Rand(1, "missing")
	for i := range missing.X.Data {
		if random.Float64() < 0.3 {
			missing.X.Data[i] = math.NaN()
		}
	}
	// A share of 0.7 of 18 000 cells: their mean squares are known to 1.5 %.
	for name, index := range indices {
		all, observed := index(whole, labels), index(missing, labels)
		if name == "Caliński–Harabasz" {
			observed /= 0.7 // it grows with the number of cells, as the F ratio does
		}
		if ratio := observed / all; math.Abs(ratio-1) > 0.05 {
			t.Errorf("%s: %v of the observed cells, %v of all", name, observed, all)
		}
	}
}

func TestTheSilhouetteIsTheMeanOfThoseOfTheRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, labels := drawGaps(t)
		o := score.SilhouetteOptions{Sample: rapid.IntRange(0, 5).Draw(t, "sample"), Seed: 3}
		rows := must.Get(score.Silhouettes(t.Context(), b, labels, o))(t)
		nearest := rows.Nearest
		sum, mass := 0.0, 0.0
		for i, v := range rows.Values {
			if v != v {
				if nearest[i] != -1 {
					t.Fatalf("row %d has no silhouette, and nearest cluster %d", i, nearest[i])
				}
				continue
			}
			if labels[i] < 0 || b.Weights[i] == 0 || nearest[i] < 0 || nearest[i] == labels[i] || !slices.Contains(labels, nearest[i]) {
				t.Fatalf("row %d of cluster %d has nearest cluster %d", i, labels[i], nearest[i])
			}
			sum, mass = sum+b.Weights[i]*v, mass+b.Weights[i]
		}
		if want := silhouette(t, b, labels, o); sum/mass != want && (want == want || mass > 0) {
			t.Fatalf("mean %v, silhouette %v", sum/mass, want)
		}
	})
}

// Rows 0 and 2 are in cluster 0, 5 and 8 in 1, 1 in 2: by hand, the row at 2 is at
// distance 2 of its own, 1 of cluster 2 and 4.5 of cluster 1.
func TestTheNearestOtherClusterIsTheOneAtTheSmallestMeanDistance(t *testing.T) {
	b := clustertest.Rows{X: framework.Matrix{Rows: 6, Cols: 1, Data: []float64{0, 2, 5, 8, 1, 100}}, Size: 6}
	rows := must.Get(score.Silhouettes(t.Context(), b, []int32{0, 0, 1, 1, 2, -1}, score.SilhouetteOptions{}))(t)
	must.Equal(t, []int32{2, 2, 0, 0, 0, -1}, rows.Nearest) // two ties
	if values := rows.Values; values[1] != -0.5 || values[4] != 0 || values[5] == values[5] {
		t.Errorf("silhouettes %v", values)
	}
}
