package zoo

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// A Projection is a constraint set of the zoo.
type Projection struct {
	What string // what is wrong with it, or which right set it is
	Law  string // the law that catches it; "": it is right
	Says string // part of the message
	New  func(r *rand.Rand, rows, cols int) framework.Set
	// Nested is that of conformance.SetTarget.
	Nested func(rows, cols int) []framework.Set
}

// always makes the same set for every point.
func always(s framework.Set) func(*rand.Rand, int, int) framework.Set {
	return func(*rand.Rand, int, int) framework.Set { return s }
}

// sized makes a set of size 1 to cols.
func sized(of func(s int) framework.Set) func(*rand.Rand, int, int) framework.Set {
	return func(r *rand.Rand, _, cols int) framework.Set { return of(1 + r.IntN(max(1, cols))) }
}

// RightProjections returns sets that obey every law.
func RightProjections() []Projection {
	return []Projection{
		{What: "box", New: always(box())},
		{What: "orthant", New: always(orthant())},
		{What: "simplex", New: always(simplex())},
		{What: "l1 ball", New: always(ball(1))},
		{What: "isotone", New: always(isotone())},
		{What: "top s by row", New: sized(func(s int) framework.Set { return top(s, larger, below(s)) })},
		{What: "agreeing rows", New: always(agreeing(true))},
		{What: "feature weights", New: always(weights(func(x float64) float64 { return x }))},
	}
}

// WrongProjections returns sets that break one law each. The first nine are real
// mistakes; the others keep the remaining laws honest.
func WrongProjections() []Projection {
	return slices.Concat(mistakes(), oversized(), badlyDeclared(), badlyMade(), badFamilies(), badlyWeighted())
}

func mistakes() []Projection {
	const nearer = "is not the nearest point"
	boxThenBall := byRow("box and ball", convex,
		func(dst, x, m []float64) {
			each(func(v float64) float64 { return min(max(v, -0.6), 0.6) })(dst, x, m)
			apply(ball(1), dst, dst, m)
		},
		func(y []float64) float64 {
			return max(overOne(y), worst(func(v float64) float64 { return math.Abs(v) - 0.6 })(y))
		})
	return []Projection{
		{What: "bottom s", Law: "set/closest-made", Says: nearer, New: sized(func(s int) framework.Set { return top(s, smaller, below(s)) })},
		{What: "top s by signed value", Law: "set/closest-made",
			Says: nearer, New: sized(func(s int) framework.Set { return top(s, signed, below(s)) })},
		{What: "top s − 1", Law: "set/closest-accepted",
			Says: nearer, New: sized(func(s int) framework.Set { return top(s, larger, below(s-1)) })},
		{What: "L1 ball by radial scaling", Law: "set/obtuse-angle", Says: "⟨x − Px, y − Px⟩",
			New: always(change(ball(1), func(dst, x, _ []float64) {
				over := 1 + overOne(x)
				for l, v := range x {
					dst[l] = v / over
				}
			}))},
		{What: "L1 ball with a threshold 1 % too high", Law: "set/obtuse-angle", Says: "⟨x − Px, y − Px⟩", New: always(ball(1.01))},
		{What: "simplex by clipping and normalising", Law: "set/closest-made", Says: nearer,
			New: always(change(simplex(), func(dst, x, _ []float64) {
				var sum float64
				for l, v := range x {
					dst[l] = max(v, 0)
					sum += dst[l]
				}
				for l := range dst {
					if sum > 0 {
						dst[l] /= sum
					} else {
						dst[l] = 1 / float64(len(dst))
					}
				}
			}))},
		{What: "isotone by sorting", Law: "set/closest-made", Says: nearer, New: always(change(isotone(), func(dst, x, _ []float64) {
			copy(dst, x)
			slices.Sort(dst)
		}))},
		{What: "isotone by the cumulative maximum", Law: "set/closest-made", Says: nearer,
			New: always(change(isotone(), func(dst, x, _ []float64) {
				high := math.Inf(-1)
				for l, v := range x {
					high = max(high, v)
					dst[l] = high
				}
			}))},
		{What: "box, then ball", Law: "set/obtuse-angle", Says: "⟨x − Px, y − Px⟩", New: always(boxThenBall)},
	}
}

// oversized are sets that are right for few columns, or for cheap points.
func oversized() []Projection {
	return []Projection{
		{What: "box, unrolled by eight", Law: "set/feasible", Says: "violates the set",
			New: always(change(box(), func(dst, x, _ []float64) {
				copy(dst, x)
				end := len(x)
				if end > 8 {
					end = end / 8 * 8
				}
				for l := range end {
					dst[l] = min(max(x[l], -1), 1)
				}
			}))},
		{What: "orthant of 64 columns", Law: "set/feasible", Says: "violates the set",
			New: always(change(orthant(), func(dst, x, _ []float64) {
				for l, v := range x {
					dst[l] = max(v, 0)
					if l >= 64 {
						dst[l] = v
					}
				}
			}))},
		{What: "simplex in single precision", Law: "set/feasible", Says: "violates the set",
			New: always(change(simplex(), func(dst, x, m []float64) {
				tau := threshold(x, m, 1)
				for l, v := range x {
					dst[l] = float64(float32(max(v-tau/m[l], 0)))
				}
			}))},
		{What: "box with a price", Law: "set/penalty", Says: "whatever it costs", New: always(priced(box()))},
	}
}

// priced makes points of a set cost something, though Project writes the nearest.
func priced(s Set) Set {
	s.Cost = func(y framework.Matrix) float64 { return sumOf(absolute(y.Data)) }
	return s
}

// apply applies the operation of a set to one row.
func apply(s Set, dst, x, mass []float64) {
	s.Op(framework.Matrix{Rows: 1, Cols: len(dst), Data: dst},
		framework.Point{X: framework.Matrix{Rows: 1, Cols: len(x), Data: x}, ColMass: mass})
}

// change replaces the operation of a set that works row by row.
func change(s Set, op func(dst, x, m []float64)) Set {
	s.Op = byRow(s.Name, s.Declared, op, nil).Op
	return s
}

type projection = func(dst framework.Matrix, at framework.Point)

// wrap replaces the operation of a set with one that calls it.
func wrap(s Set, op func(right projection, dst framework.Matrix, at framework.Point)) Set {
	right := s.Op
	s.Op = func(dst framework.Matrix, at framework.Point) { op(right, dst, at) }
	return s
}

func declaring(s Set, change func(p *framework.Properties)) Set {
	change(&s.Declared)
	return s
}

// badlyMade returns operators that are not projections.
func badlyMade() []Projection {
	free := box()
	free.Measure = func(framework.Matrix) float64 { return 0 }
	counting := box()
	counting.Measure = func(y framework.Matrix) (n float64) {
		for _, v := range y.Data {
			if math.Abs(v) > 1 {
				n++
			}
		}
		return n
	}
	return []Projection{
		{What: "counts what it should measure", Law: "set/boundary", Says: "one unit in the last place", New: always(counting)},
		{What: "leaves the point where it is", Law: "set/feasible", Says: "violates the set",
			New: always(change(box(), func(dst, x, _ []float64) { copy(dst, x) }))},
		{What: "accepts everything", Law: "set/violation", Says: "Violation accepts x", New: always(free)},
		{What: "shrinks each time", Law: "set/idempotent", Says: "the projection of Px",
			New: always(wrap(box(), func(right projection, dst framework.Matrix, at framework.Point) {
				right(dst, at)
				for i := range dst.Data {
					dst.Data[i] *= 0.99
				}
			}))},
		{What: "moves points of the ball to its surface", Law: "set/fixed-point", Says: "Violation accepts y",
			New: always(change(ball(1), func(dst, x, m []float64) {
				sum := sumOf(absolute(x))
				for l, v := range x {
					dst[l] = v
					if sum > 0 && sum < 1 {
						dst[l] = v / sum
					}
				}
				apply(ball(1), dst, dst, m)
			}))},
		{What: "jumps where it should bend", Law: "set/nonexpansive", Says: "apart, but their projections",
			New: always(change(box(), each(func(v float64) float64 {
				if math.Abs(v) > 1 {
					return 0
				}
				return v
			})))},
	}
}

// badlyDeclared returns sets that are not what they declare, or that write where
// they should not.
func badlyDeclared() []Projection {
	careless := box()
	careless.Careless = true
	calls := 0.0
	return []Projection{
		{What: "subtracts before it clips", Law: "set/cone-scaling", Says: "the projection of",
			New: always(change(orthant(), each(func(v float64) float64 { return max(v-0.1, 0) })))},
		{What: "halves what it keeps", Law: "set/cone-orthogonal", Says: "⟨x − Px, Px⟩",
			New: always(change(orthant(), each(func(v float64) float64 { return max(v, 0) / 2 })))},
		{What: "joint, but says row-wise", Law: "set/row-wise", Says: "with other rows around",
			New: always(declaring(agreeing(true), func(p *framework.Properties) { p.RowWise = true }))},
		{What: "sorted, but says separable", Law: "set/separable", Says: "with other entries around",
			New: always(declaring(isotone(), func(p *framework.Properties) { p.Separable = true }))},
		{What: "adds 1 to every mass", Law: "set/mass-scale", Says: "times 4",
			New: always(wrap(agreeing(true), func(right projection, dst framework.Matrix, at framework.Point) {
				if at.RowMass != nil {
					at.RowMass = slices.Clone(at.RowMass)
					for j := range at.RowMass {
						at.RowMass[j]++
					}
				}
				right(dst, at)
			}))},
		{What: "divides by no mass", Law: "set/zero-mass", Says: "not finite", New: always(agreeing(false))},
		{What: "depends on how often it was called", Law: "set/deterministic", Says: "another time",
			New: always(wrap(box(), func(right projection, dst framework.Matrix, at framework.Point) {
				right(dst, at)
				calls++
				dst.Data[0] -= 1e-12 * calls
			}))},
		{What: "writes to the point", Law: "set/pure", Says: "has written to the point",
			New: always(wrap(box(), func(right projection, dst framework.Matrix, at framework.Point) {
				right(dst, at)
				right(at.X, at)
			}))},
		{What: "clears dst before it reads", Law: "set/aliasing", Says: "in place",
			New: always(wrap(box(), func(right projection, dst framework.Matrix, at framework.Point) {
				clear(dst.Data)
				right(dst, at)
			}))},
		{What: "keeps the higher of equals", Law: "set/ties", Says: "a tie went to a higher index", New: sized(func(s int) framework.Set {
			return top(s, func(a, b float64) bool { return math.Abs(a) >= math.Abs(b) }, below(s))
		})},
		{What: "takes any number", Law: "set/refuses", Says: "not refused", New: always(careless)},
		{What: "needs an entry", Law: "set/empty", Says: "panicked",
			New: always(wrap(box(), func(right projection, dst framework.Matrix, at framework.Point) {
				_ = at.X.Data[0]
				right(dst, at)
			}))},
	}
}

// badlyWeighted returns sets whose Project does not write the best feature weights.
func badlyWeighted() []Projection {
	paid := weights(func(x float64) float64 { return x })
	paid.Cost = func(y framework.Matrix) float64 { return -y.Data[0] }
	return []Projection{
		{What: "weights by squared gains", Law: "set/best", Says: "which is in the set",
			New: always(weights(func(x float64) float64 { return x * x }))},
		{What: "drops gains below a tenth", Law: "set/best-scale", Says: "the best point of", New: always(weights(func(x float64) float64 {
			if x < 0.1 {
				return 0
			}
			return x
		}))},
		{What: "is paid for weights", Law: "set/penalty", Says: "0 or more", New: always(paid)},
	}
}

// badFamilies returns families that are nested in the wrong order.
func badFamilies() []Projection {
	stuck := func(s int) framework.Set {
		if s > 2 {
			s = 1
		}
		return constraint.Sparsity{S: s}
	}
	return []Projection{{What: "a larger one is smaller", Law: "set/nested", Says: "which contains it", New: sized(stuck),
		Nested: func(_, cols int) (family []framework.Set) {
			for s := range cols + 1 {
				family = append(family, stuck(s))
			}
			return family
		}}}
}
