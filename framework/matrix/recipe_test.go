package matrix_test

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

var nan = math.NaN()

// fill returns a builder of one column.
func fill(t interface{ Fatal(...any) }, values, weights []float64) *matrix.Builder {
	b, err := matrix.NewBuilder(1, matrix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := b.Extend(len(values))
	if err != nil {
		t.Fatal(err)
	}
	copy(cells, values)
	if err := b.SetWeights(weights); err != nil {
		t.Fatal(err)
	}
	return b
}

func learn(t interface{ Fatal(...any) }, b *matrix.Builder, scale, center string) matrix.Recipe {
	s, err := matrix.ParseScale(scale, center)
	if err != nil {
		t.Fatal(err)
	}
	r, err := matrix.Learn(b, []string{"x"}, s)
	if err != nil {
		t.Fatal(err)
	}
	return r
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
			defer func() { _ = b.Discard() }()
			got := learn(t, b, c.scale, c.center).Features[0]
			want := matrix.Feature{Name: "x", Location: c.location, Scale: c.width, Missing: 1}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
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
			defer func() { _ = b.Discard() }()
			r := learn(t, b, "sd", "auto")
			if r.Features[0].Constant != c.want {
				t.Errorf("%+v", r.Features[0])
			}
			columns, err := r.Apply(b)
			if err != nil {
				t.Fatal(err)
			}
			if c.want && columns[0].SumSq != 0 {
				t.Errorf("a constant column has fitted values: %+v", columns[0])
			}
		})
	}
}

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
		for _, scale := range []string{"sd", "sd_n", "robust", "none"} {
			a, b := fill(t, values, weights), fill(t, repeated, nil)
			x, y := learn(t, a, scale, "auto").Features[0], learn(t, b, scale, "auto").Features[0]
			_, _ = a.Discard(), b.Discard()
			if math.Abs(x.Location-y.Location) > 1e-12 || math.Abs(x.Scale-y.Scale) > 1e-12 || x.Constant != y.Constant {
				t.Fatalf("scale=%s: weighted %+v, repeated %+v", scale, x, y)
			}
		}
	})
}

func TestEqualWeightsThatAreNoWholeNumberGiveTheScaleOfNoWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-5, 5), 2, 70).Draw(t, "values")
		weight := rapid.Float64Range(1e-3, 3).Filter(func(w float64) bool { return w != math.Trunc(w) }).Draw(t, "weight")
		for _, scale := range []string{"sd", "sd_n", "none"} {
			a, b := fill(t, values, slices.Repeat([]float64{weight}, len(values))), fill(t, values, nil)
			x, y := learn(t, a, scale, "auto").Features[0], learn(t, b, scale, "auto").Features[0]
			_, _ = a.Discard(), b.Discard()
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
			defer func() { _ = b.Discard() }()
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
	defer func() { _ = b.Discard() }()
	if got, want := learn(t, b, "sd", "auto").Features[0].Scale, math.Sqrt(27.0/8); math.Abs(got-want) > 1e-15 {
		t.Errorf("scale %v, want %v", got, want)
	}
}

func TestFittedColumnsAreDescribedByTheirCells(t *testing.T) {
	b := fill(t, []float64{1, nan, 5, 9}, []float64{1, 3, 2, 1})
	defer func() { _ = b.Discard() }()
	r := learn(t, b, "none", "auto") // weighted mean (1 + 10 + 9)/4 = 5
	got, err := r.Apply(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []framework.Column{{Name: "x", Location: 5, Scale: 1, Missing: 1, Mass: 4, Mean: 0, SumSq: 32, Min: -4, Max: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if v := b.Values().Data; v[0] != -4 || v[1] == v[1] || v[2] != 0 || v[3] != 4 {
		t.Errorf("fitted values %v", v)
	}
	if r.Original(0, -4) != 1 || r.Fitted(0, 9) != 4 {
		t.Error("original and fitted units do not agree")
	}
}

func TestARecipeSurvivesItsText(t *testing.T) {
	b := fill(t, []float64{0.1, 0.7, 1e-300}, nil)
	defer func() { _ = b.Discard() }()
	r := learn(t, b, "sd", "auto")
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back matrix.Recipe
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
}

func TestLargeValuesAreScaledOrRefusedByName(t *testing.T) {
	b := fill(t, []float64{1e150, -1e150, 0}, nil)
	defer func() { _ = b.Discard() }()
	if got := learn(t, b, "sd", "auto").Features[0]; got.Scale != 1e150 { // sd of 1, −1, 0 is 1
		t.Errorf("got %+v", got)
	}
	huge := fill(t, []float64{1e200, -1e200, 0}, nil)
	defer func() { _ = huge.Discard() }()
	s, _ := matrix.ParseScale("sd", "auto")
	_, err := matrix.Learn(huge, []string{"mass"}, s)
	if f := framework.AsFault(err); f == nil || f.Code != "values-too-large" || f.Summary != `the values of column "mass" are too large to be scaled (from -1e+200 to 1e+200)` {
		t.Errorf("got %v", err)
	}
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
		r, err := matrix.Learn(b, make([]string, 5), s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Apply(b)
		if err != nil {
			t.Fatal(err)
		}
		_ = b.Discard()
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
	defer func() { _ = m.Discard() }()
	s, _ := matrix.ParseScale("sd", "auto")
	b.SetBytes(200_000 * 100 * 8)
	for b.Loop() {
		r, err := matrix.Learn(m, make([]string, 100), s)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Apply(m); err != nil {
			b.Fatal(err)
		}
	}
}
