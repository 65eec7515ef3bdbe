package fit

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Telling reports for each feature whether it tells the clusters of a model
// apart: it has weight, and the centers differ in it. A feature that was not
// selected, or is constant, does not.
func Telling(m *framework.Model) []bool {
	tells := make([]bool, m.Centers.Cols)
	first := m.Centers.Row(0)
	for j := 1; j < m.Centers.Rows; j++ {
		for l, v := range m.Centers.Row(j) {
			if v != first[l] && (len(m.FeatureWeights) == 0 || m.FeatureWeights[l] != 0) {
				tells[l] = true
			}
		}
	}
	return tells
}

// LeaveUntold takes the cluster away from each row that has no cell in any of
// the features that tell clusters apart, and is equally far from two centers: its
// cluster would be chosen by nothing but the order of the clusters. It returns
// how many such rows there are. Where no feature tells clusters apart, there are
// none.
func (p *Prediction) LeaveUntold(m *framework.Model, rows framework.Rows) int {
	var tells []int
	for l, yes := range Telling(m) {
		if yes {
			tells = append(tells, l)
		}
	}
	if tells == nil {
		return 0
	}
	n := 0
	for t := range rows.Blocks() {
		b := rows.Block(t)
		for r := range b.X.Rows {
			i := b.Row0 + r
			if p.Labels[i] < 0 || p.Margin[i] != 0 || !b.IsBlank(r, tells) {
				continue
			}
			p.Labels[i], p.Second[i] = -1, -1
			p.Distance[i], p.Margin[i] = math.NaN(), math.NaN()
			n++
		}
	}
	return n
}
