package zoo

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

var _ framework.Linker = (*kmeans)(nil)

// refuseApart refuses hard cannot-links, which the zoo's k-means cannot keep.
func refuseApart(p framework.Problem) error {
	for _, l := range p.Links {
		if l.Hard() && l.Cannot {
			return framework.Faultf(framework.Data, "no-hard-cannot-links", "the zoo keeps no rows apart")
		}
	}
	return framework.CheckLinks(p.Links, p.N)
}

// isLinked reports whether a row is linked.
func (c *kmeans) isLinked(row int) bool {
	return slices.ContainsFunc(c.problem.Links, func(l framework.Link) bool { return int(l.A) == row || int(l.B) == row })
}

// AssignLinked implements framework.Linker.
func (c *kmeans) AssignLinked(_ context.Context, m *framework.Model, rows framework.Rows, labels []int32) error {
	if c.linked != nil {
		c.linked(c, m, rows, labels)
	} else {
		c.together(m, rows, labels)
	}
	return nil
}

// together is the right AssignLinked: rows joined by hard must-links go to the
// center with the least sum of distances to them. Other links cost, but move no row.
func (c *kmeans) together(m *framework.Model, rows framework.Rows, labels []int32) {
	of := make([]int, len(labels)) // the lowest row of each row's component
	for i := range of {
		of[i] = i
	}
	for changed := true; changed; {
		changed = false
		for _, l := range c.problem.Links {
			if low := min(of[l.A], of[l.B]); l.Hard() && of[l.A] != of[l.B] {
				of[l.A], of[l.B], changed = low, low, true
			}
		}
	}
	total := make([][]float64, len(labels))
	eachRow(rows, func(i int, x []float64) {
		if total[of[i]] == nil {
			total[of[i]] = make([]float64, c.k)
		}
		for j := range c.k {
			total[of[i]][j] += c.between(x, m.Centers.Row(j))
		}
	})
	for i := range labels {
		if !c.isLinked(i) {
			continue
		}
		costs := total[of[i]]
		labels[i] = int32(slices.Index(costs, slices.Min(costs)))
	}
}

// eachRow calls do for each row, in order.
func eachRow(rows framework.Rows, do func(i int, x []float64)) {
	for n := range rows.Blocks() {
		b := rows.Block(n)
		for i := range b.X.Rows {
			do(b.Row0+i, b.X.Row(i))
		}
	}
}

// LinkCosts implements framework.Linker.
func (c *kmeans) LinkCosts(_ context.Context, _ *framework.Model, _ framework.Rows, labels []int32) ([]float64, error) {
	costs := make([]float64, len(c.problem.Links))
	for i, l := range c.problem.Links {
		if l.Broken(labels) && !l.Hard() {
			costs[i] = l.Weight
		}
		if c.cost != nil {
			costs[i] = c.cost(l, costs[i])
		}
	}
	return costs, nil
}

// broken returns what broken links add to the objective.
func (c *kmeans) broken(labels []int32) (sum float64) {
	for _, l := range c.problem.Links {
		if l.Broken(labels) && !l.Hard() {
			sum += l.Weight
		}
	}
	return sum
}
