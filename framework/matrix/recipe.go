package matrix

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Scaling says how columns are mapped: fitted = (original − location) / scale. With a
// norm, each row is divided by its length before, and the original units of columns are
// shares of that length.
type Scaling struct {
	Center string `json:"center"`         // location: "mean", "median" or "none" (0)
	Scale  string `json:"scale"`          // "sd" (divisor Σw − 1, see Learn), "sd_n" (Σw), "mad" (median of |x − median|) or "none" (1)
	Norm   string `json:"norm,omitempty"` // of rows: L2, or "" (none)
}

// ParseScale returns the scaling that the flags --scale (sd, sd_n, robust, none,
// raw) and --center (auto, mean, median, none) ask for. With auto the center is
// the median for robust, none for raw, and the mean otherwise.
func ParseScale(scale, center string) (Scaling, error) {
	s := Scaling{Center: "mean", Scale: scale}
	switch scale {
	case "sd", "sd_n", "none":
	case "robust":
		s = Scaling{Center: "median", Scale: "mad"}
	case "raw":
		s = Scaling{Center: "none", Scale: "none"}
	default:
		return s, framework.Faultf(framework.Usage, "bad-setting", "scale is %q; it must be sd, sd_n, robust, none or raw", scale).At("scale")
	}
	switch center {
	case "", "auto":
	case "mean", "median", "none":
		s.Center = center
	default:
		return s, framework.Faultf(framework.Usage, "bad-setting", "center is %q; it must be auto, mean, median or none", center).At("center")
	}
	return s, nil
}

// A Recipe is how a table became features: learned once, stored with the
// model, and replayed on new rows.
type Recipe struct {
	Scaling  Scaling   `json:"scaling"`
	Features []Feature `json:"features"`
	Groups   []Group   `json:"groups,omitempty"` // of features, see SetGroups; none: each feature is its own
}

// A Feature is one column of a recipe: a numeric column of the table, or one
// category of a categorical column, whose value is 1 in the rows that have it.
type Feature struct {
	Name     string  `json:"name"`     // of the column, or "column=category"
	Location float64 `json:"location"` // original units
	Scale    float64 `json:"scale"`    // original units per fitted unit; 1 where the spread is 0
	Missing  int     `json:"missing"`  // rows of the learned table without a value
	Constant bool    `json:"constant"` // all observed values were equal, or there were none

	// Instead says that Scale is the standard deviation since the median absolute
	// deviation, which was asked for, is 0: more than half of the values are equal.
	Instead bool `json:"instead,omitempty"`

	Source   string  `json:"source,omitempty"`   // the categorical column; "": the feature is not a category
	Category string  `json:"category,omitempty"` // the category; "" may be one
	Null     bool    `json:"null,omitempty"`     // the category stands for NULL
	Share    float64 `json:"share,omitempty"`    // of the row weights that have the category
	Group    int     `json:"group,omitempty"`    // index into Recipe.Groups

	// Full says of a feature of sparse rows that all of them have an entry for it, about
	// this value in original units, which is near their mean.
	Full  bool    `json:"full,omitempty"`
	About float64 `json:"about,omitempty"`
}

// IsCategory reports whether the feature is one category of a column.
func (f Feature) IsCategory() bool { return f.Source != "" }

// Column returns the name of the table's column that the feature is made from.
func (f Feature) Column() string {
	if f.IsCategory() {
		return f.Source
	}
	return f.Name
}

// Learn computes the recipe of the builder's original values, from observed
// cells and with row weights as frequencies. When a row weight is not a whole
// number, weights are not counts of rows; "sd" is then √(rows/(rows − 1)) times
// "sd_n", where rows is the number of rows of positive weight, so that equal
// weights of any size scale as no weights do. Learn returns a Fault if a column's
// values are too large to be scaled, or differ by so little that their squares
// would vanish, or if row weights are too large or too small for sums over rows.
// The result depends only on the values, the weights and their order. Rows are as they
// are: Prepare divides them by their length before.
func Learn(b *Builder, names []string, s Scaling) (Recipe, error) {
	features := make([]Feature, len(names))
	for l, name := range names {
		features[l].Name = name
	}
	return LearnEncoded(b, features, s)
}

// noMedians is the fault of a scaling of sparse rows by medians.
func noMedians(s Scaling) error {
	f := framework.Faultf(framework.Usage, "sparse-median", "medians of sparse features are 0 in nearly all cases, and say nothing")
	if s.Scale == "mad" {
		return f.At("scale").WithHint("use %s or %s", framework.SettingTo("scale", "sd"), framework.SettingTo("scale", "raw"))
	}
	return f.At("center").WithHint("use %s or %s", framework.SettingTo("center", "mean"), framework.SettingTo("center", "none"))
}

// LearnEncoded is Learn for the columns of Encode. The category s of a column,
// which the share f_s of the row weights has, gets the χ² scale √f_s whatever
// the kind of scaling, so that a row is
//
//	z_s = (1[row has s] − f_s) / √f_s
//
// where columns are centered at their means. The variance of z_s is 1 − f_s, and
// those of a column with m categories add up to m − 1.
//
// Source: Chavent, Lacaille, Mourer and Olteanu (2020), section 4.
func LearnEncoded(b *Builder, features []Feature, s Scaling) (Recipe, error) {
	r, _, err := learn(b, features, s)
	return r, err
}

// learn is LearnEncoded, which also returns what it has found of the columns.
func learn(b *Builder, features []Feature, s Scaling) (Recipe, []summary, error) {
	if len(features) != b.cols {
		panic(fmt.Sprintf("matrix: %d names for %d columns", len(features), b.cols))
	}
	if err := checkWeights(b.weights); err != nil {
		return Recipe{}, nil, err
	}
	if b.sparse != nil {
		if s.Center == "median" || s.Scale == "mad" {
			return Recipe{}, nil, noMedians(s)
		}
		features = slices.Clone(features)
		markFull(b, features)
	}
	columns := summarise(b, nil)
	var medians, deviations []float64
	if s.Center == "median" || s.Scale == "mad" {
		medians, deviations = medianAndDeviation(b, s.Scale == "mad")
	}
	r, err := learnFrom(columns, features, s, weighing{b.weights != nil, frequencies(b.weights)}, medians, deviations)
	return r, columns, err
}

// weighing is what a recipe needs to know of row weights.
type weighing struct {
	weighted bool // there are some
	whole    bool // all are whole numbers
}

// learnFrom makes a recipe of what is known of the columns; medians and deviations are
// those of the columns, if the scaling has any.
func learnFrom(columns []summary, features []Feature, s Scaling, w weighing, medians, deviations []float64) (Recipe, error) {
	r := Recipe{Scaling: s, Features: make([]Feature, len(columns))}
	whole := w.whole
	for l, c := range columns {
		f := features[l]
		f.Scale, f.Missing, f.Constant = 1, c.missing, !(c.min < c.max)
		switch {
		case c.mass == 0:
		case s.Center == "mean":
			f.Location = c.mean
		case s.Center == "median":
			f.Location = medians[l]
		}
		if f.Constant && c.mass > 0 && s.Center != "none" {
			f.Location = c.min // a mean of equal values may differ from them by rounding
		}
		if f.IsCategory() {
			f.Share = c.mean
		}
		if f.Full {
			if f.About = f.Location; s.Center == "none" && c.mass > 0 {
				f.About = c.mean
			}
		}
		if !f.Constant {
			f.Scale = c.spread(s.Scale, whole)
			switch {
			case f.IsCategory():
				f.Scale = math.Sqrt(f.Share)
			case s.Scale == "mad" && deviations[l] == 0:
				f.Scale, f.Instead = c.spread("sd", whole), true
			case s.Scale == "mad":
				f.Scale = deviations[l]
			}
			if f.Scale == 0 {
				f.Scale = 1
			}
		}
		if w.weighted && !finite(f.Scale, f.Location) && finite(float64(c.rows)*(c.max-c.min)) {
			return Recipe{}, tooHeavy()
		}
		if !finite(f.Scale, f.Location) {
			return Recipe{}, framework.Faultf(framework.Data, "values-too-large",
				"the values of column %q are too large to be scaled (from %g to %g)", f.Name, c.min, c.max).
				WithHint("divide the column by a constant, or leave it out with %s", framework.Setting("exclude"))
		}
		if !f.Constant && (f.Scale < smallestScale || c.spread("sd_n", whole)/f.Scale < smallestSpread) {
			return Recipe{}, tooSmall(f.Name, c, f.Scale < smallestScale)
		}
		r.Features[l] = f
	}
	return r, nil
}

const (
	smallestScale  = 0x1p-1022 // below it, a float64 has fewer digits
	smallestSpread = 1e-150    // of fitted cells: below it, their squares vanish
)

// tooSmall refuses a column whose differences would be lost.
func tooSmall(name string, c summary, scaled bool) *framework.Fault {
	f := framework.Faultf(framework.Data, "values-too-small",
		"the values of column %q differ by too little to be told apart (from %g to %g)", name, c.min, c.max)
	if scaled {
		return f.WithHint("multiply the column by a constant, or leave it out with %s", framework.Setting("exclude"))
	}
	return f.WithHint("use %s, multiply the column by a constant, or leave it out with %s",
		framework.SettingTo("scale", "sd"), framework.Setting("exclude"))
}

// Bounds of the sum of row weights: its products with squares of fitted cells
// keep their digits, and so do sums of these.
const (
	smallestWeight = 1e-150
	largestWeight  = 1e150
)

// checkWeights refuses row weights whose sum is out of bounds. A sum of 0 is
// none: all rows are left out of the moments.
func checkWeights(weights []float64) error {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	switch {
	case total > largestWeight:
		return tooHeavy()
	case 0 < total && total < smallestWeight:
		return framework.Faultf(framework.Data, "weights-too-small", "the row weights are too small: their sum is %.3g", total).
			At("weight").WithHint("multiply the column by a constant")
	}
	return nil
}

// tooHeavy refuses row weights with which sums over rows overflow, where those
// without weights do not.
func tooHeavy() *framework.Fault {
	return framework.Faultf(framework.Data, "weights-too-large", "the row weights are too large: sums over weighted rows overflow").
		At("weight").WithHint("divide the column by a constant")
}

func finite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, 0) || v != v })
}

// Apply maps the builder's original values in place, and describes the fitted
// columns. A missing cell stays one.
func (r Recipe) Apply(b *Builder) ([]framework.Column, error) { return r.apply(b, nil) }

// apply is Apply to values of which the summary is known; nil: it is not.
func (r Recipe) apply(b *Builder, known []summary) ([]framework.Column, error) {
	if len(r.Features) != b.cols {
		panic(fmt.Sprintf("matrix: a recipe of %d features for %d columns", len(r.Features), b.cols))
	}
	switch {
	case b.sparse != nil:
		if err := r.applySparse(b); err != nil {
			return nil, err
		}
		known = summariseSparse(b)
	case r.moves():
		known = summarise(b, r.scale)
	case known == nil:
		known = summarise(b, nil)
	}
	columns := make([]framework.Column, b.cols)
	for l, c := range known {
		f := r.Features[l]
		group := l
		if r.Groups != nil {
			group = f.Group
		}
		columns[l] = c.column(framework.Column{Name: f.Name, Group: group, Location: f.Location, Scale: f.Scale})
		if b.sparse != nil {
			shift(&columns[l], b.base[l])
		}
		largest := max(math.Abs(c.min), math.Abs(c.max))
		if err := r.checkSquares(l, !finite(c.squares), b.weights != nil && finite(float64(c.rows)*largest*largest)); err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// scale maps original values in place. A missing cell stays one.
func (r Recipe) scale(cells []float64) {
	for ; len(cells) >= len(r.Features) && len(cells) > 0; cells = cells[len(r.Features):] {
		for l := range r.Features {
			f := &r.Features[l]
			cells[l] = (cells[l] - f.Location) / f.Scale
		}
	}
}

// moves reports whether fitted values differ from original ones.
func (r Recipe) moves() bool {
	return slices.ContainsFunc(r.Features, func(f Feature) bool { return f.Location != 0 || f.Scale != 1 })
}

// Original returns the value in original units of a fitted value of column l.
func (r Recipe) Original(l int, fitted float64) float64 {
	return r.Features[l].Location + float64(fitted*r.Features[l].Scale)
}

// Fitted returns the fitted value of a value of column l in original units.
func (r Recipe) Fitted(l int, original float64) float64 {
	return (original - r.Features[l].Location) / r.Features[l].Scale
}
