package declare_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLimitsTooLargeToBeSquaredAreReportedTogether(t *testing.T) {
	rows := []framework.ConstraintRow{
		{Kind: "box", Feature: new("age"), Lo: new(-1e200), Hi: new(1e200)},
		{Kind: "box", Name: "thin", Feature: new("thin"), Hi: new(1.0)}, // 1e200 scales
		{Kind: "box", Name: "open", Feature: new("income"), Lo: new(math.Inf(-1)), Hi: new(math.Inf(1))},
		{Kind: "box", Name: "wide", Feature: new("wide"), Lo: new(1e200)}, // one scale
		{Kind: "box", Name: "all", Lo: new(1e300)},
		{Kind: "fixed", Feature: new("age"), Value: new(1e200)},
		{Kind: "halfspace", Name: "coef", Feature: new("age"), Coef: new(1e308), Hi: new(1.0)},
		{Kind: "halfspace", Name: "equal", Feature: new("age"), Coef: new(1e200), Hi: new(1e200)}, // a value of 1
		{Kind: "halfspace", Name: "quotient", Feature: new("age"), Coef: new(1e-100), Lo: new(math.Inf(-1)), Value: new(1e100)},
		{Kind: "halfspace", Name: "between", Cluster: new(0), Feature: new("age"), Coef: new(1.0), Lo: new(-1e200)},
		{Kind: "halfspace", Name: "between", Cluster: new(1), Feature: new("age"), Coef: new(-1.0)},
		{Kind: "l1_ball", Feature: new("as it is"), Value: new(1e200)},
		{Kind: "l2_ball", Feature: new("as it is"), Value: new(1e200)},
		{Kind: "simplex", Feature: new("as it is"), Value: new(1e200)},
		{Kind: "monotone", Feature: new("age"), Value: new(-1e200)}, // places, which have no units
		{Kind: "monotone", Feature: new("income"), Value: new(1e200)},
	}
	const large, why = ", which is too large", ": sums of squares overflow; for no limit, use NULL, or Infinity as lo or hi"
	want := []string{
		"box \"all\": lo is 1e+300" + large + why,
		"box \"thin\", feature thin: hi is 1" + large + why,
		"box, feature age: hi is 1e+200" + large + why,
		"box, feature age: lo is -1e+200" + large + why,
		"fixed, feature age: value is 1e+200" + large + why,
		`halfspace "between": lo is -1e+200` + large + " beside the smallest coef" + why,
		`halfspace "coef": coef is too large: sums overflow`,
		`halfspace "quotient": value is 1e+100` + large + " beside the smallest coef" + why,
		"l1_ball: value is 1e+200" + large + why,
		"l2_ball: value is 1e+200" + large + why,
		"simplex: value is 1e+200" + large + why,
	}
	columns := append(people(), framework.Column{Name: "thin", Scale: 1e-200}, framework.Column{Name: "wide", Scale: 1e200},
		framework.Column{Name: "as it is", Scale: 1})
	_, err := declare.Rows(rows, framework.Problem{K: 2, Columns: columns})
	f := must.Fault(t, err, "bad-constraints")
	must.Equal(t, want, f.Details)
}

// Sums of squares as large as the largest float64 would not leave room for those
// of data; 1e140 leaves it for 1e20 cells and more.
func TestLimitsAreRefusedWhereSquaresOfCentersOverflow(t *testing.T) {
	for _, kind := range declare.Kinds() {
		if kind == "sparsity" || kind == "monotone" || kind == "nonnegative" {
			continue // limits of this kind have no unit
		}
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k, columns := rapid.IntRange(1, 3).Draw(t, "k"), raw()
				mass := float64(rapid.IntRange(0, 1_000_000).Draw(t, "mass"))
				for l := range columns {
					columns[l].Mass = mass
				}
				rows := drawRows(t, kind, k, columns)
				by := math.Pow(10, rapid.Float64Range(0, 300).Draw(t, "power"))
				var largest float64
				for i := range rows {
					for _, v := range []**float64{&rows[i].Lo, &rows[i].Hi, &rows[i].Value} {
						if *v != nil {
							*v = new(**v * by)
							largest = max(largest, math.Abs(**v))
						}
					}
				}
				d, err := declare.Rows(rows, framework.Problem{K: k, Columns: columns})
				if err != nil {
					if f := framework.AsFault(err); strings.Contains(err.Error()+strings.Join(f.Details, ""), "too large") {
						if largest < 1e140 {
							t.Errorf("%s: a limit of %g is refused: %v", show(rows), largest, err)
						}
						return
					}
					discardExcluded(t, err)
				}
				y := framework.NewMatrix(k, len(columns))
				for i := range y.Data {
					y.Data[i] = settest.Number(t, "x")
				}
				y = settest.Project(t, d, framework.Point{X: y})
				var sum float64
				for _, v := range y.Data {
					sum += max(1, mass) * v * v * 4 // for a point as far away on the other side
				}
				if math.IsInf(sum, 0) || math.IsNaN(sum) {
					t.Errorf("%s: the center %v is too far away for squares of %g rows", show(rows), y.Data, mass)
				}
			})
		})
	}
}

// The mean of a standardized column is 0 but for rounding.
func TestGainsOfMeansThatAreHeldFarAwayAreFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SampledFrom([]float64{1e-170, 1e-18, -1e-15, 1e-9, 3, -1e10}).Draw(t, "mean")
		v := rapid.SampledFrom([]float64{-1e151, 1e149, 1e145, -1e100, 7}).Draw(t, "center")
		const mass = 178.0 // rows of wine
		gains := []float64{mass * x * x}
		underflows := gains[0] == 0
		constraint.HeldBack(gains, []float64{x}, []float64{v})
		want := float64(mass*x*x) - float64(mass*(x-v)*(x-v)) // m x² − m (x − v)²
		if underflows {
			want = 0 // the mean is practically 0, and so is its gain
		}
		if !(math.Abs(gains[0]-want) <= 1e-12*mass*(x*x+(x-v)*(x-v))) { // the terms, which may cancel
			t.Errorf("mean %g held at %g: the gain is %g, want %g", x, v, gains[0], want)
		}
	})
}
