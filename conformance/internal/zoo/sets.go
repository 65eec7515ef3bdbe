package zoo

import (
	"math"
	"slices"
	"sort"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Set is a constraint set made of functions, so that each can be wrong.
type Set struct {
	Name     string
	Declared framework.Properties
	Op       func(dst framework.Matrix, at framework.Point)
	Measure  func(y framework.Matrix) float64
	Careless bool                             // points are not checked
	Cost     func(y framework.Matrix) float64 // nil: no penalty
}

var _ framework.Set = Set{}

// Properties implements framework.Set.
func (s Set) Properties() framework.Properties { return s.Declared }

// String returns the name.
func (s Set) String() string { return s.Name }

// Violation implements framework.Set.
func (s Set) Violation(y framework.Matrix) float64 { return s.Measure(y) }

// Penalty implements framework.Set.
func (s Set) Penalty(y framework.Matrix) float64 {
	if s.Cost == nil {
		return 0
	}
	return s.Cost(y)
}

// Project implements framework.Set.
func (s Set) Project(dst framework.Matrix, at framework.Point) error {
	if !s.Careless {
		for _, v := range at.X.Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return framework.Faultf(framework.Data, "bad-point", "the point has the entry %g", v)
			}
		}
		for _, masses := range [][]float64{at.RowMass, at.ColMass} {
			for _, m := range masses {
				if !(m >= 0) || math.IsInf(m, 0) {
					return framework.Faultf(framework.Data, "bad-point", "a mass is %g", m)
				}
			}
		}
	}
	s.Op(dst, at)
	return nil
}

// byRow is a set that projects each row by itself. m has the masses of the columns
// and is never nil.
func byRow(name string, declared framework.Properties, op func(dst, x, m []float64), measure func(y []float64) float64) Set {
	declared.Kind, declared.RowWise = name, true
	return Set{
		Name: name, Declared: declared,
		Op: func(dst framework.Matrix, at framework.Point) {
			m := positive(at.ColMass, at.X.Cols)
			for j := range at.X.Rows {
				op(dst.Row(j), slices.Clone(at.X.Row(j)), m)
			}
		},
		Measure: func(y framework.Matrix) float64 {
			worst := 0.0
			for j := range y.Rows {
				worst = math.Max(worst, measure(y.Row(j)))
			}
			return worst
		},
	}
}

// negligible is what columns of mass 0 weigh in place of it, relative to the heaviest one:
// little enough that the projection costs no more than rounding.
const negligible = 1e-10

// positive returns the masses of columns, all above 0.
func positive(masses []float64, cols int) []float64 {
	if masses == nil {
		return slices.Repeat([]float64{1}, cols)
	}
	most := slices.Max(append([]float64{0}, masses...))
	if most == 0 {
		most = 1 / negligible
	}
	m := slices.Clone(masses)
	for l := range m {
		m[l] = max(m[l], negligible*most)
	}
	return m
}

var convex = framework.Properties{Convex: true}

// box is −1 ≤ y ≤ 1.
func box() Set {
	return byRow("box", framework.Properties{Convex: true, Separable: true},
		each(func(v float64) float64 { return min(max(v, -1), 1) }), worst(func(v float64) float64 { return math.Abs(v) - 1 }))
}

// each projects each entry by itself.
func each(f func(v float64) float64) func(dst, x, m []float64) {
	return func(dst, x, _ []float64) {
		for l, v := range x {
			dst[l] = f(v)
		}
	}
}

// worst is the largest violation of an entry.
func worst(of func(v float64) float64) func(y []float64) float64 {
	return func(y []float64) (most float64) {
		for _, v := range y {
			most = max(most, of(v))
		}
		return most
	}
}

func absolute(x []float64) []float64 {
	y := make([]float64, len(x))
	for l, v := range x {
		y[l] = math.Abs(v)
	}
	return y
}

func sumOf(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// orthant is y ≥ 0, a cone.
func orthant() Set {
	return byRow("orthant", framework.Properties{Convex: true, Cone: true, Separable: true},
		each(func(v float64) float64 { return max(v, 0) }), worst(func(v float64) float64 { return -v }))
}

// weights is w ≥ 0, ‖w‖₂ ≤ 1, whose best point has the direction of the positive
// gains. gain transforms each gain; the identity is right.
func weights(gain func(x float64) float64) Set {
	return byRow("weights", framework.Properties{Convex: true, Maximize: true},
		func(dst, x, _ []float64) {
			var squares float64
			for l, v := range x {
				dst[l] = gain(max(v, 0))
				squares = math.Hypot(squares, dst[l])
			}
			for l := range dst {
				if squares > 0 {
					dst[l] /= squares
				}
			}
		},
		func(w []float64) (worst float64) {
			var length float64
			for _, v := range w {
				worst = max(worst, -v)
				length = math.Hypot(length, v)
			}
			return max(worst, length-1)
		})
}

// threshold returns the τ for which Σ_l max(x_l − τ/m_l, 0) = r, as in Held, Wolfe
// and Crowder (1974), but with masses.
func threshold(x, m []float64, r float64) float64 {
	order := make([]int, len(x))
	for l := range order {
		order[l] = l
	}
	sort.SliceStable(order, func(a, b int) bool { return x[order[a]]*m[order[a]] > x[order[b]]*m[order[b]] })
	var sum, inverse, tau float64
	for i, l := range order {
		sum += x[l]
		inverse += 1 / m[l]
		tau = (sum - r) / inverse
		if i+1 == len(order) || x[order[i+1]]*m[order[i+1]] <= tau {
			break
		}
	}
	return tau
}

// simplex is y ≥ 0, Σ y = 1.
func simplex() Set {
	return byRow("simplex", convex,
		func(dst, x, m []float64) {
			tau := threshold(x, m, 1)
			for l, v := range x {
				dst[l] = max(v-tau/m[l], 0)
			}
		},
		func(y []float64) float64 {
			sum, worst := 0.0, 0.0
			for _, v := range y {
				sum += v
				worst = max(worst, -v)
			}
			if off := math.Abs(sum - 1); off > 1e-12 {
				worst = max(worst, off)
			}
			return worst
		})
}

// ball is Σ|y| ≤ 1. stretch multiplies the threshold: 1 is right.
func ball(stretch float64) Set {
	return byRow("l1 ball", convex,
		func(dst, x, m []float64) {
			size := absolute(x)
			copy(dst, x)
			if sumOf(size) <= 1 {
				return
			}
			tau := threshold(size, m, 1) * stretch
			for l, v := range x {
				dst[l] = math.Copysign(max(size[l]-tau/m[l], 0), v)
			}
		}, overOne)
}

// overOne is how far Σ|y| is above 1.
func overOne(y []float64) float64 {
	if over := sumOf(absolute(y)) - 1; over > 1e-12 {
		return over
	}
	return 0
}

// isotone is y_1 ≤ y_2 ≤ …, by pooling adjacent violators.
func isotone() Set {
	return byRow("isotone", framework.Properties{Convex: true, Cone: true},
		func(dst, x, m []float64) {
			type pool struct {
				sum, mass float64
				n         int
			}
			var pools []pool
			for l, v := range x {
				pools = append(pools, pool{m[l] * v, m[l], 1})
				for k := len(pools) - 1; k > 0 && pools[k-1].sum/pools[k-1].mass > pools[k].sum/pools[k].mass; k-- {
					pools[k-1] = pool{pools[k-1].sum + pools[k].sum, pools[k-1].mass + pools[k].mass, pools[k-1].n + pools[k].n}
					pools = pools[:k]
				}
			}
			dst = dst[:0]
			for _, p := range pools {
				dst = append(dst, slices.Repeat([]float64{p.sum / p.mass}, p.n)...)
			}
		}, falls)
}

// falls is the largest drop from one entry to the next.
func falls(y []float64) (worst float64) {
	for l := 1; l < len(y); l++ {
		worst = max(worst, y[l-1]-y[l])
	}
	return worst
}

// top is the set of rows with at most s entries that are not 0. Project ranks the
// entries by better, and keeps those whose rank, from 0, passes keep.
func top(s int, better func(a, b float64) bool, keep func(rank int) bool) Set {
	return byRow("top", framework.Properties{Cone: true},
		func(dst, x, m []float64) {
			order := make([]int, len(x))
			for l := range order {
				order[l] = l
			}
			sort.SliceStable(order, func(a, b int) bool {
				u, v := order[a], order[b]
				return better(x[u]*math.Sqrt(m[u]), x[v]*math.Sqrt(m[v]))
			})
			for r, l := range order {
				dst[l] = 0
				if keep(r) {
					dst[l] = x[l]
				}
			}
		},
		func(y []float64) float64 {
			sizes := absolute(y)
			sort.Float64s(sizes)
			return sumOf(sizes[:max(0, len(sizes)-s)])
		})
}

func larger(a, b float64) bool  { return math.Abs(a) > math.Abs(b) }
func smaller(a, b float64) bool { return math.Abs(a) < math.Abs(b) }
func signed(a, b float64) bool  { return a > b }

func below(s int) func(int) bool { return func(rank int) bool { return rank < s } }

// agreeing is the set of matrices whose rows are all equal. The projection is the
// weighted mean of the rows, or the plain mean where there is no mass.
func agreeing(careful bool) Set {
	return Set{
		Name: "agreeing rows", Declared: framework.Properties{Kind: "agreeing rows", Convex: true, Cone: true},
		Op: func(dst framework.Matrix, at framework.Point) {
			mass := at.RowMass
			if mass == nil || careful && slices.Max(mass) == 0 {
				mass = slices.Repeat([]float64{1}, at.X.Rows)
			}
			total := sumOf(mass)
			for l := range at.X.Cols {
				var sum float64
				for j := range mass {
					sum += mass[j] * at.X.Row(j)[l]
				}
				for j := range mass {
					dst.Row(j)[l] = sum / total
				}
			}
		},
		Measure: func(y framework.Matrix) (worst float64) {
			for j := range y.Rows {
				for l, v := range y.Row(j) {
					worst = max(worst, math.Abs(v-y.Row(0)[l]))
				}
			}
			return worst
		},
	}
}
