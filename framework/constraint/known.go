package constraint

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Known is the set of labels in which rows whose cluster is known for certain have that
// label. What is known of others has a weight: the cost of another label.
//
// Rows do not depend on each other, so that the projection is exact. Another set of labels
// may restrict them further: then the costs of labels that a row must not have are +Inf there.
type Known struct {
	Labels  []int32   // of each row, −1: not known
	Weights []float64 // of each row with a label: +Inf is certain, else ≥ 0, in the units of the objective
	K       int
	Within  framework.LabelSet // nil: no other restriction
}

var (
	_ framework.LabelCharger = (*Known)(nil)
	_ framework.LabelScaler  = (*Known)(nil)
)

func (s *Known) certain(i int) bool { return s.Labels[i] >= 0 && math.IsInf(s.Weights[i], 1) }

// Properties implements framework.LabelSet.
func (s *Known) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "labels", Exact: s.Within == nil || s.Within.Properties().Exact}
}

// Project implements framework.LabelSet.
func (s *Known) Project(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if s.Within != nil {
		at.Costs = s.only(at.Costs)
		point, err := s.Within.Project(ctx, labels, at)
		return point, s.contradicted(err)
	}
	best := make([]int32, len(s.Labels))
	for i := range best {
		if best[i] = s.Labels[i]; !s.certain(i) {
			row := at.Costs.Row(i)
			best[i] = int32(slices.Index(row, slices.Min(row)))
		}
		if math.IsInf(at.Costs.Row(i)[best[i]], 1) {
			return framework.LabelPoint{}, framework.Faultf(framework.Data, "known-label-impossible",
				"row %d must not have the label that is known of it", i)
		}
	}
	copy(labels, best)
	cost := at.Total(labels)
	return framework.LabelPoint{Cost: cost, Bound: cost}, ctx.Err()
}

// contradicted says of labels that are not there that they would have to be those that are certain, too.
func (s *Known) contradicted(err error) error {
	f := framework.AsFault(err)
	if f == nil || f.Code != "infeasible-labels" {
		return err
	}
	g := *f
	g.Summary = "no labels obey the limits and leave each row whose class is certain in the cluster of its class"
	return g.At("labels").WithHint("make the limits looser, or give doubtful classes a weight")
}

// only returns costs in which rows whose label is certain must have it.
func (s *Known) only(costs framework.Matrix) framework.Matrix {
	own := costs.Clone()
	for i, label := range s.Labels {
		if !s.certain(i) {
			continue
		}
		for j := range own.Row(i) {
			if j != int(label) {
				own.Row(i)[j] = math.Inf(1)
			}
		}
	}
	return own
}

// Violation implements framework.LabelSet: the number of rows that do not have the label
// that is certain, with the violation of the other restriction.
func (s *Known) Violation(labels []int32) float64 {
	rows := 0.0
	for i, label := range labels {
		if label < 0 || s.certain(i) && label != s.Labels[i] {
			rows++
		}
	}
	if s.Within != nil {
		rows += s.Within.Violation(labels)
	}
	return rows
}

// A Holder is a set of labels that can say whether there are any with which some rows have the label
// that is held for them; −1: none. It is as Feasible, and names no more limits than contradict these labels.
type Holder interface {
	FeasibleWith(ctx context.Context, held []int32) error
}

// held returns the labels that are certain, and −1 for all other rows.
func (s *Known) held() []int32 {
	held := slices.Clone(s.Labels)
	for i := range held {
		if !s.certain(i) {
			held[i] = -1
		}
	}
	return held
}

// Feasible implements framework.LabelSet.
func (s *Known) Feasible(ctx context.Context) error {
	if s.Within == nil {
		return nil
	}
	if h, ok := s.Within.(Holder); ok {
		return h.FeasibleWith(ctx, s.held())
	}
	if err := s.Within.Feasible(ctx); err != nil {
		return err
	}
	labels := slices.Repeat([]int32{-1}, len(s.Labels))
	_, err := s.Project(ctx, labels, framework.LabelCosts{Costs: framework.NewMatrix(len(s.Labels), s.K)})
	return err
}

// Limits implements framework.LabelSet: those of the other restriction.
func (s *Known) Limits(labels []int32, prices []float64) []framework.Limit {
	if s.Within == nil {
		return nil
	}
	return s.Within.Limits(labels, prices)
}

// Charge implements framework.LabelCharger.
func (s *Known) Charge(costs framework.Matrix) {
	for i, label := range s.Labels {
		if label < 0 || s.certain(i) {
			continue
		}
		for j := range costs.Row(i) {
			if j != int(label) {
				costs.Row(i)[j] += s.Weights[i]
			}
		}
	}
}

// Charged implements framework.LabelCharger.
func (s *Known) Charged(labels []int32) (sum float64) {
	for i, label := range s.Labels {
		if label >= 0 && labels[i] != label && !s.certain(i) {
			sum += s.Weights[i]
		}
	}
	return sum
}

// Scale implements framework.LabelScaler: what is known of a row stays known of it.
func (s *Known) Scale(rows []int32, k int) (framework.LabelSet, error) {
	if rows == nil && k == s.K {
		return s, nil
	}
	if classes := int(slices.Max(s.Labels)) + 1; classes > k {
		return nil, TooManyClasses(classes, k)
	}
	of := &Known{Labels: s.Labels, Weights: s.Weights, K: k}
	if rows != nil {
		of.Labels, of.Weights = make([]int32, len(rows)), make([]float64, len(rows))
		for t, i := range rows {
			of.Labels[t], of.Weights[t] = s.Labels[i], s.Weights[i]
		}
	}
	if s.Within == nil {
		return of, nil
	}
	within, ok := s.Within.(framework.LabelScaler)
	if !ok {
		return nil, framework.Faultf(framework.Data, "limits-not-scaled", "limits of kind %s are those of all rows, and of none of them alone",
			s.Within.Properties().Kind).At("constraints")
	}
	var err error
	of.Within, err = within.Scale(rows, k)
	return of, err
}

// TooManyClasses is the Fault of fewer clusters than known classes.
func TooManyClasses(classes, k int) *framework.Fault {
	return framework.Faultf(framework.Data, "too-many-classes", "k is %d, but the labels have %d classes", k, classes).At("k").
		WithHint("choose a k of at least %d", classes)
}
