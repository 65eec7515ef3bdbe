package framework_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// grouped returns a problem whose columns are in the given groups.
func grouped(groups []framework.Group, of ...int) framework.Problem {
	p := framework.Problem{P: len(of), Groups: groups, Columns: make([]framework.Column, len(of))}
	for l, g := range of {
		p.Columns[l].Group = g
	}
	return p
}

func TestWithoutGroupsEachColumnIsAGroup(t *testing.T) {
	p := grouped(nil, 0, 0, 0)
	must.Equal(t, [][]int{{0}, {1}, {2}}, p.GroupColumns())
	if w := p.GroupWeights(); w != nil {
		t.Errorf("weights %v", w)
	}
}

func TestTheColumnsOfAGroupNeedNotBeNeighbours(t *testing.T) {
	none := math.NaN()
	p := grouped([]framework.Group{{Name: "a", Weight: none}, {Name: "b", Weight: none}}, 0, 1, 0, 1, 1)
	must.Equal(t, [][]int{{0, 2}, {1, 3, 4}}, p.GroupColumns())
	if w := p.GroupWeights(); w != nil {
		t.Errorf("weights %v, but none was given", w)
	}
	p.Groups[1].Weight = 0
	must.Equal(t, []float64{none, 0}, p.GroupWeights(), cmpopts.EquateNaNs())
}

func TestGroupsThatDoNotFitTheColumnsAreRefused(t *testing.T) {
	two := []framework.Group{{Name: "a"}, {Name: "b", Weight: math.NaN()}}
	for name, c := range map[string]struct {
		p    framework.Problem
		want string
	}{
		"none":                  {grouped(nil, 7), ""},
		"all in order":          {grouped(two, 0, 1, 0), ""},
		"below the first":       {grouped(two, 0, -1), "framework: column 1 is in group -1 of 2"},
		"past the last":         {grouped(two, 0, 1, 2), "framework: column 2 is in group 2 of 2"},
		"not in order":          {grouped(two, 1, 0), "framework: column 0 is in group 1, and none before it in group 0"},
		"empty":                 {grouped(two, 0, 0), "framework: group 1 of 2 has no column"},
		"a negative weight":     {grouped([]framework.Group{{Weight: -1}}, 0), "framework: group 0 has the weight -1"},
		"an endless weight":     {grouped([]framework.Group{{Weight: math.Inf(1)}}, 0), "framework: group 0 has the weight +Inf"},
		"no column but a group": {grouped(two[:1]), "framework: group 0 of 1 has no column"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := c.p.CheckGroups(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
