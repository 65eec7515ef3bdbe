package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// hard makes a problem large enough for a filter, of a kind in which single precision
// is not enough for some rows.
func hard(seed uint64) (p problem, kind string) {
	r := rand.New(rand.NewPCG(seed, 3))
	n, s, k := 1+r.IntN(80), 8+r.IntN(90), 16+r.IntN(50)
	switch seed % 7 {
	case 0:
		s, k = 100+r.IntN(1100), 5+r.IntN(60) // features in the lanes, or panels that are kept
	case 1, 2, 3:
		n, s, k = 1+r.IntN(400), 32+r.IntN(100), 64+r.IntN(200) // groups of centers
	case 4, 5:
		n, s, k = 1+r.IntN(150)+r.IntN(9)/8*1000, 1+r.IntN(64), 2+r.IntN(40) // slabs of rows
	}
	p = newProblem(seed, n, s, k, kernel.Squared, false, false, false)
	x, c := p.x, p.centers.Rows
	both := func(change func(float64) float64) {
		for _, v := range [][]float64{x, c} {
			for i := range v {
				v[i] = change(v[i])
			}
		}
	}
	kinds := []string{"normal", "integers", "far", "huge", "tiny", "outliers", "equal centers", "rows near centers", "odd cells", "bunches"}
	switch kind = kinds[r.IntN(len(kinds))]; kind {
	case "integers":
		both(math.Round)
	case "far":
		both(func(v float64) float64 { return v + 1e8 })
	case "huge":
		scale := []float64{1e12, 1e20, 1e60, 1e160}[r.IntN(4)]
		both(func(v float64) float64 { return v * scale })
	case "tiny":
		scale := []float64{1e-12, 1e-22, 1e-40, 1e-160}[r.IntN(4)]
		both(func(v float64) float64 { return v * scale })
	case "outliers":
		for _, v := range [][]float64{x, c} {
			for range 1 + len(v)/100 {
				v[r.IntN(len(v))] *= math.Pow(10, float64(r.IntN(25)))
			}
		}
	case "equal centers":
		for j := range k / 2 {
			copy(c[j*s:(j+1)*s], c[r.IntN(k)*s:])
		}
	case "rows near centers":
		for i := range n {
			copy(x[i*s:(i+1)*s], c[r.IntN(k)*s:])
			x[i*s+r.IntN(s)] += 1e-7 * r.NormFloat64()
		}
	case "bunches":
		bunch := drawn(r, 8*s, false, false)
		for _, v := range [][]float64{x, c} {
			for i := range v {
				v[i] = 0.05*v[i] + bunch[i/s%8*s+i%s]
			}
		}
	case "odd cells":
		for range 1 + len(x)/50 {
			x[r.IntN(len(x))] = cells[r.IntN(len(cells))]
		}
	}
	return p, kind
}

func TestAFilterChangesNoLabelAndItsGapsAreNotAboveThoseWithout(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		looked := map[string]int{}
		for seed := range uint64(400) {
			p, kind := hard(seed)
			r := rand.New(rand.NewPCG(seed, 4))
			plain, filtered := p.centers, p.centers
			plain.Pack()
			filtered.Pack()
			filtered.Filter(p.m, 0)
			if !filtered.Filtered() {
				continue // of centers that are too long or too short; never in portable Go
			}
			drift := make([]float64, p.centers.K)
			for j := range drift {
				drift[j] = r.Float64()
			}
			bound := func() *kernel.Bound { return &kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)} }
			want, got, now := bound(), bound(), bound()
			now.Assign(p.m, p.x, &plain, drift, true)
			if seed%3 > 0 {
				got.Narrow = make([]float32, filtered.Narrow(p.n))
			}
			if g := filtered.Groups(); g > 0 && seed%5 > 0 {
				got.Lower = make([]float32, p.n*g)
			}
			for i := range got.Gap { // every third row need not be looked at
				want.Gap[i] = float32(2 * (i % 3 / 2))
				got.Gap[i] = want.Gap[i]
				if want.Gap[i] > 0 { // and has the label that it would get
					want.Label[i], got.Label[i] = now.Label[i], now.Label[i]
				}
			}
			all := seed%2 == 0
			n, filteredN := want.Assign(p.m, p.x, &plain, drift, all), got.Assign(p.m, p.x, &filtered, drift, all)
			if n != filteredN || !slices.Equal(want.Label, got.Label) {
				t.Fatalf("%s, seed %d, %s: %d rows looked at have the labels %v, want %d with %v",
					kernel.Name(), seed, kind, filteredN, got.Label, n, want.Label)
			}
			for i, gap := range got.Gap {
				if gap > now.Gap[i] && gap != want.Gap[i] { // that of a row beside others may be a new one
					t.Fatalf("%s, seed %d, %s: the gap of row %d is %v, and %v without the filter", kernel.Name(), seed, kind, i, gap, now.Gap[i])
				}
			}
			looked[kind]++
		}
		if kernel.Name() != "go" && len(looked) != 10 {
			t.Fatalf("kinds of problems with a filter: %v", looked)
		}
	})
}

func TestABoundWithAFilterNeverChangesALabel(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for seed := range uint64(100) {
			p, _ := hard(seed)
			p.filtered = true
			p.walk(t, rand.New(rand.NewPCG(seed, 5)), 5)
		}
	})
}

// A filter that is certain of nothing would pass the laws.
func TestAFilterIsCertainOfMostRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 40, 30, kernel.Squared, false, false, false)
		p.centers.Pack()
		p.centers.Filter(p.m, 0)
		if !p.centers.Filtered() {
			if kernel.Name() != "go" {
				t.Fatalf("%s has no filter", kernel.Name())
			}
			return
		}
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		b.Assign(p.m, p.x, &p.centers, make([]float64, p.centers.K), true)
		if unsure := p.centers.Unsure(); unsure > 0.01 { // 0.0007, of normal cells
			t.Errorf("%s is uncertain of the share %v of the rows", kernel.Name(), unsure)
		}
	})
}

// BenchmarkFilter looks at all rows, which are in a cache: without a filter, with one, and
// with one and a copy.
func BenchmarkFilter(b *testing.B) {
	for _, c := range []struct{ n, s, k int }{
		{4000, 256, 1000}, {8000, 128, 100}, {8000, 128, 48}, {8000, 128, 49}, {8000, 33, 64}, {4000, 500, 80}, {20000, 8, 50}, {20000, 50, 20}, {20000, 20, 10}, {20000, 4, 8}, {64, 784, 10},
		{2000, 784, 10}, {64, 1000, 10}, {800, 50, 20}, {256, 128, 100}, {1024, 4, 8}, {1024, 20, 10}, {1024, 8, 50},
	} {
		p := newProblem(1, c.n, c.s, c.k, kernel.Squared, false, false, false)
		bound := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		for _, how := range []string{"none", "filter", "copy"} {
			b.Run(fmt.Sprintf("n=%d/s=%d/k=%d/%s", c.n, c.s, c.k, how), func(b *testing.B) {
				p.centers.Pack()
				drift := slices.Repeat([]float64{1e30}, c.k)
				if how != "none" {
					p.centers.Filter(p.m, 0)
				}
				if how == "copy" {
					bound.Narrow = make([]float32, p.centers.Narrow(p.n))
				}
				bound.Assign(p.m, p.x, &p.centers, drift, true)
				for b.Loop() {
					bound.Assign(p.m, p.x, &p.centers, drift, how != "copy")
				}
				b.ReportMetric(float64(c.n*c.s*c.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gterms/s")
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(c.n)/float64(b.N), "ns/row")
			})
		}
	}
}
