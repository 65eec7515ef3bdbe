package main

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Together is a kind of sets of labels in which rows with the same value of a column
// have the same label: all people of a household, all visits of a patient. Each row of
// the kind names a column; rows with NULL there are free. Rows that any of the columns holds
// together stay together.
type Together struct{}

// Describe implements framework.LabelKind.
func (Together) Describe() framework.SetDescription {
	row := func(feature string) framework.ConstraintRow {
		return framework.ConstraintRow{Kind: "keep_together", Name: "household", Feature: &feature}
	}
	return framework.SetDescription{
		Kind: "keep_together", Version: "1.0.0", Labels: true,
		Summary: "rows with the same value of a column are in the same cluster",
		Source:  "by hand: of each such group of rows, the cluster in which they cost least together",
		Uses:    []string{"feature"},
		Example: []framework.ConstraintRow{row("f4")},
		More:    [][]framework.ConstraintRow{{row("f2"), row("f5")}},
	}
}

// Make implements framework.LabelKind.
func (Together) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	s := set{k: t.K, group: make([]int, t.N)}
	for i := range s.group {
		s.group[i] = i
	}
	for _, r := range rows {
		if r.Feature == nil {
			return nil, framework.Faultf(framework.Data, "bad-together", "each row needs a feature: the column whose values keep rows together")
		}
		c := t.Column(*r.Feature)
		s.limits = append(s.limits, *c)
		first := make([]int, len(c.Values)) // a row of the value, from 1
		for i, code := range c.Codes {
			switch {
			case code < 0:
			case first[code] == 0:
				first[code] = i + 1
			default:
				s.join(first[code]-1, i)
			}
		}
	}
	for i := range s.group {
		s.group[i] = s.root(i)
	}
	return s, nil
}

// set has rows in groups, which are named by their first rows.
type set struct {
	k      int
	group  []int // by row; while groups are joined, some row before it in the group
	limits []framework.LabelColumn
}

func (s set) root(i int) int {
	for s.group[i] != i {
		s.group[i] = s.group[s.group[i]]
		i = s.group[i]
	}
	return i
}

func (s set) join(a, b int) {
	a, b = s.root(a), s.root(b)
	s.group[max(a, b)] = min(a, b)
}

// Properties implements framework.LabelSet.
func (set) Properties() framework.LabelProperties {
	return framework.LabelProperties{Kind: "keep_together", Exact: true}
}

// Feasible implements framework.LabelSet: one cluster may have all rows.
func (set) Feasible(context.Context) error { return nil }

// Project implements framework.LabelSet. Groups do not depend on each other, so each gets
// the cluster in which its rows cost least together, the lowest of several. These are also the
// lowest labels: the first row of a group decides for all of them.
func (s set) Project(_ context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	if err := at.Check(len(s.group), s.k); err != nil {
		return framework.LabelPoint{}, framework.Faultf(framework.Internal, "bad-costs", "%v", err)
	}
	sums := framework.NewMatrix(len(s.group), s.k) // at the first row of each group
	for i, g := range s.group {
		for j, v := range at.Costs.Row(i) {
			sums.Row(g)[j] += v
		}
	}
	best := make([]int32, len(s.group))
	for i, g := range s.group {
		if g != i {
			best[i] = best[g]
			continue
		}
		least := slices.Min(sums.Row(i))
		if math.IsInf(least, 1) {
			return framework.LabelPoint{}, framework.Faultf(framework.Data, "no-cluster-together",
				"row %d and those that stay with it have no cluster that all of them may be in", i)
		}
		best[i] = int32(slices.Index(sums.Row(i), least))
	}
	copy(labels, best)
	cost := at.Total(labels)
	return framework.LabelPoint{Cost: cost, Bound: cost}, nil
}

// Violation implements framework.LabelSet: the number of rows that are not where the
// first of their group is.
func (s set) Violation(labels []int32) (rows float64) {
	for i, g := range s.group {
		if labels[i] < 0 || labels[i] != labels[g] {
			rows++
		}
	}
	return rows
}

// Limits implements framework.LabelSet: into how many clusters the value of a column
// that is in most of them is spread, for each column. It must be one.
func (s set) Limits(labels []int32, _ []float64) []framework.Limit {
	var all []framework.Limit
	for r, c := range s.limits {
		clusters := make([]map[int32]bool, len(c.Values))
		l := framework.Limit{Row: r, Cluster: -1, Amount: 1, Lo: 1, Hi: 1, Price: math.NaN()}
		for i, code := range c.Codes {
			if code < 0 {
				continue
			}
			if clusters[code] == nil {
				clusters[code] = map[int32]bool{}
			}
			clusters[code][labels[i]] = true
			if spread := float64(len(clusters[code])); spread > l.Amount {
				l.Amount, l.Value = spread, c.Values[code]
			}
		}
		all = append(all, l)
	}
	return all
}
