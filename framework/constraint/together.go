package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// together is the intersection of convex sets of which some are of other kinds,
// and so known by their projections only. Those of this package are one set.
type together struct {
	sets  []framework.Set
	names []string
	k, p  int
}

// standIns are what stands for a mass of 0, relative to the largest: Dykstra's
// algorithm needs masses, and takes long where they differ much. The second is
// taken where the first does not lead to a point.
var standIns = [...]float64{1e-6, 1e-3}

// foreigners returns the parts of other kinds.
func (b *builder) foreigners() []part {
	var all []part
	for _, p := range b.parts {
		if _, ok := p.Set.(Foreign); ok {
			all = append(all, p)
		}
	}
	return all
}

// together makes the intersection of sets of which some are foreign.
func (b *builder) together(others []part) (framework.Set, error) {
	own := *b
	own.parts = nil
	for _, p := range b.parts {
		if _, ok := p.Set.(Foreign); !ok {
			own.parts = append(own.parts, p)
		}
	}
	t := &together{k: b.k, p: b.p}
	for _, p := range others {
		t.sets, t.names = append(t.sets, p.Set), append(t.names, p.name)
	}
	if len(own.parts) > 0 || own.boxed {
		ours, err := own.convex()
		if err != nil {
			return nil, err
		}
		name := "the bounds"
		if len(own.parts) > 0 {
			name = own.parts[0].name
		}
		t.sets, t.names = append(t.sets, ours), append(t.names, name)
	}
	return t, t.probe()
}

// probe returns a Fault if no common point turns up: the sets are projected onto
// one after the other until the point comes to rest.
func (t *together) probe() error {
	y := framework.NewMatrix(t.k, t.p)
	var off float64
	var from string
	for range max(100, min(probes, probeWork/(len(y.Data)*(len(t.sets)+1)))) {
		before := y.Clone()
		for _, set := range t.sets {
			if err := set.Project(y, framework.Point{X: y}); err != nil {
				return err
			}
		}
		off = 0
		for i, set := range t.sets {
			if v := set.Violation(y); v > off {
				off, from = v, t.names[i]
			}
		}
		if scale := largestOf(y.Data); off <= 1e-9*scale || farApart(y.Data, before.Data) <= 1e-15*scale {
			break
		}
	}
	if off <= 1e-6*largestOf(y.Data) {
		return nil
	}
	f := framework.Faultf(framework.Data, "empty-set",
		"no center was found that is in all of the sets that share features; the best one is still %.3g (fitted units) away from %s", off, from).
		WithHint("relax one of them")
	f.Details = t.names
	return f
}

// Properties implements framework.Set.
func (t *together) Properties() framework.Properties {
	p := framework.Properties{Kind: "intersection", Convex: true, Cone: true, RowWise: true}
	for _, set := range t.sets {
		q := set.Properties()
		p.Cone, p.RowWise = p.Cone && q.Cone, p.RowWise && q.RowWise
	}
	return p
}

// Project implements framework.Set, by Dykstra's algorithm: the sets are
// projected onto one after the other, each time giving back what the same set
// took the last time, until a round changes these corrections by less than 1e-11
// of the largest number in play (see task.dykstra, whose sources it has).
func (t *together) Project(dst framework.Matrix, at framework.Point) error {
	if err := fitPoint(dst, at); err != nil {
		return err
	}
	if at.Gain != nil {
		return needsMeans("an intersection")
	}
	x := at.X.Clone()
	var err error
	for _, least := range standIns {
		dst.CopyFrom(x)
		if err = t.dykstra(dst, heavyEnough(at.RowMass, least), heavyEnough(at.ColMass, least)); err == nil {
			return nil
		}
	}
	return err
}

func (t *together) dykstra(y framework.Matrix, rowMass, colMass []float64) error {
	taken := make([][]float64, len(t.sets))
	for i := range taken {
		taken[i] = make([]float64, len(y.Data))
	}
	z := y.Clone()
	scale := largestOf(y.Data)
	for range sweeps {
		var change float64
		for i, set := range t.sets {
			for l, v := range y.Data {
				z.Data[l] = v + taken[i][l]
			}
			if err := set.Project(y, framework.Point{X: z, RowMass: rowMass, ColMass: colMass}); err != nil {
				return err
			}
			for l, v := range y.Data {
				next := z.Data[l] - v
				change = max(change, math.Abs(next-taken[i][l]))
				taken[i][l] = next
			}
		}
		scale = max(scale, largestOf(y.Data))
		if change <= settled*scale {
			break
		}
	}
	for i, set := range t.sets {
		if v := set.Violation(y); !(v <= feasible*scale) {
			return framework.Faultf(framework.Data, "no-common-point",
				"no point was found that is in all sets: after %d rounds the nearest one is still %.3g (fitted units) away from %s", sweeps, v, t.names[i]).
				WithHint("the sets have no point in common, or only just: relax one of them")
		}
	}
	return nil
}

// Violation returns the largest distance from one of the sets: a lower bound of
// the distance from all of them.
func (t *together) Violation(y framework.Matrix) float64 {
	most := 0.0
	for _, set := range t.sets {
		most = max(most, set.Violation(y))
	}
	return most
}

// heavyEnough returns masses of which none is below least times the largest.
func heavyEnough(mass []float64, least float64) []float64 {
	most := largestOf(mass)
	if most == 0 {
		return nil
	}
	m := make([]float64, len(mass))
	for i, v := range mass {
		m[i] = v
		if v == 0 {
			m[i] = least * most
		}
	}
	return m
}
