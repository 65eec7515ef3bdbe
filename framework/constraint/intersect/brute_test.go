package intersect_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
)

// An edge is ⟨a, y⟩ ≤ b, or = b, of whole numbers.
type edge struct {
	a     []float64
	b     float64
	equal bool
}

// drawEdges draws a set of the features of one center, and its edges.
func drawEdges(t *rapid.T, p int) (framework.Set, []edge) {
	whole := func(name string, from, to int) float64 { return float64(rapid.IntRange(from, to).Draw(t, name)) }
	single := func(l int, sign, b float64) edge {
		a := make([]float64, p)
		a[l] = sign
		return edge{a: a, b: b}
	}
	var edges []edge
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		box := constraint.Box{}
		for l := range p {
			box.Lo, box.Hi = append(box.Lo, whole("lo", -3, 1)), append(box.Hi, whole("hi", 1, 3))
			edges = append(edges, single(l, -1, -box.Lo[l]), single(l, 1, box.Hi[l]))
		}
		return box, edges
	case 1:
		s := constraint.Simplex{Radius: whole("radius", 0, 3)}
		sum := edge{b: s.Radius, equal: true}
		for l := range p {
			edges = append(edges, single(l, -1, 0))
			sum.a = append(sum.a, 1)
		}
		return s, append(edges, sum)
	case 2:
		ball := constraint.L1Ball{Radius: whole("radius", 1, 4)}
		for signs := range 1 << p {
			e := edge{b: ball.Radius}
			for l := range p {
				e.a = append(e.a, float64(2*(signs>>l&1)-1))
			}
			edges = append(edges, e)
		}
		return ball, edges
	case 3:
		m := constraint.Monotone{}
		for l := range p {
			m.Features = append(m.Features, l)
		}
		m.Features = rapid.Permutation(m.Features).Draw(t, "order")
		for i := 1; i < p; i++ {
			e := single(m.Features[i-1], 1, 0)
			e.a[m.Features[i]] = -1
			edges = append(edges, e)
		}
		return m, edges
	}
	h := constraint.HalfSpace{Bound: whole("bound", 0, 4)}
	for range p {
		h.Coef = append(h.Coef, whole("coefficient", -3, 3))
	}
	return h, []edge{{a: h.Coef, b: h.Bound}}
}

// tiny stands for masses of 0 in bruteForce, which computes with 400 bits.
const tiny = 0x1p-80

// bruteForce returns the point nearest to x on the inner side of all edges. For
// each choice of edges it computes the point on them nearest to x, and returns the
// nearest of these that is inside, or nil if there is none.
func bruteForce(x, mass []float64, edges []edge) (best []float64) {
	least := number400(math.Inf(1))
	var chosen []edge
	var choose func(from int)
	choose = func(from int) {
		if y := onEdges(x, mass, chosen); y != nil && inside(y, edges) {
			distance := number400(0)
			for l := range x {
				d := number400(0).Sub(y[l], number400(x[l]))
				distance.Add(distance, d.Mul(d.Mul(d, d), number400(mass[l])))
			}
			if distance.Cmp(least) < 0 {
				least, best = distance, nil
				for _, v := range y {
					f, _ := v.Float64()
					best = append(best, f)
				}
			}
		}
		for i := from; i < len(edges) && len(chosen) < len(x); i++ {
			chosen = append(chosen, edges[i])
			choose(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
	return best
}

func number400(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

func inside(y []*big.Float, edges []edge) bool {
	for _, e := range edges {
		over := number400(-e.b)
		for l, v := range y {
			over.Add(over, number400(e.a[l]).Mul(number400(e.a[l]), v))
		}
		if e.equal {
			over.Abs(over)
		}
		if over.Cmp(number400(0x1p-100)) > 0 {
			return false
		}
	}
	return true
}

// onEdges returns the point nearest to x on edges, from M y + Aᵀλ = M x and
// A y = b, by elimination; nil if the edges are linearly dependent.
func onEdges(x, mass []float64, edges []edge) []*big.Float {
	p := len(x)
	n := p + len(edges)
	m := make([][]*big.Float, n)
	for i := range m {
		m[i] = make([]*big.Float, n+1)
		for l := range m[i] {
			m[i][l] = number400(0)
		}
	}
	for l := range x {
		m[l][l].SetFloat64(mass[l])
		m[l][n].Mul(number400(x[l]), number400(mass[l]))
	}
	for i, e := range edges {
		for l, a := range e.a {
			m[l][p+i].SetFloat64(a)
			m[p+i][l].SetFloat64(a)
		}
		m[p+i][n].SetFloat64(e.b)
	}
	for c := range n {
		at := c
		for r := c; r < n; r++ {
			if number400(0).Abs(m[r][c]).Cmp(number400(0).Abs(m[at][c])) > 0 {
				at = r
			}
		}
		if m[c], m[at] = m[at], m[c]; number400(0).Abs(m[c][c]).Cmp(number400(0x1p-200)) < 0 {
			return nil
		}
		for r := range n {
			if r == c || m[r][c].Sign() == 0 {
				continue
			}
			factor := number400(0).Quo(m[r][c], m[c][c])
			for l := c; l <= n; l++ {
				m[r][l].Sub(m[r][l], number400(0).Mul(factor, m[c][l]))
			}
		}
	}
	y := make([]*big.Float, p)
	for l := range y {
		y[l] = number400(0).Quo(m[l][n], m[l][l])
	}
	return y
}

func TestTheNearestPointOfSetsWithStraightEdgesIsTheOneOfAllChoicesOfEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.IntRange(1, 3).Draw(t, "p")
		at := framework.Point{X: framework.NewMatrix(1, p), ColMass: make([]float64, p)}
		mass := make([]float64, p) // tiny for 0, which gives the limit to 24 digits
		for l := range p {
			at.X.Data[l] = float64(rapid.IntRange(-8, 8).Draw(t, "x")) / 2
			at.ColMass[l] = rapid.SampledFrom([]float64{0, 0, 0.01, 1, 1, 40}).Draw(t, "mass")
			mass[l] = max(at.ColMass[l], tiny)
		}
		var sets []framework.Set
		var edges []edge
		for range 2 {
			set, e := drawEdges(t, p)
			sets, edges = append(sets, set), append(edges, e...)
		}
		want := bruteForce(at.X.Data, mass, edges)
		set := together(t, 1, p, sets...)
		if set == nil || want == nil {
			if set != nil || want != nil {
				t.Errorf("%+v: the nearest point by brute force is %v, and the intersection %v", sets, want, set)
			}
			return
		}
		y := settest.Project(t, set, at)
		for l, v := range y.Data {
			if math.Abs(v-want[l]) > settest.Slack {
				t.Errorf("%+v: %v with masses %v goes to %v, not to %v", sets, at.X.Data, at.ColMass, y.Data, want)
				return
			}
		}
	})
}
