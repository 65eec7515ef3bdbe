package framework

import (
	"fmt"
	"math"
)

// A Group is a set of columns that belong together: those made from one categorical
// column, those that the user named, or a single column. A method that supports
// groups keeps or drops all columns of a group.
type Group struct {
	Name   string
	Weight float64 // the user's factor for the group's penalty, at least 0; NaN: none was given
}

// GroupColumns returns the columns of each group, ascending. Without groups
// each column is a group. The columns of a group need not be adjacent.
func (p Problem) GroupColumns() [][]int {
	groups := make([][]int, len(p.Groups))
	if p.Groups == nil {
		groups = make([][]int, len(p.Columns))
	}
	for l, c := range p.Columns {
		g := c.Group
		if p.Groups == nil {
			g = l
		}
		groups[g] = append(groups[g], l)
	}
	return groups
}

// GroupWeights returns the user's weight of each group of GroupColumns, or nil if no
// group has one. If only some groups have weights, the others have NaN.
func (p Problem) GroupWeights() []float64 {
	for _, g := range p.Groups {
		if math.IsNaN(g.Weight) {
			continue
		}
		weights := make([]float64, len(p.Groups))
		for i := range weights {
			weights[i] = p.Groups[i].Weight
		}
		return weights
	}
	return nil
}

// CheckGroups returns an error unless every column is in an existing group, groups
// come in the order of their first columns, none is empty, and weights are finite
// and at least 0.
func (p Problem) CheckGroups() error {
	if p.Groups == nil {
		return nil
	}
	seen := 0
	for l, c := range p.Columns {
		switch {
		case c.Group < 0 || c.Group >= len(p.Groups):
			return fmt.Errorf("framework: column %d is in group %d of %d", l, c.Group, len(p.Groups))
		case c.Group > seen:
			return fmt.Errorf("framework: column %d is in group %d, and none before it in group %d", l, c.Group, seen)
		case c.Group == seen:
			seen++
		}
	}
	if seen < len(p.Groups) {
		return fmt.Errorf("framework: group %d of %d has no column", seen, len(p.Groups))
	}
	for g, group := range p.Groups {
		if group.Weight < 0 || math.IsInf(group.Weight, 0) {
			return fmt.Errorf("framework: group %d has the weight %v", g, group.Weight)
		}
	}
	return nil
}
