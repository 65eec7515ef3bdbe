package constraint

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/qp"
)

// A Where says which centers and which features a set restricts. All other entries
// are free: a projection leaves them as they are.
type Where struct {
	Clusters []int // centers (rows); nil: all
	Features []int // columns; nil: all, in their order
}

// Scope implements RowSet.
func (w Where) Scope() Where { return w }

// Penalty implements framework.Set: sets of centers add nothing to the objective.
func (Where) Penalty(framework.Matrix) float64 { return 0 }

// Width returns how many of p features are restricted.
func (w Where) Width(p int) int {
	if w.Features == nil {
		return p
	}
	return len(w.Features)
}

// Column returns the column of the i-th restricted feature.
func (w Where) Column(i int) int {
	if w.Features == nil {
		return i
	}
	return w.Features[i]
}

// Rows returns which of k centers are restricted.
func (w Where) Rows(k int) []int {
	if w.Clusters != nil {
		return w.Clusters
	}
	all := make([]int, k)
	for j := range all {
		all[j] = j
	}
	return all
}

// Fits returns a Fault if a cluster or feature is not in a k×p matrix, or is
// named twice.
func (w Where) Fits(kind string, k, p int) error {
	for _, list := range [...]struct {
		what    string
		indices []int
		below   int
	}{{"cluster", w.Clusters, k}, {"feature", w.Features, p}} {
		seen := make([]bool, list.below)
		for _, i := range list.indices {
			if i < 0 || i >= list.below {
				return framework.Faultf(framework.Data, "bad-set", "%s names %s %d of %d", kind, list.what, i, list.below)
			}
			if seen[i] {
				return framework.Faultf(framework.Data, "bad-set", "%s names %s %d twice", kind, list.what, i)
			}
			seen[i] = true
		}
	}
	return nil
}

// Gather copies the restricted entries of row to dst. If all features are
// restricted, dst may be row itself.
func (w Where) Gather(dst, row []float64) []float64 {
	if w.Features == nil {
		return append(dst[:0], row...)
	}
	dst = dst[:0]
	for _, l := range w.Features {
		dst = append(dst, row[l])
	}
	return dst
}

// masses returns the column masses of the restricted features, divided by the
// largest, or nil if all are equal: a common factor changes nothing.
func (w Where) masses(col []float64) []float64 {
	if col == nil {
		return nil
	}
	return qp.Normal(w.Gather(nil, col))
}
