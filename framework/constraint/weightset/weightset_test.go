package weightset_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// best returns the best weights of the set for the gains.
func best(t must.T, set framework.Set, gains ...float64) []float64 {
	return settest.Project(t, set, framework.Point{X: row(gains)}).Data
}

func row(w []float64) framework.Matrix { return framework.Matrix{Rows: 1, Cols: len(w), Data: w} }

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// value is what a Maximize set maximises.
func value(set framework.Set, w, gains []float64) float64 { return dot(w, gains) - set.Penalty(row(w)) }

// drawGains draws gains, many of which are equal, near each other, 0 or negative.
func drawGains(t *rapid.T) []float64 {
	p := rapid.IntRange(1, 9).Draw(t, "p")
	b := make([]float64, p)
	for i := range b {
		b[i] = float64(rapid.IntRange(-2, 6).Draw(t, "gain"))
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			b[i] += float64(rapid.IntRange(0, 1000).Draw(t, "fraction")) / 1000
		case 1:
			b[i] *= 1 + 1e-9*float64(rapid.IntRange(0, 3).Draw(t, "near"))
		}
	}
	return b
}

// drawSet draws one of the sets of weights for p features.
func drawSet(t *rapid.T, p int) framework.Set {
	if rapid.Bool().Draw(t, "bounded") {
		most := math.Sqrt(float64(p)) * 1.1
		return weightset.Bounded{L1: rapid.OneOf(rapid.Just(1.0), rapid.Just(math.Sqrt2), rapid.Float64Range(1, max(most, 1.1))).Draw(t, "l1")}
	}
	set := weightset.Grouped{Lambda: rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(0, 4)).Draw(t, "lambda")}
	groups := rapid.IntRange(1, p).Draw(t, "groups")
	set.Groups, set.Factors = make([][]int, groups), make([]float64, groups)
	for l := range p {
		g := rapid.IntRange(0, groups-1).Draw(t, "group")
		set.Groups[g] = append(set.Groups[g], l)
	}
	for g := range groups {
		set.Factors[g] = float64(rapid.IntRange(0, 3).Draw(t, "factor"))
	}
	return set
}

// bound returns the least upper bound of value by duality, which no feasible point
// can exceed:
//
//	bounded:  ⟨w,b⟩ ≤ Δ·s + ‖(b − Δ)₊‖₂  for each Δ ≥ 0, convex in Δ
//	grouped:  Σ_g ‖w_g‖ (‖b_g₊‖ − λa_g)  ≤ ‖((‖b_g₊‖ − λa_g)₊)_g‖₂
func bound(set framework.Set, gains []float64) float64 {
	switch s := set.(type) {
	case weightset.Bounded:
		dual := func(delta float64) float64 {
			var squares float64
			for _, b := range gains {
				squares += math.Pow(max(0, b-delta), 2)
			}
			return delta*s.L1 + math.Sqrt(squares)
		}
		low, high := 0.0, 10.0 // above every gain
		for range 200 {
			a, b := low+(high-low)/3, high-(high-low)/3
			if dual(a) <= dual(b) {
				high = b
			} else {
				low = a
			}
		}
		return min(dual(0), dual(low), dual(high))
	case weightset.Grouped:
		var squares float64
		for g, features := range s.Groups {
			var group float64
			for _, l := range features {
				group += math.Pow(max(0, gains[l]), 2)
			}
			squares += math.Pow(max(0, math.Sqrt(group)-s.Lambda*s.Factors[g]), 2)
		}
		return math.Sqrt(squares)
	}
	panic("no bound")
}

func TestBestWeightsAreFeasibleAndMeetTheBoundOfDuality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		set := drawSet(t, len(b))
		w := best(t, set, b...)
		if v := set.Violation(row(w)); v > 1e-14 {
			t.Fatalf("%+v of %v: %v is outside by %g", set, b, w, v)
		}
		if got, want := value(set, w, b), bound(set, b); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%+v of %v: %v has the value %v, and %v is the bound", set, b, w, got, want)
		}
	})
}

func TestNoFeasibleWeightsAreBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		set := drawSet(t, len(b))
		w := best(t, set, b...)
		most := value(set, w, b)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for range 200 {
			y := make([]float64, len(b))
			near := random.Float64()
			for i := range y {
				y[i] = max(0, w[i]*near+(1-near)*random.NormFloat64())
				if random.IntN(3) == 0 {
					y[i] = 0
				}
			}
			scale := math.Sqrt(dot(y, y))
			if s, ok := set.(weightset.Bounded); ok {
				var l1 float64
				for _, v := range y {
					l1 += v
				}
				scale = max(scale, l1/s.L1)
			}
			if scale == 0 {
				continue
			}
			for i := range y {
				y[i] /= scale // onto the border, where the best points are
			}
			if v := value(set, y, b); v > most+1e-12 {
				t.Fatalf("%+v of %v: %v has the value %v, but %v has %v", set, b, w, most, y, v)
			}
		}
	})
}

// TestWeightsMeetTheConditionsOfOptimality checks the conditions of Karush, Kuhn
// and Tucker: with Δ, ν ≥ 0, b − Δ − νw is 0 where w > 0, and at most 0 elsewhere;
// Δ > 0 only if ‖w‖₁ = s.
func TestWeightsMeetTheConditionsOfOptimality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		s := rapid.Float64Range(1, math.Sqrt(float64(len(b)))+0.1).Draw(t, "l1")
		w := best(t, weightset.Bounded{L1: s}, b...)
		var l1 float64
		large, small := -1, -1 // of positive weights
		for i, v := range w {
			l1 += v
			if v > 0 && (large < 0 || v > w[large]) {
				large = i
			}
			if v > 0 && (small < 0 || v < w[small]) {
				small = i
			}
		}
		if large < 0 {
			if dot(best(t, weightset.Bounded{L1: 1}, b...), b) > 0 {
				t.Fatalf("%v has weights of 0", b)
			}
			return
		}
		nu := 0.0
		switch {
		case l1 < s-1e-9:
			nu = b[large] / w[large]
		case w[large] > w[small]:
			nu = (b[large] - b[small]) / (w[large] - w[small])
		}
		if dot(w, w) < 1-1e-9 {
			nu = 0
		}
		delta := b[large] - nu*w[large]
		if delta < -1e-7 || delta > 1e-7 && l1 < s-1e-9 {
			t.Fatalf("Δ is %g, and ‖w‖₁ %g of %g", delta, l1, s)
		}
		for i := range w {
			// Gains that are 1e-9 apart leave ν known to 1e-7 only.
			rest := b[i] - delta - nu*w[i]
			if rest > 1e-6 || w[i] > 0 && rest < -1e-6 {
				t.Fatalf("%v, s = %g: weight %d of %v leaves %g", b, s, i, w, rest)
			}
		}
	})
}

func TestWeightsDoNotDependOnTheScaleOfGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		set := drawSet(t, len(b))
		c := math.Pow(10, float64(rapid.IntRange(-150, 150).Draw(t, "scale")))
		scaled := make([]float64, len(b))
		for i, v := range b {
			scaled[i] = c * v
		}
		w := best(t, set, b...)
		if s, ok := set.(weightset.Grouped); ok {
			for g := range s.Groups { // at a threshold, rounding decides
				if norm := groupNorm(b, s.Groups[g]); math.Abs(norm-s.Lambda*s.Factors[g]) < 1e-9 {
					return
				}
			}
			s.Lambda *= c
			set = s
		}
		if diff := cmp.Diff(w, best(t, set, scaled...), cmpopts.EquateApprox(0, 1e-7)); diff != "" {
			t.Fatalf("gains times %g: %s", c, diff)
		}
	})
}

func groupNorm(b []float64, of []int) float64 {
	var squares float64
	for _, l := range of {
		squares += math.Pow(max(0, b[l]), 2)
	}
	return math.Sqrt(squares)
}

func TestEqualGainsGetEqualWeightsWhereverTheyStand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		set := weightset.Bounded{L1: rapid.Float64Range(1, 3).Draw(t, "l1")}
		w := best(t, set, b...)
		order := rapid.Permutation(settest.Indices(len(b))).Draw(t, "order")
		moved := make([]float64, len(b))
		for i, from := range order {
			moved[i] = b[from]
		}
		again := best(t, set, moved...)
		for i, from := range order {
			if math.Abs(again[i]-w[from]) > 1e-14 {
				t.Fatalf("%v has weight %v, and %v elsewhere", b[from], w[from], again[i])
			}
			for j, v := range moved {
				if v == moved[i] && again[i] != again[j] {
					t.Fatalf("the gain %v has the weights %v and %v", v, again[i], again[j])
				}
			}
		}
	})
}

// TestBestWeightsByHand has cases that can be worked out on paper.
func TestBestWeightsByHand(t *testing.T) {
	half, fifth := math.Sqrt(0.5), math.Sqrt(0.2)
	single := [][]int{{0}, {1}, {2}}
	group := func(lambda float64, groups [][]int, factors ...float64) framework.Set {
		return weightset.Grouped{Lambda: lambda, Groups: groups, Factors: factors}
	}
	l1 := func(s float64) framework.Set { return weightset.Bounded{L1: s} }
	cases := map[string]struct {
		set         framework.Set
		gains, want []float64
	}{
		"no gain":                              {l1(1.2), []float64{0, 0, 0}, []float64{0, 0, 0}},
		"negative gains only":                  {l1(1.2), []float64{-1, -2}, []float64{0, 0}},
		"a negative gain beside another":       {l1(1.2), []float64{-1, 2}, []float64{0, 1}},
		"l1 = 1 keeps the largest":             {l1(1), []float64{1, 3, 2}, []float64{0, 1, 0}},
		"l1 = 1 shares among equals":           {l1(1), []float64{3, 1, 3}, []float64{0.5, 0, 0.5}},
		"l1 = √p bounds nothing":               {l1(math.Sqrt2), []float64{3, 4}, []float64{0.6, 0.8}},
		"l1 above √p bounds nothing":           {l1(9), []float64{3, 4}, []float64{0.6, 0.8}},
		"more equal maxima than l1²":           {l1(1.5), []float64{2, 2, 2, 1}, []float64{0.5, 0.5, 0.5, 0}},
		"as many equal maxima as l1²":          {l1(2), []float64{2, 2, 2, 2, 1}, []float64{0.5, 0.5, 0.5, 0.5, 0}},
		"‖w‖₁ = 3/√5 leaves out the least":     {l1(3 / math.Sqrt(5)), []float64{5, 4, 3}, []float64{2 * fifth, fifth, 0}}, // Δ = 3
		"rounding noise beside a gain":         {l1(1.2), []float64{1, 1e-30}, []float64{1, 0}},
		"one feature":                          {l1(1), []float64{7}, []float64{1}},
		"λ = 0 is the gains, normalised":       {group(0, single, 1, 1, 1), []float64{0, 3, 4}, []float64{0, 0.6, 0.8}},
		"single features are soft-thresholded": {group(1, single, 1, 1, 1), []float64{1, 2, 2}, []float64{0, half, half}},
		"all groups out":                       {group(5, single, 1, 1, 1), []float64{1, 2, 5}, []float64{0, 0, 0}},
		"a group goes as a whole":              {group(1, [][]int{{0, 1}, {2}}, 5, 0), []float64{3, 4, 1}, []float64{0, 0, 1}},
		"a group stays as a whole":             {group(1, [][]int{{0, 1}, {2}}, 1, 1), []float64{3, 4, 1}, []float64{0.6, 0.8, 0}},
		"noise above a threshold is noise":     {group(1, single, 1, 1, 1), []float64{1 + 4e-16, 1, 0.5}, []float64{0, 0, 0}},
		"a factor of 0 is no penalty":          {group(1e300, single, 1, 0, 1), []float64{1, 1e-300, 1}, []float64{0, 1, 0}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, c.want, best(t, c.set, c.gains...), cmpopts.EquateApprox(0, 1e-15))
		})
	}
}

func TestGroupsOfOneFeatureMeetTheBoundOfWittenAndTibshiraniAtTheSameThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawGains(t)
		lambda := rapid.Float64Range(0, 5).Draw(t, "lambda")
		groups, factors := make([][]int, len(b)), make([]float64, len(b))
		for l := range b {
			groups[l], factors[l] = []int{l}, 1
		}
		// Both subtract a threshold and normalise: λ here, Δ(s) there, so that
		// s = ‖w‖₁ gives the same w, unless equal gains leave Δ open.
		w := best(t, weightset.Grouped{Lambda: lambda, Groups: groups, Factors: factors}, b...)
		var l1 float64
		positive := map[float64]bool{}
		for i, v := range w {
			l1 += v
			if v > 0 {
				positive[b[i]] = true
			}
		}
		if len(positive) < 2 {
			return
		}
		if diff := cmp.Diff(w, best(t, weightset.Bounded{L1: l1}, b...), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Fatalf("λ = %g, ‖w‖₁ = %g: %s", lambda, l1, diff)
		}
	})
}

func TestBadSetsAndGainsAreRefused(t *testing.T) {
	groups := [][]int{{0}, {1}}
	cases := map[string]struct {
		set   framework.Set
		gains []float64
		want  string
	}{
		"l1 below 1": {weightset.Bounded{L1: 0.9}, []float64{1, 2},
			"bad-set: the bound of the sum of feature weights is 0.9; it must be at least 1"},
		"l1 NaN": {weightset.Bounded{L1: math.NaN()}, []float64{1, 2},
			"bad-set: the bound of the sum of feature weights is NaN; it must be at least 1"},
		"negative lambda": {weightset.Grouped{Lambda: -1, Groups: groups, Factors: []float64{1, 1}}, []float64{1, 2},
			"bad-set: lambda is -1; it must be a number that is not negative"},
		"infinite gain": {weightset.Bounded{L1: 1}, []float64{1, math.Inf(1)},
			"bad-point: entry (0, 1) of the point to project is +Inf; it must be finite"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := c.set.Project(framework.NewMatrix(1, 2), framework.Point{X: row(c.gains)})
			must.Fail(t, err, c.want)
		})
	}
}
