package matrix_test

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

var nan = math.NaN()

// fill returns a builder of one column.
func fill(t test, values, weights []float64) *matrix.Builder {
	return rowsOf(t, 1, asRows(values), weights)
}

func learn(t must.T, b *matrix.Builder, scale, center string) matrix.Recipe {
	s := must.Get(matrix.ParseScale(scale, center))(t)
	return must.Get(matrix.Learn(b, []string{"x"}, s))(t)
}

func TestLocationAndScaleOfEachKind(t *testing.T) {
	values := []float64{1, 2, nan, 4, 9} // observed: mean 4, squares about it 9+4+0+25 = 38, median 3
	cases := map[string]struct {
		scale, center   string
		location, width float64
	}{
		"sd":            {"sd", "auto", 4, math.Sqrt(38.0 / 3)},
		"sd_n":          {"sd_n", "auto", 4, math.Sqrt(38.0 / 4)},
		"robust":        {"robust", "auto", 3, 1.5}, // distances 2 1 1 6
		"none":          {"none", "auto", 4, 1},
		"raw":           {"raw", "auto", 0, 1},
		"sd at medians": {"sd", "median", 3, math.Sqrt(38.0 / 3)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := fill(t, values, nil)
			got := learn(t, b, c.scale, c.center).Features[0]
			want := matrix.Feature{Name: "x", Location: c.location, Scale: c.width, Missing: 1}
			must.Equal(t, want, got)
		})
	}
}

func TestAColumnThatIsMostlyOneValueIsScaledByItsStandardDeviationWhenRobust(t *testing.T) {
	b := fill(t, []float64{0, 0, 0, 0, 5}, nil) // median 0, distances 0 0 0 0 5: their median is 0; mean 1, squares about it 4·1 + 16 = 20
	want := matrix.Feature{Name: "x", Location: 0, Scale: math.Sqrt(20.0 / 4), Instead: true}
	must.Equal(t, want, learn(t, b, "robust", "auto").Features[0])
}

func TestAColumnIsConstantIffItsLargestValueIsItsSmallest(t *testing.T) {
	tenths := slices.Repeat([]float64{0.1}, 150) // their computed sd is 2.5e-16
	cases := map[string]struct {
		values []float64
		want   bool
	}{
		"150 copies of 0.1":    {tenths, true},
		"one differs by 1 ulp": {append(slices.Clone(tenths), math.Nextafter(0.1, 1)), false},
		"one value":            {[]float64{7}, true},
		"no value":             {[]float64{nan, nan}, true},
		"one observed":         {[]float64{nan, 3}, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b := fill(t, c.values, nil)
			r := learn(t, b, "sd", "auto")
			if r.Features[0].Constant != c.want {
				t.Errorf("%+v", r.Features[0])
			}
			columns := must.Get(r.Apply(b))(t)
			if c.want && columns[0].SumSq != 0 {
				t.Errorf("a constant column has fitted values: %+v", columns[0])
			}
		})
	}
}

// gonum is the oracle of means and standard deviations.
func TestAWeightIsThatManyRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		var values, weights, repeated []float64
		for range n {
			v, w := float64(rapid.IntRange(-5, 5).Draw(t, "value")), rapid.IntRange(0, 3).Draw(t, "weight")
			if rapid.IntRange(0, 5).Draw(t, "hole") == 0 {
				v = nan
			}
			values, weights = append(values, v), append(weights, float64(w))
			for range w {
				repeated = append(repeated, v)
			}
		}
		observed := slices.DeleteFunc(slices.Clone(repeated), func(v float64) bool { return v != v })
		for scale, spread := range map[string]func(x, weights []float64) float64{
			"sd": stat.StdDev, "sd_n": stat.PopStdDev, "robust": nil, "none": func(_, _ []float64) float64 { return 1 },
		} {
			a, b := fill(t, values, weights), fill(t, repeated, nil)
			x, y := learn(t, a, scale, "auto").Features[0], learn(t, b, scale, "auto").Features[0]
			if math.Abs(x.Location-y.Location) > 1e-12 || math.Abs(x.Scale-y.Scale) > 1e-12 || x.Constant != y.Constant {
				t.Fatalf("scale=%s: weighted %+v, repeated %+v", scale, x, y)
			}
			if y.Constant || spread == nil {
				continue
			}
			if mean, want := stat.Mean(observed, nil), spread(observed, nil); math.Abs(y.Location-mean) > 1e-12 || math.Abs(y.Scale-want) > 1e-12 {
				t.Fatalf("scale=%s: %+v of %v, want %v and %v", scale, y, observed, mean, want)
			}
		}
	})
}

func TestEqualWeightsThatAreNoWholeNumberGiveTheScaleOfNoWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 70).
			Filter(func(v []float64) bool { return slices.Max(v)-slices.Min(v) > 1e-100 }).Draw(t, "values") // their squares are numbers
		weight := rapid.Float64Range(1e-3, 3).Filter(func(w float64) bool { return w != math.Trunc(w) }).Draw(t, "weight")
		for _, scale := range []string{"sd", "sd_n", "none"} {
			a, b := fill(t, values, slices.Repeat([]float64{weight}, len(values))), fill(t, values, nil)
			x, y := learn(t, a, scale, "auto").Features[0], learn(t, b, scale, "auto").Features[0]
			if math.Abs(x.Location-y.Location) > 1e-12 || math.Abs(x.Scale-y.Scale) > 1e-12*y.Scale {
				t.Fatalf("scale=%s: weighted %+v, without weights %+v", scale, x, y)
			}
		}
	})
}

func TestWeightsAroundATotalOfOneScaleLikeAnyOthers(t *testing.T) {
	values := make([]float64, 60)
	for i := range values {
		values[i] = float64(i)
	}
	const sd = 17.46424919657298 // √305: the variance of 0..n−1 is n(n+1)/12
	for name, total := range map[string]float64{"one": 1, "a bit less": 0.999, "a bit more": 1.001, "tiny": 1e-9} {
		t.Run(name, func(t *testing.T) {
			b := fill(t, values, slices.Repeat([]float64{total / 60}, 60))
			if got := learn(t, b, "sd", "auto").Features[0].Scale; math.Abs(got-sd) > 1e-12 {
				t.Errorf("scale %v, want %v", got, sd)
			}
		})
	}
}

func TestRowsOfWeightZeroDoNotCountInTheScale(t *testing.T) {
	values, weights := []float64{0, 3, nan, 99}, []float64{0.25, 0.75, 1, 0}
	// Observed with a weight: 0 (¼) and 3 (¾). The mean is 9/4, Σ w (x − mean)² = 81/64 + 27/64
	// = 27/16, over Σ w = 1 that is the same, times rows/(rows − 1) = 2.
	b := fill(t, values, weights)
	if got, want := learn(t, b, "sd", "auto").Features[0].Scale, math.Sqrt(27.0/8); math.Abs(got-want) > 1e-15 {
		t.Errorf("scale %v, want %v", got, want)
	}
}

func TestFittedColumnsAreDescribedByTheirCells(t *testing.T) {
	b := fill(t, []float64{1, nan, 5, 9}, []float64{1, 3, 2, 1})
	r := learn(t, b, "none", "auto") // weighted mean (1 + 10 + 9)/4 = 5
	got := must.Get(r.Apply(b))(t)
	want := []framework.Column{{Name: "x", Location: 5, Scale: 1, Missing: 1, Mass: 4, Mean: 0, SumSq: 32, Min: -4, Max: 4}}
	must.Equal(t, want, got)
	if v := b.Values().Data; v[0] != -4 || v[1] == v[1] || v[2] != 0 || v[3] != 4 {
		t.Errorf("fitted values %v", v)
	}
	if r.Original(0, -4) != 1 || r.Fitted(0, 9) != 4 {
		t.Error("original and fitted units do not agree")
	}
}

func TestARecipeSurvivesItsText(t *testing.T) {
	b := fill(t, []float64{0.1, 0.7, 1e-300}, nil)
	r := learn(t, b, "sd", "auto")
	text := must.Get(json.Marshal(r))(t)
	var back matrix.Recipe
	must.Do(t, json.Unmarshal(text, &back))
	must.Equal(t, r, back)
}

func TestLargeValuesAreScaledOrRefusedByName(t *testing.T) {
	b := fill(t, []float64{1e150, -1e150, 0}, nil)
	if got := learn(t, b, "sd", "auto").Features[0]; got.Scale != 1e150 { // sd of 1, −1, 0 is 1
		t.Errorf("got %+v", got)
	}
	huge := fill(t, []float64{1.5e308, 1.5e308, -1.5e308}, nil) // the sum of the first two is no float64
	s, _ := matrix.ParseScale("sd", "auto")
	_, err := matrix.Learn(huge, []string{"mass"}, s)
	if f := framework.AsFault(err); f == nil || f.Code != "values-too-large" ||
		f.Summary != `the values of column "mass" are too large to be scaled (from -1.5e+308 to 1.5e+308)` {
		t.Errorf("got %v", err)
	}
}

// A power of two changes the exponents of all numbers and nothing else, so that
// even the bits of the fitted cells must be the same.
func TestTheSizeOfTheUnitOfAColumnChangesNoFittedCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5).Filter(func(v float64) bool { return v == 0 || math.Abs(v) > 1e-9 }), 2, 40).
			Filter(func(v []float64) bool { return slices.Max(v)-slices.Min(v) > 1e-6 }).Draw(t, "values")
		exponent := rapid.IntRange(-900, 900).Draw(t, "exponent") // 1e-271 to 1e271
		scale := rapid.SampledFrom([]string{"sd", "sd_n", "robust"}).Draw(t, "scale")
		other := make([]float64, len(values))
		for i, v := range values {
			other[i] = math.Ldexp(v, exponent)
		}
		a, b := fill(t, values, nil), fill(t, other, nil)
		x, y := learn(t, a, scale, "auto"), learn(t, b, scale, "auto")
		if x.Features[0].Scale == 1 { // the median distance is 0
			return
		}
		if y.Features[0].Scale != math.Ldexp(x.Features[0].Scale, exponent) ||
			y.Features[0].Location != math.Ldexp(x.Features[0].Location, exponent) {
			t.Fatalf("%+v, and times 2^%d %+v", x.Features[0], exponent, y.Features[0])
		}
		columns := must.Get(x.Apply(a))(t)
		others := must.Get(y.Apply(b))(t)
		must.Equal(t, a.Values().Data, b.Values().Data)
		if columns[0].SumSq != others[0].SumSq {
			t.Fatalf("sums of squares %v and %v", columns[0].SumSq, others[0].SumSq)
		}
	})
}

func TestValuesWhoseSquaresVanishAreRefusedByName(t *testing.T) {
	for name, c := range map[string]struct {
		values []float64
		scale  string
		want   string
	}{
		"without a scale": {[]float64{1e-200, 2e-200, 4e-200}, "none",
			"use scale = sd, multiply the column by a constant, or leave it out with exclude"},
		"denormal": {[]float64{5e-324, 1e-323, 0}, "sd", "multiply the column by a constant, or leave it out with exclude"},
	} {
		t.Run(name, func(t *testing.T) {
			b := fill(t, c.values, nil)
			s, _ := matrix.ParseScale(c.scale, "auto")
			_, err := matrix.Learn(b, []string{"mass"}, s)
			if f := framework.AsFault(err); f == nil || f.Code != "values-too-small" || f.Render(nil).Hint != c.want {
				t.Errorf("got %v", err)
			}
		})
	}
	same := fill(t, []float64{1e-200, 1e-200}, nil) // a constant column is no error
	if got := learn(t, same, "none", "auto").Features[0]; !got.Constant {
		t.Errorf("got %+v", got)
	}
}

// Eighths near 1e15 are neighbours in a float64, so that no mean between them
// is one, and taking 1e15 away is exact.
func TestTheScaleIsThatOfTheColumnWithoutItsOffset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9000).Draw(t, "n") // three blocks
		step := rapid.IntRange(1, 50).Draw(t, "step")
		near, far := make([]float64, n), make([]float64, n)
		for i := range near {
			near[i] = float64(i*step%17) / 8
			far[i] = 1e15 + near[i]
		}
		a, b := fill(t, near, nil), fill(t, far, nil)
		x, y := learn(t, a, "sd", "auto").Features[0], learn(t, b, "sd", "auto").Features[0]
		if math.Abs(x.Scale-y.Scale) > 1e-13*x.Scale || math.Abs(y.Location-1e15-x.Location) > 1.0/16 {
			t.Fatalf("n = %d, step %d: %+v near 0, %+v near 1e15", n, step, x, y)
		}
	})
}

func TestTheNumberOfProcessorsChangesNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var want []framework.Column
	for _, n := range []int{1, 2, 3} {
		runtime.GOMAXPROCS(n)
		b := build(t, matrix.Memory, 20_001, 5) // five blocks, the last partial
		for i, v := range b.Values().Data {
			b.Values().Data[i] = math.Sin(v)
		}
		s, _ := matrix.ParseScale("sd", "auto")
		r := must.Get(matrix.Learn(b, make([]string, 5), s))(t)
		got := must.Get(r.Apply(b))(t)
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d processors: %s", n, diff)
		}
	}
}

func TestUnknownScalingsAreRefused(t *testing.T) {
	for _, c := range [][2]string{{"sdev", "auto"}, {"sd", "middle"}} {
		if _, err := matrix.ParseScale(c[0], c[1]); framework.AsFault(err) == nil {
			t.Errorf("%v: got %v", c, err)
		}
	}
}

func BenchmarkLearnAndApply(b *testing.B) {
	m := build(b, matrix.Memory, 200_000, 100)
	s, _ := matrix.ParseScale("sd", "auto")
	b.SetBytes(200_000 * 100 * 8)
	for b.Loop() {
		r := must.Get(matrix.Learn(m, make([]string, 100), s))(b)
		must.Get(r.Apply(m))(b)
	}
}
