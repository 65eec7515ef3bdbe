package matrix

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Moments describe the observed cells of a feature, in original units, of rows that are
// not here. All but Missing are of rows of positive weight.
type Moments struct {
	Missing  int // rows without a cell, whatever they weigh
	Rows     int
	Mass     float64 // Σ w
	Mean     float64
	Unit     float64 // a power of two near the largest |x − Mean|, so that squares neither overflow nor vanish
	Centred  float64 // Σ w (x − Mean)², in Unit²
	Min, Max float64
}

// UnitOf returns the Unit for cells from least to largest with that mean.
func UnitOf(mean, least, largest float64) float64 {
	if !(least < largest) {
		return 1
	}
	_, exponent := math.Frexp(max(largest-mean, mean-least))
	return math.Ldexp(1, clamp(exponent, -1000, 1000)) // its inverse is a number too
}

func clamp(v, lo, hi int) int { return max(lo, min(v, hi)) }

// LearnMoments is LearnEncoded for rows that are not here, and describes the fitted
// columns as Apply does. weighted says that rows have weights, and whole that all of them are whole
// numbers. Medians cannot be learned from moments: a Fault.
func LearnMoments(moments []Moments, features []Feature, s Scaling, weighted, whole bool) (Recipe, []framework.Column, error) {
	if len(features) != len(moments) {
		panic(fmt.Sprintf("matrix: %d names for %d columns", len(features), len(moments)))
	}
	if s.Center == "median" || s.Scale == "mad" {
		return Recipe{}, nil, awayMedians(s)
	}
	columns := make([]summary, len(moments))
	mass := 0.0
	for l, m := range moments {
		columns[l] = summary{missing: m.Missing, rows: m.Rows, mass: m.Mass, mean: m.Mean, unit: m.Unit, centred: m.Centred, min: m.Min,
			max: m.Max}
		if !(m.Mass > 0) {
			columns[l].min, columns[l].max = math.Inf(1), math.Inf(-1)
		} else if m.Min == m.Max {
			columns[l].mean, columns[l].centred = m.Min, 0
		}
		mass = max(mass, m.Mass)
	}
	if weighted {
		if err := checkWeights([]float64{mass}); err != nil {
			return Recipe{}, nil, err
		}
	}
	r, err := learnFrom(columns, features, s, weighing{weighted, whole}, nil, nil)
	if err != nil {
		return r, nil, err
	}
	fitted, err := r.describe(columns, weighted)
	return r, fitted, err
}

// awayMedians is the fault of a scaling by medians of rows that are not here.
func awayMedians(s Scaling) error {
	f := framework.Faultf(framework.Usage, "needs-rows", "medians need all rows at hand, and these stay in an engine")
	if s.Scale == "mad" {
		return f.At("scale").WithHint("use %s", framework.SettingTo("scale", "sd"))
	}
	return f.At("center").WithHint("use %s", framework.SettingTo("center", "mean"))
}

// describe returns the fitted columns of which the moments are known in original units.
func (r Recipe) describe(columns []summary, weighted bool) ([]framework.Column, error) {
	fitted := make([]framework.Column, len(columns))
	for l, c := range columns {
		f := r.Features[l]
		scaled := c
		if c.mass > 0 {
			scaled.mean, scaled.unit = (c.mean-f.Location)/f.Scale, c.unit/f.Scale
			scaled.min, scaled.max = (c.min-f.Location)/f.Scale, (c.max-f.Location)/f.Scale
		}
		fitted[l] = scaled.column(framework.Column{Name: f.Name, Group: l, Location: f.Location, Scale: f.Scale})
		largest := max(math.Abs(scaled.min), math.Abs(scaled.max))
		squares := fitted[l].SumSq + float64(fitted[l].Mass*fitted[l].Mean*fitted[l].Mean)
		if err := r.checkSquares(l, c.mass > 0 && !finite(squares), weighted && finite(float64(c.rows)*largest*largest)); err != nil {
			return nil, err
		}
	}
	return fitted, nil
}

// checkSquares refuses a feature whose squares are too many or too large.
func (r Recipe) checkSquares(l int, overflow, heavy bool) error {
	switch {
	case !overflow:
		return nil
	case heavy:
		return tooHeavy()
	}
	return framework.Faultf(framework.Data, "values-too-large",
		"the values of column %q are too large: their squares overflow", r.Features[l].Name).
		WithHint("use %s, divide the column by a constant, or leave it out with %s",
			framework.SettingTo("scale", "sd"), framework.Setting("exclude"))
}
