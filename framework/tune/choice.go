package tune

import (
	"cmp"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Incomplete is the status of a value whose fits were not all made.
const Incomplete = "incomplete"

// A Value is what a method says of one point: a value of a parameter, say.
type Value struct {
	Point     int     // its number
	Status    string  // of the first fit that failed, else of the first that did not converge, else of the first; or Incomplete
	Err       error   // of the first fit that failed
	Converged bool    // all fits
	Fits      int     // scores that Score is the mean of
	Score     float64 // the higher, the better; NaN if a fit failed or is missing
	Error     float64 // standard error of Score; NaN as that
	Selected  float64 // mean number of features selected, over the fits; NaN as Score
}

// Choose returns the places in values of the best one, and of the sparsest one
// whose score is at most one standard error below it: the one-standard-error
// rule of Breiman, Friedman, Olshen and Stone (1984), section 3.4.3. The best is
// that of the highest score, of equals the sparsest, of these the first. The
// sparsest selects the fewest features; of equals the better is taken, of these
// the first. Values without a score are never chosen; −1 if there is no other.
func Choose(values []Value) (best, sparsest int) {
	best, sparsest = -1, -1
	for i, v := range values {
		if v.Score == v.Score && (best < 0 ||
			cmp.Or(cmp.Compare(values[best].Score, v.Score), cmp.Compare(v.Selected, values[best].Selected)) < 0) {
			best = i
		}
	}
	if best < 0 {
		return best, sparsest
	}
	least := values[best].Score - values[best].Error
	for i, v := range values {
		if v.Score >= least && (sparsest < 0 ||
			cmp.Or(cmp.Compare(v.Selected, values[sparsest].Selected), cmp.Compare(values[sparsest].Score, v.Score)) < 0) {
			sparsest = i
		}
	}
	return best, sparsest
}

// Selected counts the features that are selected in any cluster.
func Selected(features []framework.Feature) int { return len(columns(features)) }

// local returns the features that are selected for each of k clusters, ascending; nil
// where they are selected for all alike.
func local(features []framework.Feature, k int) [][]int {
	if len(features) == 0 || features[0].Cluster < 0 {
		return nil
	}
	all := make([][]int, k)
	for j := range all {
		all[j] = columns(slices.DeleteFunc(slices.Clone(features), func(f framework.Feature) bool { return f.Cluster != j }))
	}
	return all
}

// columns returns the features that are selected in any cluster, ascending.
func columns(features []framework.Feature) (all []int) {
	for _, f := range features {
		if f.Selected {
			all = append(all, f.Column)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
