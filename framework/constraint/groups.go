package constraint

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// TopGroups is the set of matrices in which at most S groups of columns are not
// 0 everywhere, all centers alike. Group has the number of each column's group,
// from 0. The groups of largest worth are kept, the lower number of equal ones.
//
// Source: Zhang, Lange and Xu (2020), equation 3, with a group in the place of a
// column.
type TopGroups struct {
	S     int
	Group []int
}

var _ framework.Set = TopGroups{}

// Properties implements framework.Set.
func (TopGroups) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true}
}

// Gains writes the worth of each group to dst, one number a group.
func (t TopGroups) Gains(dst []float64, at framework.Point) {
	columns := make([]float64, at.X.Cols)
	TopColumns{}.Gains(columns, at)
	clear(dst)
	for l, g := range columns {
		dst[t.Group[l]] += g
	}
}

// groups returns how many groups there are, or a Fault.
func (t TopGroups) groups(p int) (int, error) {
	if len(t.Group) != p {
		return 0, framework.Faultf(framework.Data, "bad-set", "sparsity has groups of %d columns for %d features", len(t.Group), p)
	}
	n := 0
	for l, g := range t.Group {
		if g < 0 || g >= p {
			return 0, framework.Faultf(framework.Data, "bad-set", "sparsity: the group of feature %d is %d, and must be from 0 to %d", l, g, p-1)
		}
		n = max(n, g+1)
	}
	return n, nil
}

// keep returns which columns are kept of those gains.
func (t TopGroups) keep(gains []float64) []bool {
	groups, columns := make([]bool, len(gains)), make([]bool, len(t.Group))
	largest(groups, gains, t.S)
	for l, g := range t.Group {
		columns[l] = groups[g]
	}
	return columns
}

// Project implements framework.Set. It returns a Fault if S is negative, or the
// groups do not fit the point.
func (t TopGroups) Project(dst framework.Matrix, at framework.Point) error {
	if err := check(t.S, at); err != nil {
		return err
	}
	n, err := t.groups(at.X.Cols)
	if err != nil {
		return err
	}
	gains := make([]float64, n)
	t.Gains(gains, at)
	Keep(dst, at.X, t.keep(gains))
	return nil
}

// Violation returns the Euclidean norm of the groups beyond the S largest.
func (t TopGroups) Violation(y framework.Matrix) float64 {
	n, err := t.groups(y.Cols)
	if err != nil {
		return math.Inf(1)
	}
	squares := make([]float64, n)
	t.Gains(squares, framework.Point{X: y})
	return math.Sqrt(excess(squares, t.S))
}
