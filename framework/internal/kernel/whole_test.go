package kernel_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// Rows and centers in the same direction have the largest sums of products for their lengths.
func TestSumsOfWholeNumbersStayInRange(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, s := range []int{32, 127, 128, 129, 256, 300} {
			p := newProblem(uint64(s), 64, s, 130, kernel.Squared, false, false, false)
			for i := range p.centers.Rows {
				switch {
				case i < s:
					p.centers.Rows[i] = 1
				case i < 2*s:
					p.centers.Rows[i] = -1
				default:
					p.centers.Rows[i] *= 0.01
				}
			}
			for i := range p.x {
				row := i / s
				p.x[i] = []float64{1, -1, 1e3, -1e-3}[row%4] * (1 + 0.01*float64(row))
				if row >= 32 && i%s != row {
					p.x[i] *= 1e-6 // one large cell
				}
			}
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if !p.centers.Filtered() {
				if kernel.Name() != "go" {
					t.Fatalf("%s has no filter", kernel.Name())
				}
				return
			}
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &p.centers)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
			drift := make([]float64, p.centers.K)
			for range 2 { // with rows in the lanes, and with centers
				b.Assign(p.m, p.x, &p.centers, drift, b.Gap[0] == 0)
				if !slices.Equal(b.Label, want.Label) {
					t.Fatalf("%s, %d features: labels %v, want %v", kernel.Name(), s, b.Label, want.Label)
				}
				for i := range b.Gap {
					b.Gap[i] = -1
				}
			}
		}
	})
}

// To round cells to whole numbers makes fewer rows certain, but not few.
func TestGroupsAreCertainOfMostRows(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 40, 300, kernel.Squared, false, false, false)
		p.centers.Pack()
		p.centers.Filter(p.m, 0)
		if !p.centers.Filtered() {
			if kernel.Name() != "go" {
				t.Fatalf("%s has no filter", kernel.Name())
			}
			return
		}
		if p.centers.Whole() != (kernel.Name() == "avx512vnni") {
			t.Fatalf("%s has groups in whole numbers: %v", kernel.Name(), p.centers.Whole())
		}
		b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
		b.Assign(p.m, p.x, &p.centers, make([]float64, p.centers.K), true)
		if unsure := p.centers.Unsure(); unsure > 0.02 { // 0.005 in whole numbers, of normal cells
			t.Errorf("%s is uncertain of the share %v of the rows", kernel.Name(), unsure)
		}
	})
}

// A cell that is much larger than all others leaves them no digits.
func TestGroupsAreInWholeNumbersOnlyAsLongAsMostRowsAreCertain(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		p := newProblem(1, 3000, 40, 300, kernel.Squared, false, false, false)
		for i := range p.x {
			if i%40 == 3 {
				p.x[i] = 1e5
			}
		}
		for i := range p.centers.Rows {
			if i%40 == 3 {
				p.centers.Rows[i] = 1e5 * math.Copysign(1, float64(i/40%2)-0.5)
			}
		}
		drift := make([]float64, p.centers.K)
		for pass := range 3 {
			p.centers.Pack()
			p.centers.Filter(p.m, 0)
			if p.centers.Whole() && pass > 0 {
				t.Errorf("%s has whole numbers in pass %d, and was uncertain of the share %v before", kernel.Name(), pass, p.centers.Unsure())
			}
			want := kernel.Nearest{Label: make([]int32, p.n)}
			want.Find(p.m, p.x, &p.centers)
			b := kernel.Bound{Label: make([]int32, p.n), Gap: make([]float32, p.n), Lower: make([]float32, p.n*p.centers.Groups())}
			b.Assign(p.m, p.x, &p.centers, drift, true)
			if !slices.Equal(b.Label, want.Label) {
				t.Fatalf("%s, pass %d: labels differ", kernel.Name(), pass)
			}
		}
	})
}
