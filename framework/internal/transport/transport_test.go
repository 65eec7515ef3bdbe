package transport_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A place is where a group meets a cluster.
type place struct {
	group   int32
	cluster int
}

// brute returns the lowest labels of least cost and that cost, by looking at all
// labels in lexicographic order, with exact arithmetic; nil if none obey.
func brute(p transport.Problem) ([]int32, *big.Rat) {
	labels, size := make([]int32, p.Rows), make([]int, p.Clusters)
	var best []int32
	var least *big.Rat
	in := map[place]int{} // rows of a group in a cluster
	var try func(i int, sum *big.Rat)
	try = func(i int, sum *big.Rat) {
		if i == p.Rows {
			for j, n := range size {
				if n < p.Lo[j] || n > p.Hi[j] {
					return
				}
			}
			if least == nil || sum.Cmp(least) < 0 {
				best, least = slices.Clone(labels), sum
			}
			return
		}
		for j := range p.Clusters {
			c := p.Costs[i*p.Clusters+j]
			if math.IsInf(c, 1) {
				continue
			}
			at := place{cluster: j}
			if p.Group != nil && p.Group[i] >= 0 {
				at.group = p.Group[i]
				if in[at] >= p.Most[j] {
					continue
				}
				in[at]++
			}
			labels[i] = int32(j)
			size[j]++
			try(i+1, new(big.Rat).Add(sum, new(big.Rat).SetFloat64(c)))
			size[j]--
			if p.Group != nil && p.Group[i] >= 0 {
				in[at]--
			}
		}
	}
	try(0, new(big.Rat))
	return best, least
}

// drawCosts draws costs of one of several makes: with ties, of all magnitudes, of rows
// that are the same, with clusters that are forbidden.
func drawCosts(t *rapid.T, n, k int) []float64 {
	one := rapid.SampledFrom([]*rapid.Generator[float64]{
		rapid.Map(rapid.IntRange(0, 3), func(v int) float64 { return float64(v) }),
		rapid.Map(rapid.IntRange(0, 9), func(v int) float64 { return float64(v) / 10 }),
		rapid.Float64Range(0, 1),
		rapid.Map(rapid.IntRange(0, 20), func(v int) float64 { return 1e16 + float64(2*v) }),
		rapid.Map(rapid.IntRange(-40, 40), func(v int) float64 { return math.Pow(10, float64(v)) }),
		rapid.SampledFrom([]float64{0, 5e-324, 1e-300, 1, 1e300, 1 + 0x1p-52}),
	}).Draw(t, "make")
	costs := make([]float64, n*k)
	for i := range costs {
		costs[i] = one.Draw(t, "cost")
	}
	if n > 1 && rapid.Bool().Draw(t, "same rows") {
		for i := 1; i < n; i++ {
			if rapid.Bool().Draw(t, "same") {
				copy(costs[i*k:i*k+k], costs)
			}
		}
	}
	if rapid.Bool().Draw(t, "forbidden") {
		for i := range costs {
			if rapid.IntRange(0, 3).Draw(t, "forbid") == 0 {
				costs[i] = math.Inf(1)
			}
		}
	}
	return costs
}

func drawProblem(t *rapid.T) transport.Problem {
	n := rapid.IntRange(0, 7).Draw(t, "n")
	k := rapid.IntRange(1, 4).Draw(t, "k")
	p := transport.Problem{Rows: n, Clusters: k, Costs: drawCosts(t, n, k), Lo: make([]int, k), Hi: make([]int, k)}
	for j := range k {
		p.Lo[j] = rapid.IntRange(0, max(1, n/k)).Draw(t, "lo")
		p.Hi[j] = p.Lo[j] + rapid.IntRange(0, max(1, n/2)).Draw(t, "room")
	}
	return p
}

func TestLabelsAreTheLowestOfLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		want, least := brute(p)
		got, err := transport.Solve(t.Context(), p, transport.Options{Threads: rapid.IntRange(1, 3).Draw(t, "threads")})
		if want == nil && p.Rows > 0 {
			checkContradiction(t, p, err)
			return
		}
		if least == nil {
			if err == nil {
				t.Fatal("labels for bounds that nothing obeys")
			}
			return
		}
		must.Do(t, err)
		if p.Rows > 0 {
			must.Equal(t, want, got.Labels)
		}
		if v, _ := least.Float64(); math.Abs(got.Total-v) > 0x1p-51*math.Abs(v) {
			t.Fatalf("total %g, want %g", got.Total, v)
		}
	})
}

// checkContradiction checks an Infeasible error by counting.
func checkContradiction(t *rapid.T, p transport.Problem, err error) {
	var e *transport.Infeasible
	if !errors.As(err, &e) {
		t.Fatal("no labels obey, and the error is ", err)
	}
	in := make([]bool, p.Clusters)
	bound := 0
	for _, j := range e.Clusters {
		in[j] = true
		if e.Lo {
			bound += p.Lo[j]
		} else {
			bound += p.Hi[j]
		}
	}
	rows := 0
	for i := range p.Rows {
		may, must := false, true
		for j, c := range p.Costs[i*p.Clusters : (i+1)*p.Clusters] {
			if !math.IsInf(c, 1) {
				may, must = may || in[j], must && in[j]
			}
		}
		if e.Clusters == nil && i == e.Row && must {
			return
		}
		if e.Lo && may || !e.Lo && must {
			rows++
		}
	}
	if bound != e.Bound || rows != e.Rows || e.Lo && rows >= bound || !e.Lo && rows <= bound {
		t.Fatalf("%v is no contradiction: %d rows, bound %d", e, rows, bound)
	}
}

func TestPricesThreadsAndTheOrderOfRowsChangeNothing(t *testing.T) {
	for seed := range uint64(6) {
		p := mixture(seed, 6000, 7)
		if seed%2 == 1 {
			for i := range p.Costs { // ties
				p.Costs[i] = math.Round(p.Costs[i] * 4)
			}
		}
		want := must.Get(transport.Solve(t.Context(), p, transport.Options{}))(t)
		again := must.Get(transport.Solve(t.Context(), p, transport.Options{Threads: 3, Prices: want.Prices}))(t)
		must.Equal(t, want, again)
		bad := []float64{1e300, -3, math.NaN(), math.Inf(1), 0.1, 2, -1}
		must.Equal(t, want, must.Get(transport.Solve(t.Context(), p, transport.Options{Threads: 2, Prices: bad}))(t))

		back := p
		back.Costs = nil
		for i := p.Rows - 1; i >= 0; i-- {
			back.Costs = append(back.Costs, p.Costs[i*p.Clusters:(i+1)*p.Clusters]...)
		}
		reversed := must.Get(transport.Solve(t.Context(), back, transport.Options{}))(t)
		if reversed.Total != want.Total {
			t.Errorf("the total is %v, and %v in reverse", want.Total, reversed.Total)
		}
	}
}

// mixture returns costs of points around 0, squared distances to k centers of different
// spread, so that the sizes of nearest rows differ a lot. The bounds are tight.
func mixture(seed uint64, n, k int) transport.Problem {
	p := transport.Problem{Rows: n, Clusters: k, Costs: make([]float64, n*k), Lo: make([]int, k), Hi: make([]int, k)}
	const dims = 5
	r := random(seed)
	centers := make([]float64, k*dims)
	for i := range centers {
		centers[i] = r.NormFloat64()
	}
	for i := range n {
		var x [dims]float64
		for l := range x {
			x[l] = r.NormFloat64()
		}
		for j := range k {
			d := 0.0
			for l := range x {
				d += (x[l] - centers[j*dims+l]) * (x[l] - centers[j*dims+l])
			}
			p.Costs[i*k+j] = d
		}
	}
	for j := range k {
		p.Lo[j] = n * 9 / (10 * k)
		p.Hi[j] = (n*11 + 10*k - 1) / (10 * k)
	}
	return p
}

func TestManyRowsThatAreTheSameAreSharedOutInOrder(t *testing.T) {
	const n, k = 30000, 3
	p := transport.Problem{Rows: n, Clusters: k, Costs: make([]float64, n*k), Lo: []int{0, 5000, 7000}, Hi: []int{10000, n, n}}
	for i := range p.Costs {
		p.Costs[i] = 0.1
	}
	got := must.Get(transport.Solve(t.Context(), p, transport.Options{}))(t)
	// By hand: the first 10000 rows in cluster 0, and the last 7000 in cluster 2.
	must.Equal(t, []int{10000, 13000, 7000}, got.Sizes)
	if !slices.IsSorted(got.Labels) {
		t.Error("the labels are not the lowest")
	}
}

func TestACancelledContextEndsIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transport.Solve(ctx, mixture(1, 100, 3), transport.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
