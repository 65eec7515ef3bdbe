package conformance

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// The sources of the laws of sets.
const (
	setContract = "framework.Set"
	convexity   = "Bauschke and Combettes (2017), Convex Analysis and Monotone Operator Theory, theorem 3.16"
	nonexpanse  = "Bauschke and Combettes (2017), proposition 4.16"
	moreau      = "Moreau (1962); for cones that are not convex, the inner product alone"
)

var setLaws = []law[SetTarget]{
	{Law: Law{"set/feasible", "The projection of a point is in the set: Violation accepts it.", setContract, Core}, check: feasible},
	{Law: Law{"set/violation", "Violation is above 0 for a point that Project moves, and 0 for one that it leaves alone.", setContract, Core},
		check: ofNearest(violationAgrees)},
	{Law: Law{"set/idempotent", "Projecting the projection changes nothing.", setContract, Core}, check: ofNearest(idempotent)},
	{Law: Law{"set/fixed-point", "A point that Violation accepts is its own projection.", setContract, Core}, check: ofNearest(fixedPoint)},
	{Law: Law{"set/closest-made", "No projection of another point is nearer than the projection of the point itself.", setContract, Core},
		check: ofNearest(closestMade)},
	{Law: Law{"set/closest-accepted", "No point near the projection that Violation accepts is nearer to the point.", setContract, Core},
		check: ofNearest(closestAccepted)},
	{Law: Law{"set/obtuse-angle",
		"Convex sets: ⟨x − Px, y − Px⟩ is at most 0 for every y of the set, with the masses in the inner product.",
		convexity, Core}, check: ofNearest(obtuseAngle)},
	{Law: Law{"set/nonexpansive", "Convex sets: the projections of two points are no farther apart than the points.", nonexpanse, Core},
		check: ofNearest(nonexpansive)},
	{Law: Law{"set/cone-scaling", "Cones: the projection of c·x is c times that of x, for c ≥ 0.", setContract, Core},
		check: ofNearest(coneScaling)},
	{Law: Law{"set/cone-orthogonal", "Cones: ⟨x − Px, Px⟩ is 0.", moreau, Core}, check: ofNearest(coneOrthogonal)},
	{Law: Law{"set/row-wise", "Row-wise sets: a row of the projection depends on no other row.", setContract, Core}, check: rowWise},
	{Law: Law{"set/separable", "Separable sets: an entry of the projection depends on no other entry.", setContract, Core}, check: separable},
	{Law: Law{"set/mass-scale", "Only the ratios of masses count, and nil masses mean masses of 1.", setContract, Core},
		check: ofNearest(massScale)},
	{Law: Law{"set/zero-mass", "The projections of rows and columns of mass 0 are finite, and in the set.", setContract, Core},
		check: ofNearest(zeroMass)},
	{Law: Law{"set/deterministic", "The same point has the same projection, bit for bit, whatever was in dst.", setContract, Core},
		check: deterministic},
	{Law: Law{"set/concurrent", "Several goroutines may project onto a set at a time, and each gets what it gets alone.",
		setContract, Core}, cases: 10, check: projectTogether},
	{Law: Law{"set/pure", "Project writes to dst alone, and Violation to nothing.", setContract, Core}, check: purity},
	{Law: Law{"set/aliasing", "dst may share its memory with the point.", setContract, Core}, check: ofNearest(aliasing)},
	{Law: Law{"set/ties", "Of equally good entries the one of the lowest index wins.", "framework, Ties", Core}, check: ofNearest(setTies)},
	{Law: Law{"set/refuses", "A point that is not finite, and a mass that is negative, NaN or infinite, are refused with a Fault.",
		"framework, Errors", Core}, check: refuses},
	{Law: Law{"set/empty", "A point without entries is projected without error.", setContract, Core}, once: true, check: emptyPoint},
	{Law: Law{"set/best", "Maximize sets: no point of the set has a larger Σ y x − Penalty(y) than the one that Project writes.",
		setContract, Core}, check: ofBest(bestPoint)},
	{Law: Law{"set/best-scale", "Maximize sets without penalty: the best point for c·x is the best point for x, for c > 0.", setContract,
		Core},
		check: ofBest(bestScale)},
	{Law: Law{"set/penalty",
		"Penalty is finite, not below 0, always the same, and writes to nothing; that of a set whose Project writes the nearest point is 0.",
		setContract, Core}, check: penalty},
	{Law: Law{"set/boundary", "A point one unit in the last place beyond the boundary has a violation, and moves, by no more than rounding.",
		setContract, Full}, check: ofNearest(boundary)},
	{Law: Law{"set/nested", "A larger set of a family has a nearer projection.", "follows from set/closest", Full}, check: ofNearest(nested)},
}

func feasible(c *trial, target SetTarget) {
	p := target.draw(c)
	if v := p.violation(p.y); v > lengthError*p.scale {
		c.failf("Px = %v violates the set by %g; at most %.3g is rounding", rowsOf(p.y), v, lengthError*p.scale)
	}
}

func violationAgrees(c *trial, target SetTarget) {
	p := target.draw(c)
	free := framework.Point{X: p.at.X}
	y, v := p.project(free), p.violation(p.at.X)
	moved := norm(minus(p.at.X, y))
	if moved > 1e-6*p.scale && v == 0 {
		c.failf("Violation accepts x, but projection moves it by %g, to %v", moved, rowsOf(y))
	}
	if moved == 0 && v > lengthError*p.scale {
		c.failf("Violation of x is %g, but projection leaves it where it is", v)
	}
}

func idempotent(c *trial, target SetTarget) {
	p := target.draw(c)
	again := p.project(p.with(p.y.Clone()))
	p.near(again, p.y, "the projection of Px = %v is", shown{p.y})
}

// near fails unless a and b are equal up to rounding. Entries of mass 0 are not
// compared: for them, all points of the set are equally near.
func (p *projected) near(a, b framework.Matrix, format string, args ...any) {
	for j := range a.Rows {
		if p.at.RowMass != nil && p.at.RowMass[j] == 0 {
			continue
		}
		for l, v := range a.Row(j) {
			if p.at.ColMass != nil && p.at.ColMass[l] == 0 {
				continue
			}
			if d := math.Abs(v - b.Row(j)[l]); !(d <= lengthError*p.scale) {
				p.failf(format+" %v, and should be %v: entry (%d, %d) is off by %g; at most %.3g is rounding",
					append(args, rowsOf(a), rowsOf(b), j, l, d, lengthError*p.scale)...)
			}
		}
	}
}

func fixedPoint(c *trial, target SetTarget) {
	p := target.draw(c)
	for _, y := range append(p.accepted(), framework.NewMatrix(p.y.Rows, p.y.Cols), p.y, p.at.X.Clone()) {
		if p.violation(y) == 0 {
			p.near(p.project(p.with(y.Clone())), y, "Violation accepts y = %v, but its projection is", shown{y})
		}
	}
}

func closestMade(c *trial, target SetTarget) {
	p := target.draw(c)
	p.closest(p.made(), "which is the projection of another point")
}

func closestAccepted(c *trial, target SetTarget) {
	p := target.draw(c)
	p.closest(p.accepted(), "which Violation accepts")
}

// closest fails if one of the points is nearer than the projection.
func (p *projected) closest(points []framework.Matrix, what string) {
	cost := p.cost(p.y)
	for _, y := range points {
		if other := p.cost(y); other < cost-p.slack() {
			p.failf("Px = %v is not the nearest point: ½Σm(x−y)² is %.6g, but %.6g for y = %v, %s",
				rowsOf(p.y), cost, other, rowsOf(y), what)
		}
	}
}

// declared ends the case if the set does not declare a property.
func (p *projected) declared(yes bool, what string) {
	if !yes {
		p.skipf("the set does not say that it is %s", what)
	}
}

func obtuseAngle(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().Convex, "convex")
	d := minus(p.at.X, p.y)
	for _, y := range append(p.made(), p.accepted()...) {
		if angle := p.inner(d, minus(y, p.y)); p.contains(y) && angle > p.slack() {
			c.failf("Px = %v, and y = %v of the set: ⟨x − Px, y − Px⟩ is %.6g; at most %.3g is rounding",
				rowsOf(p.y), rowsOf(y), angle, p.slack())
		}
	}
}

func nonexpansive(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().Convex, "convex")
	for _, noise := range []float64{1e-3, 0.1, 1, 3} {
		z := p.at.X.Clone()
		for i := range z.Data {
			z.Data[i] += noise * p.scale * c.rand.NormFloat64()
		}
		pz := p.project(p.with(z))
		before, after := minus(p.at.X, z), minus(p.y, pz)
		apart, now := math.Sqrt(p.inner(before, before)), math.Sqrt(p.inner(after, after))
		if now > apart+lengthError*(p.scale+norm(z))*math.Sqrt(p.heaviest()) {
			c.failf("x and z = %v are %.6g apart, but their projections %v and %v are %.6g apart", rowsOf(z), apart, rowsOf(p.y), rowsOf(pz), now)
		}
	}
}

func coneScaling(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().Cone, "a cone")
	for _, factor := range []float64{0.25, 2, 64} { // powers of 2, so that ties stay ties
		got := p.project(p.with(scaled(p.at.X, factor)))
		p.near(scaled(got, 1/factor), p.y, "the projection of %g·x, divided by %[1]g, is", factor)
	}
}

func coneOrthogonal(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().Cone, "a cone")
	if v := p.inner(minus(p.at.X, p.y), p.y); math.Abs(v) > p.slack() {
		c.failf("Px = %v: ⟨x − Px, Px⟩ is %.6g; at most %.3g is rounding", rowsOf(p.y), v, p.slack())
	}
}

func rowWise(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().RowWise, "row-wise")
	for j := range p.y.Rows {
		x := p.at.X.Clone()
		c.fill(x)
		copy(x.Row(j), p.at.X.Row(j))
		y := p.project(p.with(x))
		copyBut(y, p.y, func(i, _ int) bool { return i == j })
		p.near(y, p.y, "with other rows around row %d, the projection is", j)
	}
}

func separable(c *trial, target SetTarget) {
	p := target.draw(c)
	p.declared(p.set.Properties().Separable, "separable")
	for i := range min(len(p.y.Data), 10) {
		x := p.at.X.Clone()
		c.fill(x)
		x.Data[i] = p.at.X.Data[i]
		y := p.project(p.with(x))
		copyBut(y, p.y, func(j, l int) bool { return j*y.Cols+l == i })
		p.near(y, p.y, "with other entries around entry %d, the projection is", i)
	}
}

// copyBut copies src to dst, except for some entries.
func copyBut(dst, src framework.Matrix, but func(j, l int) bool) {
	for j := range dst.Rows {
		for l := range dst.Cols {
			if !but(j, l) {
				dst.Row(j)[l] = src.Row(j)[l]
			}
		}
	}
}

func massScale(c *trial, target SetTarget) {
	p := target.draw(c)
	at := p.at
	if at.RowMass == nil {
		at.RowMass = slices.Repeat([]float64{1}, at.X.Rows)
	}
	if at.ColMass == nil {
		at.ColMass = slices.Repeat([]float64{1}, at.X.Cols)
	}
	p.near(p.project(at), p.y, "with masses of 1 in place of none, Px is")
	at.RowMass = slices.Clone(at.RowMass)
	for j := range at.RowMass {
		at.RowMass[j] *= 4
	}
	p.near(p.project(at), p.y, "with all row masses times 4, Px is")
}

func zeroMass(c *trial, target SetTarget) {
	p := target.draw(c)
	for _, all := range []bool{false, true} {
		at := p.at
		at.RowMass = make([]float64, at.X.Rows)
		for j := range at.RowMass {
			if !all && j%2 == 1 {
				at.RowMass[j] = 1
			}
		}
		at.ColMass = make([]float64, at.X.Cols)
		for l := range at.ColMass {
			if !all && l%3 > 0 {
				at.ColMass[l] = 1
			}
		}
		y := p.project(at)
		if v := p.violation(y); v > lengthError*math.Max(p.scale, norm(y)) {
			c.failf("with row masses %v and column masses %v, Px = %v violates the set by %g", at.RowMass, at.ColMass, rowsOf(y), v)
		}
	}
}

// setTies compares a point that has ties with one in which the lower indices are a
// little ahead.
func setTies(c *trial, target SetTarget) {
	set, rows, cols := target.drawn(c)
	p := &projected{trial: c, set: set, at: framework.Point{X: framework.NewMatrix(rows, cols)}}
	for i := range p.at.X.Data {
		p.at.X.Data[i] = float64(c.between(1, 2)) * float64(1-2*c.rand.IntN(2))
	}
	c.given("set %s %+v", target.Name, p.set)
	c.given("X = %v", p.at.X)
	p.y = p.project(p.at)
	const ahead = 1e-5 // of a column; of a row much less, since the columns of all rows may be one choice
	x := p.at.X.Clone()
	for j := range rows {
		for l := range cols {
			x.Row(j)[l] *= 1 + ahead*(float64(cols-l)/float64(cols)+1e-4*float64(rows-j)/float64(rows))
		}
	}
	y := p.project(p.with(x))
	for i, v := range y.Data {
		if math.Abs(v-p.y.Data[i]) > 10*ahead*norm(x) {
			c.failf("Px = %v, but %v when of equal entries the lower ones are ahead by a hundred-thousandth: a tie went to a higher index",
				rowsOf(p.y), rowsOf(y))
		}
	}
}

func refuses(c *trial, target SetTarget) {
	p := target.draw(c)
	refused := func(what string, at framework.Point) {
		err := p.set.Project(framework.NewMatrix(at.X.Rows, at.X.Cols), at)
		if f := framework.AsFault(err); f == nil {
			c.failf("a point with %s is not refused with a Fault: error %v", what, err)
		}
	}
	i := c.rand.IntN(len(p.at.X.Data))
	for what, v := range map[string]float64{"a NaN": math.NaN(), "an infinite entry": math.Inf(1 - 2*c.rand.IntN(2))} {
		x := p.at.X.Clone()
		x.Data[i] = v
		refused(what, p.with(x))
	}
	for what, v := range map[string]float64{
		"a negative row mass": -1, "a row mass that is NaN": math.NaN(), "an infinite row mass": math.Inf(1),
	} {
		at := p.at
		at.RowMass = slices.Repeat([]float64{1}, at.X.Rows)
		at.RowMass[c.rand.IntN(at.X.Rows)] = v
		refused(what, at)
	}
}

func emptyPoint(c *trial, target SetTarget) {
	cols := target.Cols
	if target.Rows > 0 || target.maximizes() {
		c.skipf("the set has a fixed number of rows")
	}
	x := framework.NewMatrix(0, cols)
	set := target.New(c.rand, 0, cols)
	c.given("X of 0 × %d", cols)
	if err := set.Project(x, framework.Point{X: x}); err != nil {
		c.failf("it is refused: %v", err)
	}
	if v := set.Violation(x); v != 0 {
		c.failf("its violation is %g", v)
	}
}

func boundary(c *trial, target SetTarget) {
	p := target.draw(c)
	for i, v := range p.y.Data {
		for _, to := range []float64{math.Inf(-1), math.Inf(1)} {
			y := p.y.Clone()
			y.Data[i] = math.Nextafter(v, to)
			if got := p.violation(y); got > lengthError*p.scale {
				c.failf("Px = %v, and entry %d moved by one unit in the last place violates the set by %g", rowsOf(p.y), i, got)
			}
			p.near(p.project(p.with(y)), p.y, "Px with entry %d moved by one unit in the last place is projected to", i)
		}
	}
}

func nested(c *trial, target SetTarget) {
	if target.Nested == nil {
		c.skipf("the set is not said to be one of a family")
	}
	rows, cols := target.shape(c)
	p := &projected{trial: c, at: c.point(rows, cols)}
	c.given("X = %v, RowMass = %v, ColMass = %v", p.at.X, p.at.RowMass, p.at.ColMass)
	last := math.Inf(1)
	var before framework.Set
	for _, set := range target.Nested(rows, cols) {
		p.set = set
		y := p.project(p.at)
		p.scale = math.Max(norm(p.at.X), norm(y))
		if cost := p.cost(y); cost > last+p.slack() {
			c.failf("½Σm(x−Px)² is %.6g for %+v, but %.6g for %+v, which contains it", last, before, cost, set)
		} else {
			last, before = cost, set
		}
	}
}
