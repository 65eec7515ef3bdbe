package engine

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// A Bound is a table bound to a problem and to the formula of its clusterer. It is safe for
// concurrent use if the engine is.
type Bound struct {
	*Table
	formula  means.Formula
	problem  framework.Problem
	outlying *float64 // that rows are from a center without being outliers; nil: any
	starts   starts
}

var _ fit.Passes = (*Bound)(nil)

// Bind binds the table, which has learned or uses a recipe, to a problem of its rows.
func (t *Table) Bind(f means.Formula, p framework.Problem) (*Bound, error) {
	missing := 0
	for _, m := range t.missing {
		if m {
			missing++
		}
	}
	if missing*p.K > mostTerms && !t.byFeature(p.P, missing, p.K) {
		return nil, framework.Faultf(framework.Data, "statement-too-large",
			"%d features have NULLs, and with %d clusters a pass over the rows would "+
				"be a statement of %d differences, one for each: databases take minutes to plan it", missing, p.K, missing*p.K).At("k").
			WithHint("choose at most %d clusters, fill cells in a query (coalesce), or leave out %s",
				max(1, mostTerms/missing), framework.Setting("engine"))
	}
	return &Bound{Table: t, formula: f, problem: p}, nil
}

// byFeature reports whether rows are compared feature by feature.
func (t *Table) byFeature(features, missing, points int) bool {
	of := t.rows.ByFeature
	return of != nil && of(t.counted.n, features, missing, points)
}

// mostTerms is how many differences of cells that may be missing a statement has at most;
// cells that all rows have are compared as arrays.
const mostTerms = 25000

// A measure is how rows are measured from points: over which features, with which weights.
type measure struct {
	weights []float64 // of features; nil: all 1
	missing []bool    // by feature: some row lacks the cell; nil: any may
	array   string    // alias of the array of the features in whole
	whole   []int     // features that all rows have, compared as arrays
	parts   []int     // features that are compared one by one
	origin  []float64 // labels are found by products of rows with what points differ from it by; nil: by distances

	byFeature bool // distances from all points are one value, which is made feature by feature
}

// measureOf returns the measure over features that counts rows from n points.
func (b *Bound) measureOf(features []int, weights []float64, array string, points int) measure {
	m := measure{weights: weights, array: array, missing: b.missing}
	for _, l := range features {
		if b.missing[l] {
			m.parts = append(m.parts, l)
		} else {
			m.whole = append(m.whole, l)
		}
	}
	if m.byFeature = b.byFeature(len(features), len(m.parts), points); m.byFeature {
		return m
	}
	if few := b.rows.Few; len(m.whole) <= few || !b.rows.Products && len(features)*points <= b.rows.Chain {
		m.parts, m.whole = features, nil
	}
	return m
}

// all returns the numbers of all features.
func (b *Bound) all() []int {
	features := make([]int, b.problem.P)
	for l := range features {
		features[l] = l
	}
	return features
}

// cells returns the features whose cells are compared by themselves, and not as an array.
func (m measure) cells() []int {
	if m.byFeature {
		return append(slices.Clone(m.whole), m.parts...)
	}
	return m.parts
}

// weight returns the weight of a feature.
func (m measure) weight(l int) float64 {
	if m.weights == nil {
		return 1
	}
	return m.weights[l]
}

// telling returns the features that tell centers apart: they have weight, and the centers
// differ in them. In the others, a row is equally far from all.
func telling(centers framework.Matrix, weights []float64) []int {
	var features []int
	for l := range centers.Cols {
		if weights != nil && weights[l] == 0 {
			continue
		}
		for j := 1; j < centers.Rows; j++ {
			if centers.Row(j)[l] != centers.Row(0)[l] {
				features = append(features, l)
				break
			}
		}
	}
	return features
}

// labelling is how a model labels rows.
type labelling struct {
	measure
	centers framework.Matrix
	kind    string // of the aliases of distances
}

// labelling returns how a model labels rows; kind is that of its aliases.
func (b *Bound) labelling(m *framework.Model, kind string) labelling {
	weights := b.formula.Distance(m).Weights
	features := telling(m.Centers, weights)
	l := labelling{measure: b.measureOf(features, weights, b.rows.p+kind+"v", m.Centers.Rows), centers: m.Centers, kind: kind}
	if products := l; b.rows.Products && (l.byFeature || len(features)*m.Centers.Rows <= b.rows.Chain) {
		products.parts, products.whole = features, nil
		if b.byProducts(products) {
			products.origin = m.Centers.Row(0)
			return products
		}
	}
	return l
}

// byProducts reports whether products of rows and centers tell which center is the nearest: whether
//
//	(c − o)·(c + o) − 2 x·(c − o),
//
// where o is the first center, is so exact that no row has another label whose distances to two centers differ by 10⁻⁹ and more.
// With |x|, |c| ≤ R and ‖c − o‖ ≤ D, the terms of the former are at most 2RD in sum, as are those of the latter. They are rounded
// 2p + 4 and p + 3 times, with weights, so that the error is at most (6p + 14)·RD·2⁻⁵³. By d₁ + d₂ ≥ ‖c₁ − c₂‖,
// squares of such distances differ by 10⁻⁹·‖c₁ − c₂‖ at least.
func (b *Bound) byProducts(l labelling) bool {
	if slices.ContainsFunc(l.parts, func(f int) bool { return b.missing[f] }) {
		return false
	}
	square, widest, least := 0.0, 0.0, math.Inf(1)
	for _, f := range l.parts {
		far := b.most(f, 0)
		for j := range l.centers.Rows {
			far = max(far, math.Abs(l.centers.Row(j)[f]))
		}
		square += l.weight(f) * far * far
	}
	for i := range l.centers.Rows {
		for j := range i {
			apart := 0.0
			for _, f := range l.parts {
				d := l.centers.Row(i)[f] - l.centers.Row(j)[f]
				apart += l.weight(f) * d * d
			}
			if least = min(least, apart); j == 0 {
				widest = max(widest, apart)
			}
		}
	}
	return least > 0 && float64(6*len(l.parts)+16)*math.Sqrt(square)*math.Sqrt(widest)*0x1p-52 <= 1e-9*math.Sqrt(least)
}

// sameArray reports whether two measures compare the same arrays.
func (m measure) sameArray(other measure) bool {
	return slices.Equal(m.whole, other.whole) && (m.weights == nil) == (other.weights == nil) && slices.Equal(m.weights, other.weights)
}
