package job

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ManyFeatures is how many features may tell clusters apart, and still be looked at one by
// one. Clusters of more are known best by their top features.
const ManyFeatures = 50

// mostTop is how many features name a cluster.
const mostTop = 8

// topFeatures returns for each cluster the names of the features in which its center is
// furthest above the mean of all rows, the furthest first: in fitted units, times the
// feature weight, of those that are selected for it. It is nil where no more than
// ManyFeatures tell clusters apart, or there are no clusters.
func (b *Job) topFeatures(f *Fitted) [][]string {
	many := 0
	for _, used := range b.used(f) {
		if used {
			many++
		}
	}
	if many <= ManyFeatures || f.Stop == framework.AllZero {
		return nil
	}
	best := make([]top, b.Problem.K)
	add := func(j, l int, weight float64) {
		best[j].add(ahead{l, weight * (f.Model.Centers.Row(j)[l] - b.Problem.Columns[l].Mean)})
	}
	each := func(l, cluster int, weight float64) {
		if cluster >= 0 {
			add(cluster, l, weight)
			return
		}
		for j := range b.Problem.K {
			add(j, l, weight)
		}
	}
	for l := range b.Problem.P {
		if len(f.features) == 0 {
			each(l, -1, 1)
		}
	}
	for _, of := range f.features {
		if of.Selected || of.Rank == 0 {
			weight := of.Weight
			if math.IsNaN(weight) {
				weight = 1
			}
			each(of.Column, of.Cluster, weight)
		}
	}
	names := make([][]string, len(best))
	for j, t := range best {
		names[j] = []string{}
		for _, e := range t {
			names[j] = append(names[j], b.Recipe.Features[e.feature].Name)
		}
	}
	return names
}

// top has the features of a cluster that are furthest above the mean, at most mostTop,
// the furthest first; of equal ones the first.
type top []ahead

// ahead is how far a center is above the mean.
type ahead struct {
	feature int
	above   float64
}

func (x ahead) compare(y ahead) int {
	return cmp.Or(cmp.Compare(y.above, x.above), cmp.Compare(x.feature, y.feature))
}

func (t *top) add(x ahead) {
	if !(x.above > 0) || len(*t) == mostTop && x.compare((*t)[mostTop-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(*t, x, ahead.compare)
	*t = slices.Insert(*t, at, x)
	*t = (*t)[:min(len(*t), mostTop)]
}
