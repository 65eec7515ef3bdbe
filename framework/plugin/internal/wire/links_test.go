package wire

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLinksArriveAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 9
		var want []framework.Link
		for range rapid.IntRange(0, 5).Draw(t, "links") {
			a := rapid.Int32Range(0, n-2).Draw(t, "a")
			want = append(want, framework.Link{
				A: a, B: rapid.Int32Range(a+1, n-1).Draw(t, "b"), Cannot: rapid.Bool().Draw(t, "cannot"),
				Weight: rapid.SampledFrom([]float64{5e-324, 0.1, 3, math.Inf(1)}).Draw(t, "weight"),
			})
		}
		w := must.Get(Problem(framework.Problem{N: n, Links: want}))(t)
		must.Equal(t, want, must.Get(ReadLinks(arrived(t, w).GetLinks(), n))(t))
	})
}

func TestLinksThatMakeNoSenseAreRefused(t *testing.T) {
	good := func() *pb.Links {
		return &pb.Links{A: []int32{0}, B: []int32{1}, Cannot: []bool{true}, Weight: []float64{1}}
	}
	tests := map[string]func(w *pb.Links){
		"a list is short":     func(w *pb.Links) { w.Weight = nil },
		"a row is negative":   func(w *pb.Links) { w.A[0] = -1 },
		"a row is too high":   func(w *pb.Links) { w.B[0] = 2 },
		"both rows are one":   func(w *pb.Links) { w.B[0] = 0 },
		"the weight is zero":  func(w *pb.Links) { w.Weight[0] = 0 },
		"the weight is a NaN": func(w *pb.Links) { w.Weight[0] = math.NaN() },
	}
	must.Get(ReadLinks(good(), 2))(t)
	for name, spoil := range tests {
		w := good()
		spoil(w)
		if _, err := ReadLinks(w, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestTooManyLinksAreRefused(t *testing.T) {
	l := framework.Link{A: 0, B: 1, Weight: 1}
	_, err := Links(slices.Repeat([]framework.Link{l}, mostLinks+1))
	must.Fault(t, err, "too-many-pairs")
}
