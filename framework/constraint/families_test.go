package constraint_test

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// A family is a kind of convex set whose parameters are numbers, so that the
// laws can scale and permute them.
type family struct {
	// draw draws a set for k×p centers; scaled and permuted return the set of
	// all c·y, and of all y with columns in another order (column l of the new
	// one is order[l] of the old).
	draw     func(t *rapid.T, k, p int) framework.Set
	scaled   func(set framework.Set, c float64) framework.Set
	permuted func(set framework.Set, order []int) framework.Set

	// farthest returns the point y of the set with the largest ⟨d, y⟩ that is
	// not beyond reach, where the set has no end. y − Px makes no acute angle
	// with x − Px for that y with d = mass·(x − Px), and so for no y at all:
	// which is what says that Px is the nearest point of a convex set.
	farthest func(set framework.Set, d framework.Matrix, reach float64) framework.Matrix
}

var families = map[string]family{}

func number(t *rapid.T, name string) float64 { return rapid.Float64Range(-3, 3).Draw(t, name) }

func drawNumbers(t *rapid.T, n int, name string) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = number(t, name)
		if rapid.IntRange(0, 4).Draw(t, "round") == 0 {
			v[i] = math.Round(v[i]) // ties
		}
	}
	return v
}

// drawMasses draws masses, of which some are 0, or nil.
func drawMasses(t *rapid.T, n int, name string) []float64 {
	if rapid.Bool().Draw(t, name+" absent") {
		return nil
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = rapid.SampledFrom([]float64{0, 0.01, 0.5, 1, 1, 3, 40}).Draw(t, name)
	}
	return v
}

func drawAt(t *rapid.T) framework.Point {
	k, p := rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 7).Draw(t, "p")
	x := framework.Matrix{Rows: k, Cols: p, Data: drawNumbers(t, k*p, "x")}
	return framework.Point{X: x, RowMass: drawMasses(t, k, "row mass"), ColMass: drawMasses(t, p, "column mass")}
}

func massOf(at framework.Point, i int) float64 {
	m := 1.0
	if at.RowMass != nil {
		m = at.RowMass[i/at.X.Cols]
	}
	if at.ColMass != nil {
		m *= at.ColMass[i%at.X.Cols]
	}
	return m
}

func inner(at framework.Point, a, b framework.Matrix) (sum float64) {
	for i, v := range a.Data {
		sum += massOf(at, i) * v * b.Data[i]
	}
	return sum
}

func minus(a, b framework.Matrix) framework.Matrix {
	c := a.Clone()
	for i, v := range b.Data {
		c.Data[i] -= v
	}
	return c
}

func times(c float64, a framework.Matrix) framework.Matrix {
	b := a.Clone()
	for i := range b.Data {
		b.Data[i] *= c
	}
	return b
}

func biggest(all ...framework.Matrix) (most float64) {
	for _, m := range all {
		for _, v := range m.Data {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

func project(t interface{ Fatal(...any) }, set framework.Set, at framework.Point) framework.Matrix {
	dst := framework.NewMatrix(at.X.Rows, at.X.Cols)
	if err := set.Project(dst, at); err != nil {
		t.Fatal(err)
	}
	return dst
}

func sameBits(a, b framework.Matrix) bool {
	for i, v := range a.Data {
		if v != b.Data[i] {
			return false
		}
	}
	return true
}

// slack is the rounding that is allowed, relative to the numbers in play.
const slack = 1e-11

// drawWhere draws some of p features in any order, or all, and some clusters.
func drawWhere(t *rapid.T, k, p int) constraint.Where {
	var w constraint.Where
	pick := func(n int, name string) []int {
		if rapid.Bool().Draw(t, "every "+name) {
			return nil
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return rapid.Permutation(all).Draw(t, name)[:rapid.IntRange(1, n).Draw(t, name+"s")]
	}
	w.Clusters, w.Features = pick(k, "cluster"), pick(p, "feature")
	return w
}

func widthOf(w constraint.Where, p int) int {
	if w.Features == nil {
		return p
	}
	return len(w.Features)
}

// turn returns where what w speaks of is when columns are in another order. A
// list of all features is made where there was none.
func turn(w constraint.Where, order []int) constraint.Where {
	at := make([]int, len(order))
	for to, from := range order {
		at[from] = to
	}
	features := w.Features
	if features == nil {
		features = make([]int, len(order))
		for l := range features {
			features[l] = l
		}
	}
	turned := constraint.Where{Clusters: w.Clusters}
	for _, l := range features {
		turned.Features = append(turned.Features, at[l])
	}
	return turned
}

// byRow builds a farthest point row by row: free entries go to the reach, the
// others where best puts them.
func byRow(w constraint.Where, d framework.Matrix, best func(d []float64) []float64) framework.Matrix {
	y := framework.NewMatrix(d.Rows, d.Cols)
	clusters := w.Clusters
	if clusters == nil {
		for j := range d.Rows {
			clusters = append(clusters, j)
		}
	}
	features := w.Features
	if features == nil {
		for l := range d.Cols {
			features = append(features, l)
		}
	}
	for _, j := range clusters {
		var direction []float64
		for _, l := range features {
			direction = append(direction, d.Row(j)[l])
		}
		for i, v := range best(direction) {
			y.Row(j)[features[i]] = v
		}
	}
	return y
}

func scaleAll(v []float64, c float64) []float64 {
	if v == nil {
		return nil
	}
	w := make([]float64, len(v))
	for i := range v {
		w[i] = c * v[i]
	}
	return w
}
