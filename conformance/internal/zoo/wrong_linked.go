package zoo

import "github.com/sqlcluster/sqlcluster/framework"

// linking returns clusterers that treat links wrongly.
func linking() []Animal {
	return []Animal{
		animal("says Linked where there are no links", "clusterer/links-plan", "where there are no links", mutation{
			plan: func(_ *kmeans, p *framework.Plan) { p.Linked = true }}),
		animal("assigns linked rows with all others", "clusterer/links-rows", "which is linked", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				c.nearest(m.Centers, b, labels)
			}}),
		animal("assigns all rows with the linked ones", "clusterer/links-rows", "which is not linked", mutation{
			linked: func(c *kmeans, _ *framework.Model, _ framework.Rows, labels []int32) {
				for i := range labels {
					labels[i] = (labels[i] + 1) % int32(c.k)
				}
			}}),
		animal("places linked rows by the first model", "clusterer/links-stale", "a new clusterer gives others", mutation{
			linked: func(c *kmeans, m *framework.Model, rows framework.Rows, labels []int32) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				if c.state.model == nil {
					c.state.model = m.Clone()
				}
				c.together(c.state.model, rows, labels)
			}}),
		animal("takes hard links for soft ones", "clusterer/links-hard", "is broken", mutation{
			linked: func(c *kmeans, m *framework.Model, rows framework.Rows, labels []int32) {
				eachRow(rows, func(i int, x []float64) {
					if c.isLinked(i) {
						labels[i] = c.nearestOf(m.Centers, x)
					}
				})
			}}),
		animal("charges for links that are kept", "clusterer/links-costs", "is kept by the labels", mutation{
			cost: func(l framework.Link, _ float64) float64 { return l.Weight }}),
		animal("tells twice the cost", "clusterer/links-costs", "worse with them", mutation{
			cost: func(_ framework.Link, cost float64) float64 { return 2 * cost }}),
		animal("lets the first link decide", "clusterer/links-order", "the order of links", mutation{
			linked: func(c *kmeans, m *framework.Model, rows framework.Rows, labels []int32) {
				c.together(m, rows, labels)
				first := c.problem.Links[0].A
				eachRow(rows, func(i int, x []float64) {
					if int32(i) == first {
						labels[i] = (c.nearestOf(m.Centers, x) + 1) % int32(c.k)
					}
				})
			}}),
	}
}

// grouping returns clusterers that treat groups wrongly.
func grouping() []Animal {
	return []Animal{
		updater("likes the first feature of a group", "clusterer/groups-order", "features in another order",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				for _, features := range c.problem.GroupColumns() {
					for j := range c.k {
						step.At[framework.Centers].X.Row(j)[features[0]] *= 1.01
					}
				}
			}),
		updater("takes features in groups for less", "clusterer/groups-of-one", "than without groups",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				if c.problem.Groups != nil {
					step.At[framework.Centers].X.Data[0] /= 2
				}
			}),
	}
}

// restricting returns clusterers that treat the set of centers wrongly.
func restricting() []Animal {
	return []Animal{
		animal("forgets that centers are restricted", "clusterer/constraints", "outside of Problem.Centers", mutation{
			project: func(_ *kmeans, m *framework.Model, at framework.Point) { m.Centers.CopyFrom(at.X) }}),
		animal("restricts centers as if all clusters had one weight", "clusterer/constraints-nearest", "by the weights of clusters", mutation{
			project: func(c *kmeans, m *framework.Model, at framework.Point) {
				if m.Centers.CopyFrom(at.X); c.problem.Centers != nil {
					_ = c.problem.Centers.Project(m.Centers, framework.Point{X: at.X}) // Project of a half-space does not fail
				}
			}}),
		updater("shrinks centers that are restricted", "clusterer/constraints-unmet", "change the model",
			func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				if c.problem.Centers != nil {
					for i := range step.At[framework.Centers].X.Data {
						step.At[framework.Centers].X.Data[i] *= 0.999
					}
				}
			}),
	}
}
