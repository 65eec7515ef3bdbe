package cases

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Like returns the Example's rows for other features and clusters, of which there may be
// more, and columns of other locations and scales: numbers that cause no rounding.
func Like(c *judge.Trial, d framework.SetDescription) ([]framework.ConstraintRow, int, []framework.Column) {
	rows, clusters, columns := slices.Clone(d.Example), framework.ExampleClusters, framework.ExampleColumns()
	if !c.Large() && c.Rand.IntN(3) == 0 {
		return rows, clusters, columns
	}
	names := map[string]int{}
	for l, column := range columns {
		names[column.Name] = l
	}
	clusters += c.Between(0, c.Size/8)
	p := len(columns) + c.Between(0, c.Size/8)
	switch { // of the large ones many clusters, or many columns, in turns
	case c.Large() && c.Index%2 == 0:
		clusters += []int{6, 30, 62}[c.Index/2%3]
	case c.Large():
		p = max(p, Wide[c.Index/2%len(Wide)])
	}
	for l := len(columns); l < p; l++ {
		columns = append(columns, framework.Column{Name: fmt.Sprintf("f%d", l+1), Group: l, Scale: 1})
	}
	features, numbers := c.Rand.Perm(p), c.Rand.Perm(clusters)
	for i := range rows {
		if j := rows[i].Cluster; j != nil {
			rows[i].Cluster = new(numbers[*j])
		}
		if f := rows[i].Feature; f != nil {
			rows[i].Feature = new(columns[features[names[*f]]].Name)
		}
	}
	located := c.Rand.IntN(2) == 0
	for l := range columns {
		columns[l].Scale = []float64{0.5, 1, 2, 4}[c.Rand.IntN(4)]
		if located {
			columns[l].Location = float64(c.Between(-8, 8)) / 4
		}
	}
	return rows, clusters, columns
}
