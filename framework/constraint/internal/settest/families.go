package settest

import (
	"math"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// A Family is a kind of convex set whose parameters are numbers, so that the
// laws can scale and permute them.
type Family struct {
	// Draw draws a set for k×p centers; Scaled and Permuted return the set of
	// all c·y, and of all y with columns in another order (column l of the new
	// one is order[l] of the old).
	Draw     func(t *rapid.T, k, p int) framework.Set
	Scaled   func(set framework.Set, c float64) framework.Set
	Permuted func(set framework.Set, order []int) framework.Set

	// Farthest returns the point y of the set with the largest ⟨d, y⟩ that is
	// not beyond reach, where the set has no end. y − Px makes no acute angle
	// with x − Px for that y with d = mass·(x − Px), and so for no y at all:
	// which is what says that Px is the nearest point of a convex set.
	Farthest func(set framework.Set, d framework.Matrix, reach float64) framework.Matrix
}

// Families are the convex kinds, by name.
var Families = map[string]Family{}

// At draws a point with masses.
func At(t *rapid.T) framework.Point {
	k, p := rapid.IntRange(1, 3).Draw(t, "k"), rapid.IntRange(1, 7).Draw(t, "p")
	x := framework.Matrix{Rows: k, Cols: p, Data: Numbers(t, k*p, "x")}
	return framework.Point{X: x, RowMass: Masses(t, k, "row mass"), ColMass: Masses(t, p, "column mass")}
}

// Biggest returns the largest absolute value.
func Biggest(all ...framework.Matrix) (most float64) {
	for _, m := range all {
		for _, v := range m.Data {
			most = max(most, math.Abs(v))
		}
	}
	return most
}

// Slack is the rounding that is allowed, relative to the numbers in play.
const Slack = 1e-11

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

// ScaleAll returns c times v.
func ScaleAll(v []float64, c float64) []float64 {
	if v == nil {
		return nil
	}
	w := make([]float64, len(v))
	for i := range v {
		w[i] = c * v[i]
	}
	return w
}
