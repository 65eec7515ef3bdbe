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
	// Draw draws a set for k×p centers. Scaled returns the set of all c·y, Permuted
	// that of all y with the columns in another order (new column l is the old
	// column order[l]).
	Draw     func(t *rapid.T, k, p int) framework.Set
	Scaled   func(set framework.Set, c float64) framework.Set
	Permuted func(set framework.Set, order []int) framework.Set

	// Farthest returns the point y of the set with the largest ⟨d, y⟩; if the set
	// is unbounded, within reach. For d = mass·(x − Px), if y − Px makes no acute
	// angle with x − Px for this y, then it makes none for any y of the set: Px is
	// the nearest point of a convex set.
	Farthest func(set framework.Set, d framework.Matrix, reach float64) framework.Matrix
}

// Families has the convex kinds, by name.
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

// Slack is the allowed rounding error, relative to the largest number involved.
const Slack = 1e-11

// drawWhere draws some of p features in any order, or all, and some clusters.
func drawWhere(t *rapid.T, k, p int) constraint.Where {
	var w constraint.Where
	pick := func(n int, name string) []int {
		if rapid.Bool().Draw(t, "every "+name) {
			return nil
		}
		return rapid.Permutation(Indices(n)).Draw(t, name)[:rapid.IntRange(1, n).Draw(t, name+"s")]
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

// turn returns the Where of the same features when columns are in another order.
// If w lists no features, the result lists all.
func turn(w constraint.Where, order []int) constraint.Where {
	at := make([]int, len(order))
	for to, from := range order {
		at[from] = to
	}
	features := w.Features
	if features == nil {
		features = Indices(len(order))
	}
	turned := constraint.Where{Clusters: w.Clusters}
	for _, l := range features {
		turned.Features = append(turned.Features, at[l])
	}
	return turned
}

// rowFamily returns the family of a set that restricts each center by itself: how
// to draw one, where its Where is, how to scale it, and the farthest point of the
// restricted features of one center.
func rowFamily[S framework.Set](draw func(t *rapid.T, k, p int) S, where func(*S) *constraint.Where, scale func(s *S, c float64),
	farthest func(s S, d []float64, reach float64) []float64) Family {
	return Family{
		Draw: func(t *rapid.T, k, p int) framework.Set { return draw(t, k, p) },
		Scaled: func(set framework.Set, c float64) framework.Set {
			s := set.(S)
			scale(&s, c)
			return s
		},
		Permuted: func(set framework.Set, order []int) framework.Set {
			s := set.(S)
			*where(&s) = turn(*where(&s), order)
			return s
		},
		Farthest: func(set framework.Set, d framework.Matrix, reach float64) framework.Matrix {
			s := set.(S)
			return byRow(*where(&s), d, func(d []float64) []float64 { return farthest(s, d, reach) })
		},
	}
}

// byRow builds a farthest point row by row: free entries go as far as reach, the
// others where best puts them.
func byRow(w constraint.Where, d framework.Matrix, best func(d []float64) []float64) framework.Matrix {
	y := framework.NewMatrix(d.Rows, d.Cols)
	features := w.Features
	if features == nil {
		features = Indices(d.Cols)
	}
	for _, j := range w.Rows(d.Rows) {
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
