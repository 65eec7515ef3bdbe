package matrix_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// digits of a big.Float that hold every sum of these tests without rounding: bits of products of a value and a weight
// lie between 2⁻²⁰⁰ and 2¹⁰⁰.
const digits = 400

func exact(v float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(v) }

// exactMean returns Σ w x / Σ w, and Σ w |x − the first| / Σ w with the size of the first: what there is to cancel.
func exactMean(values, weights []float64) (mean *big.Float, size float64) {
	sum, absolute, mass := exact(0), exact(0), exact(0)
	for i, v := range values {
		w := exact(1)
		if weights != nil {
			w = exact(weights[i])
		}
		mass.Add(mass, w)
		sum.Add(sum, new(big.Float).SetPrec(digits).Mul(w, exact(v)))
		distance := new(big.Float).SetPrec(digits).Sub(exact(v), exact(values[0]))
		absolute.Add(absolute, new(big.Float).SetPrec(digits).Mul(w, distance.Abs(distance)))
	}
	size, _ = absolute.Quo(absolute, mass).Float64()
	return sum.Quo(sum, mass), size + math.Abs(values[0])
}

// A mean is at most one float64 away from the exact one, unless nearly all digits of the column cancel.
func TestMeansAreThoseOfExactSums(t *testing.T) {
	value := rapid.OneOf(rapid.Map(rapid.IntRange(-500_000, 500_000), func(v int) float64 { return float64(v) / 1e5 }),
		rapid.SampledFrom([]float64{0, 1, -1, 0.1, 1e9 + 0.3, -1e9, 1e16, -1e16, 1e-9}),
		rapid.Map(rapid.IntRange(-60, 60), func(e int) float64 { return math.Ldexp(1.1, e) }))
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(value, 1, 100).Draw(t, "values")
		var weights []float64
		if rapid.Bool().Draw(t, "weighted") {
			weights = rapid.SliceOfN(rapid.Float64Range(1e-3, 1e6), len(values), len(values)).Draw(t, "weights")
		}
		b := fill(t, values, weights)
		got := learn(t, b, "raw", "mean").Features[0].Location
		mean, size := exactMean(values, weights)
		want, _ := mean.Float64()
		ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		if math.Abs(got-want) > ulp+0x1p-90*size { // 2⁻⁹⁰: 100 sums that each lose about 2⁻¹⁰⁴
			t.Fatalf("mean of %v, weights %v: %v, want %v", values, weights, got, want)
		}
	})
}

// A quotient of two whole numbers is not near the middle of two float64, so that the exact mean has but one rounding.
func TestTheMeanOfZerosAndOnesIsTheShareOfOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10_000).Draw(t, "n") // up to two blocks
		first := rapid.IntRange(0, n).Draw(t, "first")
		last := rapid.IntRange(first, n).Draw(t, "last")
		swap := float64(rapid.IntRange(0, 1).Draw(t, "outside"))
		values, ones := make([]float64, n), 0
		for i := range values {
			if values[i] = swap; first <= i && i < last {
				values[i] = 1 - swap
			}
			ones += int(values[i])
		}
		b := fill(t, values, nil)
		if got, want := learn(t, b, "raw", "mean").Features[0].Location, float64(ones)/float64(n); got != want {
			t.Fatalf("%d ones of %d: mean %v, want %v", ones, n, got, want)
		}
	})
}

// Sixty rows, one of which is 0 or 1 unlike the others: the means 1/60 and 59/60 by hand.
func TestTheMeanIsExactWhereTheFirstRowIsLikeNoOther(t *testing.T) {
	for at := range 60 {
		for _, other := range []float64{0, 1} {
			values := make([]float64, 60)
			for i := range values {
				values[i] = other
			}
			values[at] = 1 - other
			want := 1.0 / 60
			if other == 1 {
				want = 59.0 / 60
			}
			b := fill(t, values, nil)
			if got := learn(t, b, "sd", "auto").Features[0].Location; got != want {
				t.Errorf("row %d is %v: mean %v, want %v", at, values[at], got, want)
			}
		}
	}
}

// The weights are too large in the first three cases by themselves, in the last by their products with squares of
// values that could be added up without weights.
func TestWeightsThatOverflowAreBlamedAndNotTheValues(t *testing.T) {
	for name, weights := range map[string][]float64{
		"sum": {1e308, 1e308, 1}, "squares": {1e307, 1e307, 1e306}, "one": {1, 1e300, 1}, "product": {1e149, 1e149, 1},
	} {
		for _, values := range [][]float64{{1, 2, 30}, {7, 7, 7}} {
			if name == "product" {
				values = []float64{1e100, 2e100, values[2]}
			}
			t.Run(fmt.Sprint(name, values), func(t *testing.T) {
				b := fill(t, values, weights)
				s, _ := matrix.ParseScale("raw", "auto")
				r, err := matrix.Learn(b, []string{"x"}, s)
				if err == nil {
					_, err = r.Apply(b)
				}
				f := framework.AsFault(err)
				if f == nil || f.Code != "weights-too-large" || f.Where != framework.Setting("weight") {
					t.Errorf("got %v", err)
				}
			})
		}
	}
	light := fill(t, []float64{1, 2, 3}, []float64{1e-320, 0, 1e-310})
	s, _ := matrix.ParseScale("sd", "auto")
	if _, err := matrix.Learn(light, []string{"x"}, s); framework.AsFault(err) == nil || framework.AsFault(err).Code != "weights-too-small" {
		t.Errorf("got %v", err)
	}
	huge := fill(t, []float64{1e200, -1e200, 0}, []float64{1, 2, 3}) // here the values are
	r := learn(t, huge, "raw", "auto")
	if _, err := r.Apply(huge); framework.AsFault(err) == nil || framework.AsFault(err).Code != "values-too-large" {
		t.Errorf("got %v", err)
	}
}

// A power of two changes no digit of the weights' sums, so that means and scales keep their bits.
func TestTheSizeOfTheUnitOfWeightsChangesNothing(t *testing.T) {
	values := []float64{0.1, 2, 3.7, -5, 2}
	for _, exponent := range []int{-480, -10, 480} { // about 1e-145 and 1e145
		weights, other := []float64{0.3, 1.7, 2, 0.1, 0}, make([]float64, 5)
		for i, w := range weights {
			other[i] = math.Ldexp(w, exponent)
		}
		a, b := fill(t, values, weights), fill(t, values, other)
		x, y := learn(t, a, "sd_n", "auto").Features[0], learn(t, b, "sd_n", "auto").Features[0]
		if x != y {
			t.Errorf("weights times 2^%d: %+v, want %+v", exponent, y, x)
		}
	}
}
