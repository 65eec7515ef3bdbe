package constraint

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// several are sets of one center's features that share them.
func several(p int) map[string][]framework.Set {
	r := framework.Rand(7, "several sets", 0)
	coef, other, lo, hi := make([]float64, p), make([]float64, p), make([]float64, p), make([]float64, p)
	for l := range p {
		coef[l], other[l] = r.NormFloat64(), r.NormFloat64()
		lo[l], hi[l] = -1-r.Float64(), r.Float64()
	}
	box, half := Box{Lo: lo, Hi: hi}, HalfSpace{Coef: coef, Bound: -1}
	return map[string][]framework.Set{
		"two half-spaces":            {half, HalfSpace{Coef: other, Bound: -1}},
		"two half-spaces and bounds": {box, half, HalfSpace{Coef: other, Bound: -1}},
		"half-space and simplex":     {half, Simplex{Radius: 5}},
		"half-space and L1 ball":     {half, L1Ball{Radius: 5}},
		"half-space and L2 ball":     {half, L2Ball{Radius: 3}},
		"bounds and L1 ball":         {box, L1Ball{Radius: 5}},
		"bounds and L2 ball":         {box, L2Ball{Radius: 2}},
		"L1 ball and L2 ball":        {L1Ball{Radius: 5}, L2Ball{Radius: 1}},
		"order and bounds":           {box, Monotone{}},
		"order and half-space":       {Monotone{}, HalfSpace{Coef: coef[:p/2], Bound: -1, Where: Where{Features: upTo(p / 2)}}},
		"order and L2 ball":          {Monotone{}, L2Ball{Radius: 1}},
		"order, bounds and simplex":  {Monotone{}, box, Simplex{Radius: 0.1}},
	}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestOtherWaysToTheNearestPointLeadToTheSameOne(t *testing.T) {
	for _, p := range []int{20, 70} { // fewer than few, and more
		r := framework.Rand(7, "masses", uint64(p))
		x, mass := make([]float64, p), make([]float64, p)
		for l := range p {
			x[l], mass[l] = 2*r.NormFloat64(), 0.2+0.8*r.Float64()
		}
		for name, sets := range several(p) {
			for _, mass := range [][]float64{nil, mass} {
				set, err := Intersect(1, p, sets, Names{})
				if err != nil {
					t.Fatal(name, err)
				}
				task := set.(*convex).tasks[0]
				y := slices.Clone(x)
				if err := task.program.nearest(y, mass); err != nil {
					t.Errorf("%s of %d features: %v", name, p, err)
					continue
				}
				// Dykstra's algorithm stops 1e-11 from where it stood a round before,
				// which is some hundred times that from where it would come to.
				z := slices.Clone(x)
				rounds := task.dykstra(z, mass)
				if d := farApart(y, z); d > 1e-7 || math.IsNaN(d) {
					t.Errorf("%s of %d features: Dykstra's algorithm comes to a point %g away in %d rounds", name, p, d, rounds)
				}
				if len(task.program.l2) > 0 {
					continue
				}
				z = slices.Clone(x)
				if err := task.program.activeSet(z, mass); err != nil {
					t.Errorf("%s of %d features: %v", name, p, err)
				}
				if d := farApart(y, z); !(d <= 1e-11) {
					t.Errorf("%s of %d features: the active set method comes to a point %g away", name, p, d)
				}
			}
		}
	}
}

func TestAnOrderOfManyFeaturesWithBoundsIsNotTakenForEmpty(t *testing.T) {
	const p = 3000
	r := framework.Rand(7, "bounds", 0)
	x, lo := framework.NewMatrix(1, p), make([]float64, p)
	for l := range p {
		x.Data[l], lo[l] = r.NormFloat64(), r.NormFloat64()
	}
	set, err := Intersect(1, p, []framework.Set{Monotone{}, Box{Lo: lo}}, Names{})
	if err != nil {
		t.Fatal(err)
	}
	y := framework.NewMatrix(1, p)
	if err := set.Project(y, framework.Point{X: x}); err != nil {
		t.Fatal(err)
	}
	if v := set.Violation(y); v != 0 {
		t.Errorf("the nearest point is outside by %g", v)
	}
}
