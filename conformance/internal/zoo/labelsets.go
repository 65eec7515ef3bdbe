package zoo

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Even is a kind of sets of labels that gives rows of one value of a column one
// label, and those without a value any. Its hooks make it wrong.
type Even struct {
	Project   func(s EvenSet, labels []int32, at framework.LabelCosts, p *framework.LabelPoint) // after a right projection
	Violation func(labels []int32, right float64) float64
	Feasible  error
	Limit     func(l *framework.Limit)
}

// Describe implements framework.LabelKind.
func (Even) Describe() framework.SetDescription {
	return framework.SetDescription{Kind: "even", Version: "1.0.0", Labels: true, Summary: "one label for one value", Source: "by hand",
		Uses: []string{"feature"}, Example: []framework.ConstraintRow{{Kind: "even", Feature: new("f4")}}}
}

// Make implements framework.LabelKind.
func (e Even) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	if len(rows) != 1 || rows[0].Feature == nil {
		return nil, framework.Faultf(framework.Data, "bad-even", "there must be one row, and it must have a feature")
	}
	return EvenSet{e, t, t.Column(*rows[0].Feature).Codes}, nil
}

// EvenSet is a set of Even.
type EvenSet struct {
	even  Even
	table framework.LabelTable
	Codes []int32
}

// Properties implements framework.LabelSet.
func (EvenSet) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "even", Exact: true}
}

// Feasible implements framework.LabelSet.
func (s EvenSet) Feasible(context.Context) error { return s.even.Feasible }

// Project implements framework.LabelSet.
func (s EvenSet) Project(_ context.Context, labels []int32, at framework.LabelCosts) (p framework.LabelPoint, err error) {
	sums := map[int32][]float64{}
	for i, code := range s.Codes {
		if code < 0 {
			code = int32(-1 - i)
		}
		if sums[code] == nil {
			sums[code] = make([]float64, s.table.K)
		}
		for j, v := range at.Costs.Row(i) {
			sums[code][j] += v
		}
	}
	found := make([]int32, len(labels))
	for i, code := range s.Codes {
		if code < 0 {
			code = int32(-1 - i)
		}
		best := 0
		for j, v := range sums[code] {
			if v < sums[code][best] {
				best = j
			}
		}
		if math.IsInf(sums[code][best], 1) {
			return p, framework.Faultf(framework.Data, "no-labels", "row %d may be nowhere", i)
		}
		found[i] = int32(best)
	}
	copy(labels, found)
	p.Cost = at.Total(labels)
	p.Bound, p.Prices = p.Cost, []float64{1, 2}
	if s.even.Project != nil {
		s.even.Project(s, labels, at, &p)
	}
	return p, nil
}

// Violation implements framework.LabelSet.
func (s EvenSet) Violation(labels []int32) (off float64) {
	first := map[int32]int32{}
	for i, code := range s.Codes {
		if labels[i] < 0 {
			off++
		}
		if code < 0 {
			continue
		}
		if j, seen := first[code]; seen && j != labels[i] {
			off++
		} else if !seen {
			first[code] = labels[i]
		}
	}
	if s.even.Violation != nil {
		return s.even.Violation(labels, off)
	}
	return off
}

// Limits implements framework.LabelSet.
func (s EvenSet) Limits(labels []int32, _ []float64) []framework.Limit {
	right := EvenSet{Even{}, s.table, s.Codes}
	l := framework.Limit{Cluster: -1, Amount: right.Violation(labels), Lo: 0, Hi: 0, Price: math.NaN()}
	if s.even.Limit != nil {
		s.even.Limit(&l)
	}
	return []framework.Limit{l}
}

// A WrongLabels is a kind of sets of labels that breaks a law.
type WrongLabels struct {
	What, Law, Says string
	Even
}

// other gives the rows of the first value another label, and takes care of the cost.
func (s EvenSet) other(labels []int32, at framework.LabelCosts, p *framework.LabelPoint, to int32) {
	for i, code := range s.Codes {
		if code == s.Codes[0] && code >= 0 {
			labels[i] = to
		}
	}
	p.Cost = at.Total(labels)
}

// WrongLabelSets are kinds of sets of labels of which each breaks a law.
func WrongLabelSets() []WrongLabels {
	type point = framework.LabelPoint
	type costs = framework.LabelCosts
	project := func(f func(s EvenSet, labels []int32, at costs, p *point)) Even { return Even{Project: f} }
	return []WrongLabels{
		{"not the best", "labels/optimal", "cost", project(func(s EvenSet, labels []int32, at costs, p *point) {
			s.other(labels, at, p, (labels[0]+1)%int32(s.table.K))
		})},
		{"a tie to the highest", "labels/lowest", "the lowest", project(func(s EvenSet, labels []int32, at costs, p *point) {
			for to := int32(s.table.K) - 1; to > labels[0]; to-- {
				other, q := append([]int32(nil), labels...), *p
				if s.other(other, at, &q, to); q.Cost == p.Cost {
					copy(labels, other)
					return
				}
			}
		})},
		{"outside the set", "labels/feasible", "violate the set", project(func(s EvenSet, labels []int32, at costs, p *point) {
			labels[0] = (labels[0] + 1) % int32(s.table.K)
			p.Cost = at.Total(labels)
		})},
		{"a bound above the cost", "labels/cost", "the bound is", project(func(_ EvenSet, _ []int32, _ costs, p *point) {
			p.Bound = p.Cost + 1
		})},
		{"a gap in an exact set", "labels/cost", "above the bound", project(func(_ EvenSet, _ []int32, _ costs, p *point) {
			p.Bound = p.Cost - 1
		})},
		{"another cost", "labels/cost", "returns the cost", project(func(_ EvenSet, _ []int32, _ costs, p *point) { p.Cost++ })},
		{"the first row decides", "labels/row-order", "with the rows in the order",
			project(func(s EvenSet, labels []int32, at costs, p *point) {
				best := int32(0)
				for j, v := range at.Costs.Row(0) {
					if v < at.Costs.Row(0)[best] {
						best = int32(j)
					}
				}
				s.other(labels, at, p, best)
				p.Bound = p.Cost
			})},
		{"prices that matter", "labels/prices", "with prices", project(func(s EvenSet, labels []int32, at costs, p *point) {
			if len(at.Prices) > 0 {
				s.other(labels, at, p, (labels[0]+1)%int32(s.table.K))
			}
		})},
		{"costs that are written", "labels/cost", "written to the costs", project(func(_ EvenSet, _ []int32, at costs, _ *point) {
			at.Costs.Data[0] = 17
		})},
		{"a label of infinite cost", "labels/forbidden", "infinite cost", project(func(s EvenSet, labels []int32, at costs, p *point) {
			for j, v := range at.Costs.Row(0) {
				if math.IsInf(v, 1) {
					s.other(labels, at, p, int32(j))
				}
			}
		})},
		{"rows without a label obey", "labels/violation", "obeys no set", Even{Violation: func(labels []int32, right float64) float64 {
			for _, j := range labels {
				if j < 0 {
					return 0
				}
			}
			return right
		}}},
		{"limits that do not bind", "labels/limits", "least slack", Even{Limit: func(l *framework.Limit) { l.Hi = math.Inf(1) }}},
		{"never feasible", "labels/empty", "there are no labels", Even{Feasible: framework.Faultf(framework.Data, "none", "there are none")}},
	}
}
