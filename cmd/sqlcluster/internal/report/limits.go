package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func (r *run) readLimit(c cells) {
	r.ofClusters = append(r.ofClusters, result.Limit{Kind: c.text("kind"), Name: c.text("name"), Cluster: c.whole("cluster"),
		Column: c.text("feature"), Value: c.text("value"), Amount: c.number("amount"), Lo: c.number("lo"), Hi: c.number("hi"),
		Slack: c.number("slack"), Price: c.number("price")})
}

// addLimits says what the limits of clusters make of these, and lists them, those with no slack first.
func (r *run) addLimits(s *Section) {
	if len(r.ofClusters) == 0 {
		return
	}
	full := func(l result.Limit) bool { return l.Slack <= 1e-9*max(1, math.Abs(l.Amount)) }
	all := slices.Clone(r.ofClusters)
	slices.SortStableFunc(all, func(a, b result.Limit) int { return cmp.Compare(rank(full(a)), rank(full(b))) })
	n := 0
	for _, l := range all {
		n += 1 - rank(full(l))
	}
	kept := fmt.Sprintf("The clusters keep %s. ", input.Plural(len(all), "limit"))
	switch {
	case n == 0:
		kept += input.Agreed(len(all), "It has", "All of them have") + " some slack; a limit may have moved rows all the same, since amounts " +
			"change by whole rows."
	case n == len(all):
		kept += input.Agreed(n, "It has", "All of them have") + " no slack: an amount cannot change in one direction."
	default:
		kept += fmt.Sprintf("%d of them %s no slack: an amount cannot change in one direction.", n, input.Agreed(n, "has", "have"))
	}
	s.Words = append(s.Words, kept)
	if gap := r.fit.LabelGap; gap != nil && *gap > 0 {
		s.Words = append(s.Words, fmt.Sprintf("At these centers, better clusters within the limits could save %s %% of their cost at most.",
			number(100**gap, 3)))
	} else if gap != nil {
		s.Words = append(s.Words, "At these centers, no other clusters within the limits cost less.")
	}
	t := Table{Title: "Limits of clusters", Head: []string{"cluster", "kind", "feature", "value", "from", "to", "amount", "slack", "price"},
		Left: shownOf(min(mostListed, len(all)), len(all), "limits are")}
	named := slices.ContainsFunc(all, func(l result.Limit) bool { return l.Name != "" })
	if named {
		t.Head = slices.Insert(t.Head, 2, "name")
	}
	for _, l := range all[:min(mostListed, len(all))] {
		row := []string{"all", l.Kind, l.Column, l.Value}
		if l.Cluster >= 0 {
			row[0] = strconv.Itoa(l.Cluster)
		}
		if named {
			row = slices.Insert(row, 2, l.Name)
		}
		for _, v := range []float64{l.Lo, l.Hi, l.Amount, l.Slack, l.Price} {
			row = append(row, number(v, 5))
		}
		t.Rows = append(t.Rows, row)
	}
	s.Tables = append(s.Tables, t)
	s.Words = append(s.Words, "Slack is by how much an amount may change until it breaks the limit; price is what the objective would "+
		"gain if the limit were looser by 1.")
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}
