package intersect

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// together is an intersection of convex sets some of which are of kinds that
// plugins serve: only their projections are known. All sets of package constraint
// are one set of it.
type together struct {
	costless
	sets  []framework.Set
	names []string
	k, p  int
}

// standIns stand for a mass of 0, relative to the largest mass: Dykstra's algorithm
// needs masses above 0, and is slow if they differ much. The second is used if the
// first leads to no point.
var standIns = [...]float64{1e-6, 1e-3}

// foreigners returns the parts that plugins serve.
func (b *builder) foreigners() []part {
	var all []part
	for _, p := range b.parts {
		if _, ok := p.Set.(constraint.Foreign); ok {
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
		if _, ok := p.Set.(constraint.Foreign); !ok {
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

// probe returns a Fault if no common point turns up.
func (t *together) probe() error {
	y := framework.NewMatrix(t.k, t.p)
	return meeting(y.Data, t.steps(framework.Point{}), t.names, true, func() (string, float64) { return t.farthest(y) })
}

// steps returns the projections onto the sets, with the masses of a point.
func (t *together) steps(at framework.Point) []qp.Step {
	steps := make([]qp.Step, len(t.sets))
	for i, set := range t.sets {
		steps[i].Onto = func(y []float64) error {
			at.X = framework.Matrix{Rows: t.k, Cols: t.p, Data: y}
			return set.Project(at.X, at)
		}
	}
	return steps
}

// farthest returns the set that y is farthest from, and how far.
func (t *together) farthest(y framework.Matrix) (name string, off float64) {
	for i, set := range t.sets {
		if v := set.Violation(y); v > off {
			name, off = t.names[i], v
		}
	}
	return name, off
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

// foreignSweeps bounds the rounds of Dykstra's algorithm.
const foreignSweeps = 10_000

// Project implements framework.Set, by Dykstra's algorithm.
func (t *together) Project(dst framework.Matrix, at framework.Point) error {
	if err := constraint.FitPoint(dst, at); err != nil {
		return err
	}
	if at.Gain != nil {
		return constraint.NeedsMeans("an intersection")
	}
	x := at.X.Clone()
	var err error
	for _, least := range standIns {
		dst.CopyFrom(x)
		steps := t.steps(framework.Point{RowMass: heavyEnough(at.RowMass, least), ColMass: heavyEnough(at.ColMass, least)})
		var big float64
		if big, err = qp.Dykstra(dst.Data, steps, foreignSweeps); err == nil {
			err = t.inAll(dst, qp.Feasible*big)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// inAll returns a Fault if y is farther from a set than allowed.
func (t *together) inAll(y framework.Matrix, allowed float64) error {
	for i, set := range t.sets {
		if v := set.Violation(y); !(v <= allowed) {
			return framework.Faultf(framework.Data, "no-common-point",
				"no point was found that is in all sets: after %d rounds the nearest one is still %.3g (fitted units) away from %s",
				foreignSweeps, v, t.names[i]).
				WithHint("the sets have no point in common, or only just: relax one of them")
		}
	}
	return nil
}

// Violation returns the largest of the distances from the sets, a lower bound of
// the distance from their intersection.
func (t *together) Violation(y framework.Matrix) float64 {
	most := 0.0
	for _, set := range t.sets {
		most = max(most, set.Violation(y))
	}
	return most
}

// heavyEnough raises masses to at least least times the largest.
func heavyEnough(mass []float64, least float64) []float64 {
	most := qp.MaxAbs(mass)
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
