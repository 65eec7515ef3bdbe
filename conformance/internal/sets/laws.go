// Package sets holds the laws of constraint sets, and of the kinds of sets that rows
// declare.
package sets

import "github.com/sqlcluster/sqlcluster/conformance/internal/judge"

// The sources of the laws of sets.
const (
	setContract = "framework.Set"
	convexity   = "Bauschke and Combettes (2017), Convex Analysis and Monotone Operator Theory, theorem 3.16"
	nonexpanse  = "Bauschke and Combettes (2017), proposition 4.16"
	moreau      = "Moreau (1962); for cones that are not convex, the inner product alone"
)

// Laws are the laws of sets, in the order in which they are checked.
var Laws = []judge.Law[Target]{
	{Name: "set/feasible", Source: setContract, Check: feasible,
		Statement: "The projection of a point is in the set: Violation accepts it."},
	{Name: "set/violation", Source: setContract, Check: ofNearest(violationAgrees),
		Statement: "Violation is above 0 for a point that Project moves, and 0 for one that it leaves alone."},
	{Name: "set/idempotent", Source: setContract, Check: ofNearest(idempotent),
		Statement: "Projecting the projection changes nothing."},
	{Name: "set/fixed-point", Source: setContract, Check: ofNearest(fixedPoint),
		Statement: "A point that Violation accepts is its own projection."},
	{Name: "set/closest-made", Source: setContract, Check: ofNearest(closestMade),
		Statement: "No projection of another point is nearer than the projection of the point itself."},
	{Name: "set/closest-accepted", Source: setContract, Check: ofNearest(closestAccepted),
		Statement: "No point near the projection that Violation accepts is nearer to the point."},
	{Name: "set/obtuse-angle", Source: convexity, Check: ofNearest(obtuseAngle),
		Statement: "Convex sets: ⟨x − Px, y − Px⟩ is at most 0 for every y of the set, with the masses in the inner product."},
	{Name: "set/nonexpansive", Source: nonexpanse, Check: ofNearest(nonexpansive),
		Statement: "Convex sets: the projections of two points are no farther apart than the points."},
	{Name: "set/cone-scaling", Source: setContract, Check: ofNearest(coneScaling),
		Statement: "Cones: the projection of c·x is c times that of x, for c ≥ 0."},
	{Name: "set/cone-orthogonal", Source: moreau, Check: ofNearest(coneOrthogonal),
		Statement: "Cones: ⟨x − Px, Px⟩ is 0."},
	{Name: "set/row-wise", Source: setContract, Check: rowWise,
		Statement: "Row-wise sets: a row of the projection depends on no other row."},
	{Name: "set/separable", Source: setContract, Check: separable,
		Statement: "Separable sets: an entry of the projection depends on no other entry."},
	{Name: "set/mass-scale", Source: setContract, Check: ofNearest(massScale),
		Statement: "Only the ratios of masses count, and nil masses mean masses of 1."},
	{Name: "set/zero-mass", Source: setContract, Check: ofNearest(zeroMass),
		Statement: "The projections of rows and columns of mass 0 are finite, and in the set."},
	{Name: "set/deterministic", Source: setContract, Check: deterministic,
		Statement: "The same point has the same projection, bit for bit, whatever was in dst."},
	{Name: "set/concurrent", Source: setContract, Cases: 10, Check: projectTogether,
		Statement: "Several goroutines may project onto a set at a time, and each gets what it gets alone."},
	{Name: "set/pure", Source: setContract, Check: purity,
		Statement: "Project writes to dst alone, and Violation to nothing."},
	{Name: "set/aliasing", Source: setContract, Check: ofNearest(aliasing),
		Statement: "dst may share its memory with the point."},
	{Name: "set/ties", Source: "framework, Ties", Check: ofNearest(setTies),
		Statement: "Of equally good entries the one of the lowest index wins."},
	{Name: "set/refuses", Source: "framework, Errors", Check: refuses,
		Statement: "A point that is not finite, and a mass that is negative, NaN or infinite, are refused with a Fault."},
	{Name: "set/empty", Source: setContract, Once: true, Check: emptyPoint,
		Statement: "A point without entries is projected without error."},
	{Name: "set/best", Source: setContract, Check: ofBest(bestPoint),
		Statement: "Maximize sets: no point of the set has a larger Σ y x − Penalty(y) than the one that Project writes."},
	{Name: "set/best-scale", Source: setContract, Check: ofBest(bestScale),
		Statement: "Maximize sets without penalty: the best point for c·x is the best point for x, for c > 0."},
	{Name: "set/penalty", Source: setContract, Check: penalty,
		Statement: "Penalty is finite, not below 0, always the same, and writes to nothing; " +
			"that of a set whose Project writes the nearest point is 0."},
	{Name: "set/boundary", Source: setContract, Full: true, Check: ofNearest(boundary),
		Statement: "A point one unit in the last place beyond the boundary has a violation, and moves, by no more than rounding."},
	{Name: "set/nested", Source: "follows from set/closest", Full: true, Check: ofNearest(nested),
		Statement: "A larger set of a family has a nearer projection."},
}
