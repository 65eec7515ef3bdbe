// Package weightset holds the sets that feature weights are chosen from. Given the
// gains b of p features, Project writes the best weights w of the set: those that
// maximise ⟨w, b⟩, less a penalty. It does not project weights onto the set: given
// some w, Project writes other weights. Equal gains get equal weights.
package weightset

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// negligible is the share of the largest weight, or of a group's threshold, up to
// which a weight is rounding noise and becomes 0.
const negligible = 1e-12

// Bounded is the set of feature weights {w ≥ 0, ‖w‖₂ ≤ 1, ‖w‖₁ ≤ L1}.
// Its best point for the gains b is max(0, b − Δ), normalised. Δ is 0 if that keeps
// ‖w‖₁ ≤ L1, and otherwise such that ‖w‖₁ = L1. It has a closed form once sorting
// has told how many gains are above it.
//
// Source: Witten and Tibshirani (2010), A framework for feature selection in
// clustering, proposition 1, https://doi.org/10.1198/jasa.2010.tm09415. They
// find Δ by bisection.
type Bounded struct {
	L1 float64 // at least 1; from √p on it has no effect
}

// Grouped is the set of feature weights {w ≥ 0, ‖w‖₂ ≤ 1} with the penalty
// Lambda · Σ_g Factors_g ‖w_g‖₂ over the groups g of features. In its best point
// all weights of a group of small gain are 0.
//
// Source: Chavent, Lacaille, Mourer and Olteanu (2020), Sparse k-means for
// mixed data via group-sparse clustering, equations 4 to 6.
type Grouped struct {
	Lambda  float64   // at least 0
	Groups  [][]int   // the features of each group; each feature is in one
	Factors []float64 // by group, at least 0
}

var (
	_ framework.Set = Bounded{}
	_ framework.Set = Grouped{}
)

// Vanishing returns the smallest Lambda at which all weights are 0 for the gains
// (length p): max_g ‖b_g‖ / a_g, over the groups with a factor a_g above 0.
func (s Grouped) Vanishing(gains []float64) float64 {
	lambda := 0.0
	for g, features := range s.Groups {
		if s.Factors[g] > 0 {
			lambda = max(lambda, normOf(gains, features)/s.Factors[g])
		}
	}
	return lambda
}

// Properties implements framework.Set.
func (Bounded) Properties() framework.Properties {
	return framework.Properties{Kind: "bounded_weights", Maximize: true, Convex: true, RowWise: true}
}

// Properties implements framework.Set.
func (Grouped) Properties() framework.Properties {
	return framework.Properties{Kind: "grouped_weights", Maximize: true, Convex: true, RowWise: true}
}

// Project implements framework.Set: it writes to dst the w of the set that maximises
// ⟨w, b⟩, where b are the gains at.X (1×p). Of several it is the one of least norm:
// 0 if no gain is above 0, and equal weights for equal gains. It returns a Fault if
// L1 is below 1 or a gain is not finite. It takes O(p log p).
func (s Bounded) Project(dst framework.Matrix, at framework.Point) error {
	if !(s.L1 >= 1) {
		return framework.Faultf(framework.Data, "bad-set", "the bound of the sum of feature weights is %g; it must be at least 1", s.L1)
	}
	largest, err := gains(dst, at)
	if err != nil || largest == 0 {
		return err
	}
	w := dst.Data
	var l1, l2 float64
	top := 0 // the gains that equal the largest
	for i, b := range w {
		if b == largest {
			top++
		}
		w[i] = b / largest
		l1, l2 = l1+w[i], l2+float64(w[i]*w[i])
	}
	switch {
	case l1 <= s.L1*math.Sqrt(l2):
	case float64(top) >= s.L1*s.L1:
		// Only ‖w‖₁ binds: every way to share it among the largest gains is as good.
		for i, b := range at.X.Data {
			w[i] = 0
			if b == largest {
				w[i] = s.L1 / float64(top)
			}
		}
		return nil
	default:
		s.threshold(w, at.X.Data, largest)
	}
	normalise(w)
	return nil
}

// threshold writes max(0, b − Δ) to w, in units of the largest gain.
//
// With t the distances of the gains from the largest one, sorted, and q gains
// above Δ, ‖w‖₁ = s‖w‖₂ is a quadratic equation whose solution is
//
//	largest − Δ = t̄_q + s √(V_q / (q (q − s²)))
//
// t̄_q being the mean and V_q the sum of squared deviations of the q smallest t.
// The least q > s² for which that is not above t_(q+1) is the right one. Distances
// from the largest gain avoid cancellation where gains are close.
func (s Bounded) threshold(w, gains []float64, largest float64) {
	t := make([]float64, 0, len(w))
	for i, b := range gains {
		w[i] = (largest - b) / largest
		if b > 0 {
			t = append(t, w[i])
		}
	}
	slices.Sort(t)
	bound := float64(s.L1 * s.L1)
	cut, mean, squares := 1.0, 0.0, 0.0
	for i, v := range t {
		q := float64(i + 1)
		d := v - mean
		mean += d / q
		squares += float64(d * (v - mean))
		if q <= bound {
			continue
		}
		cut = min(1, mean+float64(s.L1*math.Sqrt(squares/(q*(q-bound)))))
		if i+1 == len(t) || cut <= t[i+1] {
			break
		}
	}
	for i, v := range w {
		w[i] = max(0, cut-v)
	}
}

// Project implements framework.Set: it writes to dst the w of the set that maximises
// ⟨w, b⟩ − Penalty(w), where b are the gains at.X (1×p). It is 0 if no group's gain
// is above the penalty; the weights of a group within 1e-12 (relative) of its
// threshold are 0. It returns a Fault if Lambda is negative or a gain is not finite.
func (s Grouped) Project(dst framework.Matrix, at framework.Point) error {
	if !(s.Lambda >= 0) || math.IsInf(s.Lambda, 1) {
		return framework.Faultf(framework.Data, "bad-set", "lambda is %g; it must be a number that is not negative", s.Lambda)
	}
	largest, err := gains(dst, at)
	if err != nil || largest == 0 {
		return err
	}
	w := dst.Data
	for i := range w {
		w[i] /= largest
	}
	for g, features := range s.Groups {
		shrink := 1.0
		if a := s.Factors[g] * s.Lambda; a > 0 {
			// A threshold that overflows in units of the largest gain is +Inf, and
			// drops the group.
			shrink = 1 - a/largest/normOf(w, features)
		}
		if !(shrink > negligible) {
			shrink = 0
		}
		for _, l := range features {
			w[l] *= shrink
		}
	}
	normalise(w)
	return nil
}

// Norms returns the norm of the weights of each group. No weight may be
// negative.
func (s Grouped) Norms(w []float64) []float64 {
	norms := make([]float64, len(s.Groups))
	for g, features := range s.Groups {
		norms[g] = normOf(w, features)
	}
	return norms
}

// Violation returns by how much the worst condition is violated.
func (s Bounded) Violation(y framework.Matrix) float64 {
	var sum float64
	for _, w := range y.Data {
		sum += w
	}
	return max(outside(y.Data), sum-s.L1)
}

// Violation returns by how much the worst condition is violated.
func (s Grouped) Violation(y framework.Matrix) float64 { return outside(y.Data) }

// Penalty implements framework.Set: there is none.
func (Bounded) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set.
func (s Grouped) Penalty(y framework.Matrix) float64 {
	var penalty float64
	for g, features := range s.Groups {
		penalty += float64(s.Lambda * s.Factors[g] * normOf(y.Data, features))
	}
	return penalty
}

// gains writes the gains to dst, negative ones as 0, and returns the largest.
func gains(dst framework.Matrix, at framework.Point) (largest float64, err error) {
	if at.X.Rows != 1 || dst.Rows != 1 || dst.Cols != at.X.Cols {
		panic(fmt.Sprintf("weightset: gains are %d×%d, and the feature weights %d×%d", at.X.Rows, at.X.Cols, dst.Rows, dst.Cols))
	}
	if err := constraint.CheckPoint(at); err != nil {
		return 0, err
	}
	for i, b := range at.X.Data {
		dst.Data[i] = max(b, 0)
		largest = max(largest, b)
	}
	return largest, nil
}

// normalise sets weights to 0 that are negligible beside the largest, and divides by
// the norm. It does nothing if all are 0.
func normalise(w []float64) {
	largest := slices.Max(w)
	if largest == 0 {
		return
	}
	var squares float64
	for i, v := range w {
		if v /= largest; v <= negligible {
			v = 0
		}
		w[i] = v
		squares += float64(v * v)
	}
	length := math.Sqrt(squares)
	for i := range w {
		w[i] /= length
	}
}

// normOf returns the norm of some entries of w, none of which is negative.
func normOf(w []float64, of []int) float64 {
	var largest, squares float64
	for _, l := range of {
		largest = max(largest, w[l])
	}
	if largest == 0 {
		return 0
	}
	for _, l := range of {
		v := w[l] / largest
		squares += float64(v * v)
	}
	return largest * math.Sqrt(squares)
}

// outside returns by how much w violates w ≥ 0 or ‖w‖₂ ≤ 1.
func outside(w []float64) float64 {
	var worst, squares float64
	for _, v := range w {
		worst = max(worst, -v)
		squares += float64(v * v)
	}
	return max(worst, math.Sqrt(squares)-1)
}
