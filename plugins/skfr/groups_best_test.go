package skfr_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

func TestSelectedGroupsAreTheBestOfAllChoicesForTheirClusters(t *testing.T) {
	eachSparsity(t, func(t *rapid.T, params map[string]string) {
		if params["missing"] == "kpod" {
			return // its cells are filled by the centers before
		}
		n, p, k := rapid.IntRange(3, 10).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"), rapid.IntRange(1, 3).Draw(t, "k")
		b := drawBlocks(t, n, p, params["missing"] != "")
		group := drawGroups(t, p)
		groups := slices.Max(group) + 1
		s := rapid.IntRange(1, groups).Draw(t, "s")
		start := drawLabels(t, n, k)
		res := b.run(t, grouped{skfr.SKFR{}, func(int) []int { return group }}, k, with(params, "sparsity", strconv.Itoa(s)), start,
			func(s *fit.Settings) { s.MaxIter = 0 })
		drop := b.dropped(start.Labels, k, params["loss"] == "l1")
		local := params["scope"] == "local"
		for j := range k {
			rows, selected := []int{j}, res.Model.Selected
			if !local {
				rows = []int{0, 1, 2}[:k]
			} else if selected = selected[j*p : (j+1)*p]; !slices.Contains(start.Labels, int32(j)) {
				continue // without rows there is nothing to choose by
			}
			cost := func(keep []bool) (sum float64) {
				for _, j := range rows {
					for l, kept := range keep {
						if !kept {
							sum += drop.Row(j)[l]
						}
					}
				}
				return sum
			}
			best := math.Inf(1)
			for choice := range 1 << groups {
				keep, size := make([]bool, p), 0
				for g := range groups {
					size += choice >> g & 1
				}
				for l, g := range group {
					keep[l] = choice>>g&1 == 1
				}
				if size <= s {
					best = min(best, cost(keep))
				}
			}
			if got := cost(selected); got > best+1e-12*b.total() {
				t.Fatalf("groups %v, s = %d: keeping %v costs %g, but %g is possible", group, s, selected, got, best)
			}
		}
	})
}

// dropped returns for each cluster and feature by how much the losses of its rows
// rise when the center's entry is 0, computed from the rows.
func (b blocks) dropped(labels []int32, k int, absolute bool) framework.Matrix {
	d := framework.NewMatrix(k, b.X.Cols)
	for j := range k {
		for l := range b.X.Cols {
			var cells []float64
			for i, label := range labels {
				if v := b.X.Row(i)[l]; int(label) == j && v == v {
					cells = append(cells, v)
				}
			}
			if len(cells) == 0 {
				continue
			}
			slices.Sort(cells)
			center := (cells[(len(cells)-1)/2] + cells[len(cells)/2]) / 2
			if !absolute {
				center = 0
				for _, v := range cells {
					center += v / float64(len(cells))
				}
			}
			for _, v := range cells {
				if absolute {
					d.Row(j)[l] += math.Abs(v) - math.Abs(v-center)
				} else {
					d.Row(j)[l] += v*v - (v-center)*(v-center)
				}
			}
		}
	}
	return d
}
