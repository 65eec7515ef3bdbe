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
		s, k = 500+r.IntN(700), 16+r.IntN(48) // panels that are kept
	case 1, 2, 3:
		n, s, k = 1+r.IntN(400), 32+r.IntN(100), 64+r.IntN(200) // groups of centers
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
	switch kind = []string{"normal", "integers", "far", "huge", "tiny", "outliers", "equal centers", "rows near centers", "odd cells", "bunches"}[r.IntN(10)]; kind {
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
			filtered.Filter(p.m)
			if !filtered.Filtered() {
				continue // of centers that are too long or too short; never in portable Go
			}
			drift := make([]float64, p.centers.K)
			for j := range drift {
				drift[j] = r.Float64()
			}
			want := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			got := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
			if g := filtered.Groups(); g > 0 && seed%5 > 0 {
				got.Lower = make([]float32, p.n*g)
			}
			for i := range got.Gap { // every third row need not be looked at
				want.Gap[i] = float32(2 * (i % 3 / 2))
				got.Gap[i] = want.Gap[i]
			}
			all := seed%2 == 0
			n, filteredN := want.Assign(p.m, p.x, &plain, drift, all), got.Assign(p.m, p.x, &filtered, drift, all)
			if n != filteredN || !slices.Equal(want.Label, got.Label) {
				t.Fatalf("%s, seed %d, %s: %d rows looked at have the labels %v, want %d with %v",
					kernel.Name(), seed, kind, filteredN, got.Label, n, want.Label)
			}
			for i, gap := range got.Gap {
				if gap > want.Gap[i] {
					t.Fatalf("%s, seed %d, %s: the gap of row %d is %v, and %v without the filter", kernel.Name(), seed, kind, i, gap, want.Gap[i])
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
		p.centers.Filter(p.m)
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

func BenchmarkFilter(b *testing.B) {
	for _, c := range []struct{ n, s, k int }{{4000, 256, 1000}, {8000, 128, 100}, {20000, 8, 50}, {20000, 50, 20}} {
		p := newProblem(1, c.n, c.s, c.k, kernel.Squared, false, false, false)
		bound := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n)}
		drift := make([]float64, c.k)
		for _, filtered := range []bool{false, true} {
			b.Run(fmt.Sprintf("n=%d/s=%d/k=%d/filter=%v", c.n, c.s, c.k, filtered), func(b *testing.B) {
				p.centers.Pack()
				for b.Loop() {
					if filtered {
						p.centers.Filter(p.m)
					}
					bound.Assign(p.m, p.x, &p.centers, drift, true)
				}
				b.ReportMetric(float64(c.n*c.s*c.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gterms/s")
			})
		}
	}
}
