package declare_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// scaled is a small table, and how it was scaled.
type scaled struct {
	rows    []float64 // row by row, in original units
	recipe  matrix.Recipe
	problem framework.Problem
	random  *rand.Rand
}

// drawScaled draws a table of columns of very different sizes and locations,
// weighted or not, and scales it in one of the ways that the command offers.
func drawScaled(t *rapid.T) scaled {
	const n, p = 6, 3
	s := scaled{random: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), rows: make([]float64, n*p)}
	for l := range p {
		size := math.Pow(10, float64(rapid.IntRange(-9, 9).Draw(t, "magnitude")))
		offset := rapid.SampledFrom([]float64{0, 0, size, 1e8}).Draw(t, "offset")
		if size < 1e-3 && offset == 1e8 {
			offset = 0 // a column of equal numbers
		}
		for i := range n {
			s.rows[i*p+l] = offset + size*s.random.NormFloat64()
		}
	}
	var weights []float64
	if rapid.Bool().Draw(t, "weighted") {
		weights = make([]float64, n)
		for i := range weights {
			weights[i] = 0.1 + s.random.Float64()
		}
	}
	scale := rapid.SampledFrom([]string{"sd", "sd_n", "robust", "none", "raw"}).Draw(t, "scale")
	how := must.Get(matrix.ParseScale(scale, "auto"))(t)
	b := must.Get(matrix.BuilderOf(framework.Matrix{Rows: n, Cols: p, Data: s.rows}, weights, matrix.Options{}))(t)
	data, recipe, problem, err := matrix.Prepare(b, []matrix.Source{{Name: "a"}, {Name: "b"}, {Name: "c"}}, how, nil)
	must.Do(t, err)
	s.recipe, s.problem, s.problem.K = recipe, problem, 2
	must.Do(t, data.Close())
	return s
}

// limit returns a number among the values of column l.
func (s scaled) limit(l int) float64 {
	a, b := s.rows[s.random.IntN(6)*3+l], s.rows[s.random.IntN(6)*3+l]
	return a + s.random.Float64()*(b-a)
}

// written returns the resulting centers in original units, for some rows as means.
func (s scaled) written(t *rapid.T, rows []framework.ConstraintRow) framework.Matrix {
	set := must.Get(declare.Rows(rows, s.problem))(t)
	theta := framework.NewMatrix(2, 3)
	for i := range theta.Data {
		theta.Data[i] = s.recipe.Fitted(i%3, s.rows[s.random.IntN(6)*3+i%3])
	}
	must.Do(t, set.Project(theta, framework.Point{X: theta.Clone(), RowMass: []float64{2, 4}}))
	for i, v := range theta.Data {
		theta.Data[i] = s.recipe.Original(i%3, v)
	}
	set.Keep(theta)
	return theta
}

func TestLimitsAndFixedValuesHoldInOriginalUnitsToTheLastDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScaled(t)
		fixed, lo, hi := s.limit(0), s.limit(1), s.limit(1)
		lo, hi = min(lo, hi), max(lo, hi)
		if rapid.Bool().Draw(t, "narrow") {
			hi = math.Nextafter(lo, math.Inf(1)) // nothing but the limits is between them
		}
		one, alone := s.limit(2), 0
		y := s.written(t, []framework.ConstraintRow{
			{Kind: "fixed", Feature: new("a"), Value: &fixed},
			{Kind: "box", Feature: new("b"), Lo: &lo, Hi: &hi},
			{Kind: "box", Feature: new("c"), Cluster: &alone, Hi: &one},
			{Kind: "halfspace", Feature: new("c"), Cluster: new(1), Coef: new(-1.0), Hi: new(-one)},
		})
		for j := range 2 {
			if v := y.Row(j)[0]; v != fixed {
				t.Errorf("center %d is fixed to %v and comes out as %v", j, fixed, v)
			}
			if v := y.Row(j)[1]; !(lo <= v && v <= hi) {
				t.Errorf("center %d is to be from %v to %v and is %v", j, lo, hi, v)
			}
		}
		if a, b := y.Row(0)[2], y.Row(1)[2]; a > one || b < one {
			t.Errorf("centers 0 and 1 are to be at most and at least %v, and are %v and %v", one, a, b)
		}
	})
}

func TestOrdersWithinLimitsHoldInOriginalUnitsToTheLastDigit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScaled(t)
		hi := max(s.limit(0), s.limit(1)) // both features may be below it
		rows := []framework.ConstraintRow{
			{Kind: "monotone", Feature: new("b"), Value: new(1.0)},
			{Kind: "monotone", Feature: new("a"), Value: new(2.0)},
			{Kind: "box", Feature: new("a"), Hi: &hi},
			{Kind: "halfspace", Name: "rising", Feature: new("c"), Cluster: new(0), Coef: new(3.0), Hi: new(0.0)},
			{Kind: "halfspace", Name: "rising", Feature: new("c"), Cluster: new(1), Coef: new(-3.0)},
		}
		equal := rapid.Bool().Draw(t, "equal")
		if equal {
			rows[3].Lo = new(0.0)
		}
		y := s.written(t, rows)
		for j := range 2 {
			if a, b := y.Row(j)[0], y.Row(j)[1]; b > a || a > hi {
				t.Errorf("center %d: b ≤ a ≤ %v, and they are %v and %v", j, hi, b, a)
			}
		}
		if a, b := y.Row(0)[2], y.Row(1)[2]; a > b || equal && a != b {
			t.Errorf("center 0 is at most center 1, and they are %v and %v", a, b)
		}
	})
}

func TestLimitsThatDifferInTheLastDigitAreToldApart(t *testing.T) {
	// 0.1 + 0.2 is 0.30000000000000004. At a location of 1e8 the two are the same.
	columns := []framework.Column{{Name: "a", Location: 1e8, Scale: 1}}
	_, err := declare.Rows([]framework.ConstraintRow{
		{Kind: "box", Name: "one", Feature: new("a"), Lo: new(0.30000000000000004)},
		{Kind: "box", Name: "two", Feature: new("a"), Hi: new(0.3)},
	}, framework.Problem{K: 1, P: 1, Columns: columns})
	f := must.Fault(t, err, "empty-set")
	want := "no center keeps all constraints: feature a of cluster 0 must be at least 0.30000000000000004 and at most 0.3"
	if f.Summary != want {
		t.Errorf("summary %q", f.Summary)
	}
}

func TestACenterFarBeyondItsLimitIsNotHidden(t *testing.T) {
	columns := []framework.Column{{Name: "a", Location: 2, Scale: 3}}
	set := must.Get(declare.Rows([]framework.ConstraintRow{{Kind: "box", Feature: new("a"), Lo: new(5.0)}},
		framework.Problem{K: 1, P: 1, Columns: columns}))(t)
	y := framework.Matrix{Rows: 1, Cols: 1, Data: []float64{4.9}} // as by an algorithm that keeps no limits
	if set.Keep(y); y.Data[0] != 4.9 {
		t.Errorf("4.9 was moved to %v", y.Data[0])
	}
}
