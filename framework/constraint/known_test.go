package constraint_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// even is a set of labels in which each cluster has an even number of rows; by brute force.
type even struct{ framework.LabelSet }

func (even) Properties() framework.LabelProperties { return framework.LabelProperties{Exact: true} }

func (even) Violation(labels []int32) (odd float64) {
	sizes := map[int32]int{}
	for _, j := range labels {
		sizes[j]++
	}
	for _, n := range sizes {
		odd += float64(n % 2)
	}
	return odd
}

// least returns the lowest labels of least cost that a set has, by trying all.
func least(at framework.LabelCosts, in func(labels []int32) bool) (best []int32) {
	n, k := at.Costs.Rows, at.Costs.Cols
	for number := range int(math.Pow(float64(k), float64(n))) {
		labels := make([]int32, n)
		for i, rest := n-1, number; i >= 0; i, rest = i-1, rest/k {
			labels[i] = int32(rest % k)
		}
		if total := at.Total(labels); in(labels) && !math.IsInf(total, 1) && (best == nil || total < at.Total(best)) {
			best = labels
		}
	}
	return best
}

func TestLabelsThatAreCertainAreHeldAndTheOthersCostLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 6).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "k")
		s := &constraint.Known{K: k}
		costs := framework.NewMatrix(n, k)
		for i := range n {
			s.Labels = append(s.Labels, int32(rapid.IntRange(-1, k-1).Draw(t, "label")))
			s.Weights = append(s.Weights, rapid.SampledFrom([]float64{0, 0.5, 2, math.Inf(1)}).Draw(t, "weight"))
			for j := range k {
				costs.Row(i)[j] = float64(rapid.IntRange(0, 3).Draw(t, "cost"))
			}
		}
		own := costs.Clone()
		s.Charge(costs)
		got := make([]int32, n)
		point := must.Get(s.Project(t.Context(), got, framework.LabelCosts{Costs: costs}))(t)
		want := least(framework.LabelCosts{Costs: costs}, func(labels []int32) bool { return s.Violation(labels) == 0 })
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
		// What a set charges is what its costs have more than those without it.
		if total := (framework.LabelCosts{Costs: own}).Total(got) + s.Charged(got); math.Abs(total-point.Cost) > 1e-12 {
			t.Fatalf("the labels cost %v, and %v are charged", point.Cost, total)
		}
	})
}

func TestARowThatMustNotHaveItsLabelIsToldAndLabelsStay(t *testing.T) {
	s := &constraint.Known{Labels: []int32{0}, Weights: []float64{math.Inf(1)}, K: 2}
	labels := []int32{1}
	_, err := s.Project(t.Context(), labels, framework.LabelCosts{Costs: framework.Matrix{Rows: 1, Cols: 2, Data: []float64{math.Inf(1), 0}}})
	must.Fault(t, err, "known-label-impossible")
	must.Equal(t, []int32{1}, labels)
}

func TestAnotherRestrictionAddsItsViolation(t *testing.T) {
	s := &constraint.Known{Labels: []int32{0, -1, 1}, Weights: []float64{math.Inf(1), 0, 1}, K: 2, Within: even{}}
	must.Equal(t, 1.0, s.Violation([]int32{0, 0, 1})) // one cluster has one row
	must.Equal(t, 2.0, s.Violation([]int32{1, 1, 1})) // one cluster has three, and row 0 is not in cluster 0
	must.Equal(t, 1.0, s.Charged([]int32{0, 0, 0}))   // row 2 has left
	must.Equal(t, true, s.Properties().Exact)
}

func TestSomeRowsKeepWhatIsKnownOfThem(t *testing.T) {
	s := &constraint.Known{Labels: []int32{1, -1, 0, 1}, Weights: []float64{math.Inf(1), 0, 0.5, 2}, K: 2}
	got := must.Get(s.Scale([]int32{0, 2, 3}, 3))(t)
	must.Equal(t, framework.LabelSet(&constraint.Known{Labels: []int32{1, 0, 1}, Weights: []float64{math.Inf(1), 0.5, 2}, K: 3}), got)
	must.Equal(t, framework.LabelSet(s), must.Get(s.Scale(nil, 2))(t))
	_, err := s.Scale(nil, 1)
	must.Fail(t, err, "too-many-classes: k is 1, but the labels have 2 classes")
	s.Within = even{}
	_, err = s.Scale(nil, 3)
	must.Fault(t, err, "limits-not-scaled")
}
