package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// harder makes a problem that rounding has much to do with, or in which little can be said.
func harder(r *rand.Rand, n, s, k int) (p problem, kind string) {
	p = newProblem(r.Uint64(), n, s, k, kernel.Squared, false, false, false)
	both := func(change func(v float64) float64) {
		for _, x := range [][]float64{p.x, p.centers.Rows} {
			for i, v := range x {
				x[i] = change(v)
			}
		}
	}
	some := func(share int, change func(v float64) float64) {
		for i, v := range p.x {
			if r.IntN(share) == 0 {
				p.x[i] = change(v)
			}
		}
	}
	rows := func(share int, change func(v float64) float64) {
		for i := range n {
			for l := i * s; r.IntN(share) == 0 && l < (i+1)*s; l++ {
				p.x[l] = change(p.x[l])
			}
		}
	}
	kinds := []string{"normal", "edges", "ties", "equal centers", "far", "outliers",
		"scaled", "infinite", "long", "short", "on centers", "one cell"}
	switch kind = kinds[r.IntN(len(kinds))]; kind {
	case "edges":
		p = edges(r, n, s, k, []float64{1, 2, 8, 64}[r.IntN(4)])
	case "ties":
		both(math.Round)
	case "equal centers":
		for j := range k / 2 {
			copy(p.centers.Rows[j*s:(j+1)*s], p.centers.Rows[r.IntN(k)*s:])
		}
	case "far":
		both(func(v float64) float64 { return v + 1e8 })
	case "outliers":
		some(20, func(v float64) float64 { return v * math.Pow(10, float64(r.IntN(8))) })
	case "scaled": // up to where there are no whole numbers any more
		size := math.Ldexp(1, r.IntN(84)-42)
		both(func(v float64) float64 { return v * size })
	case "infinite":
		some(40*s, func(v float64) float64 { return math.Inf(int(math.Copysign(1, v))) })
		rows(9, func(v float64) float64 { return v * 1e300 })
	case "long": // R is below 2⁵⁰, or not
		rows(3, func(v float64) float64 { return v * math.Ldexp(1, 40+r.IntN(14)) })
	case "short":
		rows(2, func(v float64) float64 { return v * math.Ldexp(1, -30-r.IntN(60)) })
		rows(4, func(v float64) float64 { return 0 })
	case "on centers":
		for i := range n {
			copy(p.x[i*s:(i+1)*s], p.centers.Rows[r.IntN(k)*s:][:s])
		}
		some(7, func(v float64) float64 { return v * (1 + 1e-7*r.NormFloat64()) })
	case "one cell":
		at := r.IntN(s)
		for _, x := range [][]float64{p.x, p.centers.Rows} {
			for i := at; i < len(x); i += s {
				x[i] = 300 * math.Copysign(1, r.Float64()-0.5)
			}
		}
	}
	return p, kind
}

// looksAgain looks at all rows, then at some, and then at all again from centers that have moved, and compares each time with what
// is found without a filter. It returns how often rows were in whole numbers.
func looksAgain(t *testing.T, r *rand.Rand, p problem, whole func(c *kernel.Centers) bool, copies bool, of string) (often int) {
	t.Helper()
	c := p.centers
	b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
	for step := range 3 {
		c.Pack()
		c.Forgive()
		c.Filter(p.m, 0)
		if whole(&c) {
			often++
		}
		if need := c.Narrow(p.n); copies && len(b.Narrow) != need {
			b.Narrow = make([]float32, need)
		}
		drift := make([]float64, c.K)
		for i := range b.Gap {
			b.Gap[i] = -1
		}
		plain := kernel.Centers{K: c.K, S: c.S, Rows: c.Rows}
		plain.Pack()
		want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		want.Assign(p.m, p.x, &plain, drift, true)
		for look := range 4 {
			asked := 0
			for i := range b.Gap {
				if look > 0 && r.IntN(4) < look {
					b.Gap[i] = -1
				}
				if look == 0 && step == 0 || !(b.Gap[i] > 0) {
					asked++
				}
			}
			if got := b.Assign(p.m, p.x, &c, drift, look == 0 && step == 0); got != asked {
				t.Fatalf("%s, %s, step %d, look %d: looked at %d rows, want %d", kernel.Name(), of, step, look, got, asked)
			}
			for i, gap := range b.Gap {
				if b.Label[i] != want.Label[i] || gap > want.Gap[i] {
					t.Fatalf("%s, %s, step %d, look %d: row %d has label %d and gap %v, and %d and %v without a filter",
						kernel.Name(), of, step, look, i, b.Label[i], gap, want.Label[i], want.Gap[i])
				}
			}
			c.Forgive()
		}
		c.Rows = slices.Clone(c.Rows)
		growth := []float64{1, 0.01, 3, 100}[r.IntN(4)]
		for i := range c.Rows {
			c.Rows[i] *= growth * (1 + 1e-3*r.NormFloat64())
		}
	}
	return often
}

func TestLooksAtRowsInTheLanesFindWhatIsFoundWithoutAFilter(t *testing.T) {
	features := []int{33, 34, 63, 64, 65, 127, 128, 129, 200, 255, 256, 257, 383, 385, 511, 512}
	eachImplementation(t, func(t *testing.T) {
		often := 0
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 30))
			s := features[r.IntN(len(features))]
			k := max(33, min(64, s/10+1)) + r.IntN(64)
			p, kind := harder(r, 1+r.IntN(70)+r.IntN(9)/8*1100, s, k)
			often += looksAgain(t, r, p, (*kernel.Centers).Lanes, seed%2 == 0, fmt.Sprintf("seed %d, %s", seed, kind))
		}
		if wholeNumbers() && often < 300 { // of 450; centers that are too long or too short have none
			t.Errorf("%s has rows in the lanes in whole numbers %d times", kernel.Name(), often)
		}
	})
}

func TestLooksAtSlabsFindWhatIsFoundWithoutAFilter(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		often := 0
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 31))
			p, kind := harder(r, 1+r.IntN(300)+r.IntN(9)/8*2000, 1+r.IntN(32), 2+r.IntN(40)+r.IntN(5)/4*215)
			often += looksAgain(t, r, p, (*kernel.Centers).Short, true, fmt.Sprintf("seed %d, %s", seed, kind))
		}
		if wholeNumbers() && often < 400 { // of 900; where centers grow, copies get another form
			t.Errorf("%s has slabs in whole numbers %d times", kernel.Name(), often)
		}
	})
}

// Eight labels can differ in 256 ways.
func TestChangedFindsEveryPatternOfLabelsThatDiffer(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		const n = 8*256*2 + 5
		from, to := make([]int32, n), make([]int32, n)
		var want []int32
		for i := range n {
			if pattern := i / 8; i%8 < 8 && pattern>>(i%8)&1 != 0 && pattern < 256 || pattern >= 256 && (511-pattern)>>(i%8)&1 != 0 {
				to[i] = 1
				want = append(want, int32(i))
			}
		}
		rows := make([]int32, n+kernel.ChangedRoom)
		if count, _ := kernel.Changed(rows, from, to); !slices.Equal(rows[:count], want) {
			t.Errorf("%s finds %d rows, want %d", kernel.Name(), count, len(want))
		}
	})
}
