package qp

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A way is one set: as a part of a program, and as a step of Dykstra's algorithm.
type way struct {
	write func(p *Program, of []int)
	onto  func(y, mass []float64)
	width int // of the first entries
}

// several returns lists of sets that share entries.
func several(p int) map[string][]way {
	r := framework.Rand(7, "several sets", 0)
	coef, other, lo, hi := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for l := range p {
		coef[l], other[l] = r.NormFloat64(), r.NormFloat64()
		lo[l], hi[l] = -1-r.Float64(), r.Float64()
	}
	half := func(coef []float64) way {
		return way{func(p *Program, of []int) { p.HalfSpace(of, coef, -1) },
			func(y, mass []float64) { OntoHalfSpace(y, mass, coef, -1) }, len(coef)}
	}
	simplex := func(r float64) way {
		return way{func(p *Program, of []int) { p.Simplex(of, r) }, func(y, mass []float64) { OntoSimplex(y, mass, r) }, p}
	}
	l1 := way{func(p *Program, of []int) { p.L1Ball(of, 5) }, func(y, mass []float64) { OntoL1Ball(y, mass, 5) }, p}
	l2 := func(r float64) way {
		return way{func(p *Program, of []int) { p.L2Ball(of, r) }, func(y, mass []float64) { OntoL2Ball(y, mass, r) }, p}
	}
	rise := way{func(p *Program, of []int) { p.Rise(of, Order{}) }, Order{}.Onto, p}
	box := way{func(p *Program, of []int) {
		for i, l := range of {
			p.Bound(l, lo[i], hi[i])
		}
	}, func(y, _ []float64) {
		for i, v := range y {
			y[i] = Clip(v, lo[i], hi[i])
		}
	}, p}
	return map[string][]way{
		"two half-spaces":            {half(coef), half(other)},
		"two half-spaces and bounds": {half(coef), half(other), box},
		"half-space and simplex":     {half(coef), simplex(5)},
		"half-space and L1 ball":     {half(coef), l1},
		"half-space and L2 ball":     {half(coef), l2(3)},
		"bounds and L1 ball":         {l1, box},
		"bounds and L2 ball":         {l2(2), box},
		"L1 ball and L2 ball":        {l1, l2(1)},
		"order and bounds":           {rise, box},
		"order and half-space":       {rise, half(coef[:p/2])},
		"order and L2 ball":          {rise, l2(1)},
		"order, bounds and simplex":  {rise, simplex(0.1), box},
	}
}

func TestOtherWaysToTheNearestPointLeadToTheSameOne(t *testing.T) {
	for _, p := range []int{20, 70} { // fewer than Few, and more
		r := framework.Rand(7, "masses", uint64(p))
		x, heavy, all := make([]float64, p), make([]float64, p), make([]int, p)
		for l := range p {
			x[l], heavy[l], all[l] = 2*r.NormFloat64(), 0.2+0.8*r.Float64(), l
		}
		for name, sets := range several(p) {
			for _, mass := range [][]float64{nil, heavy} {
				program := Free(p)
				var steps []Step
				for _, s := range sets {
					of, sub := all[:s.width], mass
					if s.write(program, of); mass != nil {
						sub = mass[:s.width]
					}
					steps = append(steps, Step{Of: of, Onto: func(y []float64) error { s.onto(y, sub); return nil }})
				}
				y := slices.Clone(x)
				if err := program.Nearest(y, mass); err != nil {
					t.Errorf("%s of %d entries: %v", name, p, err)
					continue
				}
				// Dykstra's algorithm stops when a round moves it by 1e-11; it may then
				// be some hundred times as far from its limit.
				z := slices.Clone(x)
				must.Get(Dykstra(z, steps, 10_000))(t)
				if d := FarApart(y, z); d > 1e-7 || math.IsNaN(d) {
					t.Errorf("%s of %d entries: Dykstra's algorithm comes to a point %g away", name, p, d)
				}
				if len(program.l2) > 0 {
					continue
				}
				z = slices.Clone(x)
				if err := program.activeSet(z, mass); err != nil {
					t.Errorf("%s of %d entries: %v", name, p, err)
				}
				if d := FarApart(y, z); !(d <= 1e-11) {
					t.Errorf("%s of %d entries: the active set method comes to a point %g away", name, p, d)
				}
			}
		}
	}
}
