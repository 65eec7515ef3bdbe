package means_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawGroups draws rows of which those with one label are equal, in columns of any
// size, near 0 or far from it.
func drawGroups(t *rapid.T, weighted, missing bool) (framework.Problem, framework.Block, []int32) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n, p, k := rapid.IntRange(1, 300).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "k")
	value := framework.NewMatrix(k, p)
	for l := range p {
		size := math.Pow(10, float64(rapid.IntRange(-9, 9).Draw(t, "magnitude")))
		offset := rapid.SampledFrom([]float64{0, 0, size, 1e8}).Draw(t, "offset")
		for j := range k {
			value.Row(j)[l] = offset + size*r.NormFloat64()
		}
	}
	b := framework.Block{X: framework.NewMatrix(n, p)}
	labels := make([]int32, n)
	for i := range n {
		labels[i] = int32(r.IntN(k))
		copy(b.X.Row(i), value.Row(int(labels[i])))
		for l := range p {
			if missing && r.IntN(3) == 0 {
				b.X.Row(i)[l] = math.NaN()
			}
		}
	}
	if weighted {
		kinds := rapid.SampledFrom([][]float64{{0.3}, {0.1, 0.2, 0.7}, {0, 1e-3, 2.5}, {1, 2, 3}, {1e9, 0.1}}).Draw(t, "weights")
		b.RowWeight = make([]float64, n)
		for i := range n {
			b.RowWeight[i] = kinds[r.IntN(len(kinds))]
		}
	}
	return framework.Problem{N: n, P: p, K: k, Weighted: weighted, Columns: columnsOf(t, b)}, b, labels
}

// columnsOf describes the columns of a block as the matrix package does.
func columnsOf(t *rapid.T, b framework.Block) []framework.Column {
	builder := must.Get(matrix.NewBuilder(b.X.Cols, matrix.Options{RowsHint: b.X.Rows}))(t)
	defer func() { _ = builder.Discard() }()
	cells := must.Get(builder.Extend(b.X.Rows))(t)
	copy(cells, b.X.Data)
	if b.RowWeight != nil {
		must.Do(t, builder.SetWeights(b.RowWeight))
	}
	recipe := must.Get(matrix.Learn(builder, make([]string, b.X.Cols), matrix.Scaling{Center: "none", Scale: "none"}))(t)
	return must.Get(recipe.Apply(builder))(t)
}

// lightest and heaviest are the weights of rows that count.
func lightest(b framework.Block) float64 {
	least := math.Inf(1)
	for _, w := range b.RowWeight {
		if w > 0 {
			least = min(least, w)
		}
	}
	return least
}

func heaviest(b framework.Block) float64 { return slices.Max(b.RowWeight) }

// exactMean returns the mean of the cells of a feature in a cluster, rounded once.
// Without a cell it is 0.
func exactMean(b framework.Block, labels []int32, j int32, l int) float64 {
	number := func() *big.Float { return new(big.Float).SetPrec(2000) }
	sum, mass := number(), number()
	for i, of := range labels {
		if v := b.X.Row(i)[l]; of == j && v == v {
			w := number().SetFloat64(b.Weight(i))
			mass.Add(mass, w)
			sum.Add(sum, w.Mul(w, number().SetFloat64(v)))
		}
	}
	if mass.Sign() == 0 {
		return 0
	}
	mean, _ := sum.Quo(sum, mass).Float64()
	return mean
}

// collected returns the update from statistics that were collected in two blocks.
// Where they were moved, all rows were in other clusters before.
func collected(t *rapid.T, p framework.Problem, b framework.Block, labels []int32, moved bool) means.Update {
	s := means.NewSums(p)
	total := framework.NewStats(s.Declare())
	cut := rapid.IntRange(0, p.N).Draw(t, "cut")
	for _, part := range [][2]int{{0, cut}, {cut, p.N}} {
		st := framework.NewStats(s.Declare())
		block := framework.Block{X: b.X.Slice(part[0], part[1])}
		if b.RowWeight != nil {
			block.RowWeight = b.RowWeight[part[0]:part[1]]
		}
		to := labels[part[0]:part[1]]
		var before []int32
		if moved {
			before = make([]int32, len(to))
			for i := range before {
				before[i] = int32(rapid.IntRange(0, p.K-1).Draw(t, "before"))
			}
			must.Do(t, s.Collect(block, nil, before, st))
		}
		must.Do(t, s.Collect(block, before, to, st))
		for i, v := range st {
			for at, x := range v {
				total[i][at] += x
			}
		}
	}
	var u means.Update
	s.Update(&u, framework.NewMatrix(p.K, p.P), total)
	return u
}

func TestTheMeanOfEqualCellsIsThatCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, b, labels := drawGroups(t, rapid.Bool().Draw(t, "weighted"), rapid.Bool().Draw(t, "missing"))
		u := collected(t, p, b, labels, false)
		for j := range p.K {
			for l, got := range u.Mean.Row(j) {
				if want := exactMean(b, labels, int32(j), l); got != want {
					t.Fatalf("cluster %d, feature %d: %v, want %v", j, l, got, want)
				}
			}
		}
	})
}

func TestAMeanOfDifferentCellsIsNearTheTrueOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, b, labels := drawGroups(t, rapid.Bool().Draw(t, "weighted"), rapid.Bool().Draw(t, "missing"))
		for i := range labels {
			labels[i] = int32(i % p.K) // rows of all groups
		}
		u := collected(t, p, b, labels, rapid.Bool().Draw(t, "moved"))
		for j := range p.K {
			for l, got := range u.Mean.Row(j) {
				largest := max(math.Abs(p.Columns[l].Min), math.Abs(p.Columns[l].Max))
				// Sums of up to 300 weighted cells that come and go, each rounded by 2⁻⁵³ of
				// the largest sum. Of the weights, the largest may be beside the smallest.
				most := 600 * 0x1p-52 * largest
				if p.Weighted {
					most *= heaviest(b) / lightest(b)
				}
				if want := exactMean(b, labels, int32(j), l); math.Abs(got-want) > most {
					t.Fatalf("cluster %d, feature %d: %v, want %v", j, l, got, want)
				}
			}
		}
	})
}

func TestAHundredThousandEqualCellsHaveTheirMean(t *testing.T) {
	const n = 100_000
	for _, weight := range []float64{0, 0.3} { // 0: none
		b := framework.Block{X: framework.NewMatrix(n, 2)}
		for i := range n {
			b.X.Row(i)[0], b.X.Row(i)[1] = 0.1, -1e8/3
		}
		p := framework.Problem{N: n, P: 2, K: 1, Weighted: weight > 0, Columns: make([]framework.Column, 2)}
		if weight > 0 {
			b.RowWeight = make([]float64, n)
			for i := range n {
				b.RowWeight[i] = weight
			}
		}
		s := means.NewSums(p)
		st := framework.NewStats(s.Declare())
		must.Do(t, s.Collect(b, nil, make([]int32, n), st))
		var u means.Update
		s.Update(&u, framework.NewMatrix(1, 2), st)
		if got := u.Mean.Row(0); got[0] != 0.1 || got[1] != -1e8/3 {
			t.Errorf("weight %v: means %v of cells 0.1 and %v", weight, got, -1e8/3)
		}
	}
}

func TestNothingIsBetweenClustersOfEqualMeans(t *testing.T) {
	for name, weights := range map[string][]float64{"one cluster": {0.3}, "several": {0.3, 0.1, 0.7}} {
		t.Run(name, func(t *testing.T) {
			k := len(weights)
			b := framework.Block{X: framework.NewMatrix(k, 1), RowWeight: weights}
			labels := make([]int32, k)
			for i := range k {
				b.X.Data[i], labels[i] = 0.7, int32(i)
			}
			s := means.NewSums(framework.Problem{N: k, P: 1, K: k, Weighted: true, Columns: make([]framework.Column, 1)})
			st := framework.NewStats(s.Declare())
			must.Do(t, s.Collect(b, nil, labels, st))
			var u means.Update
			s.Update(&u, framework.NewMatrix(k, 1), st)
			between := []float64{1}
			if u.Between(between); between[0] != 0 {
				t.Errorf("between: %v", between[0])
			}
		})
	}
}
