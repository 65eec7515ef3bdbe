package constraint

import (
	"math"
	"slices"
	"sync"

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

// TopGroupEntries is the set of matrices in each row of which at most S groups
// of entries are not 0 everywhere: every center has its own groups. Group is
// that of TopGroups.
//
// Source: Zhang, Lange and Xu (2020), equation 4, with a group in the place of a
// column.
type TopGroupEntries struct {
	S     int
	Group []int
}

var (
	_ framework.Set = TopGroups{}
	_ framework.Set = TopGroupEntries{}
)

// Properties implements framework.Set.
func (TopGroups) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true}
}

// Properties implements framework.Set.
func (TopGroupEntries) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true, RowWise: true}
}

// Gains writes the worth of each column, summed over the centers in their
// order, to dst (length p).
func (t TopGroups) Gains(dst []float64, at framework.Point) { TopColumns{}.Gains(dst, at) }

// Gains writes the worth of each entry to dst (length k·p, row-major).
func (t TopGroupEntries) Gains(dst []float64, at framework.Point) { TopEntries{}.Gains(dst, at) }

// Select sets keep (length p) for the columns of the S groups of largest gain.
// The gain of a group is the sum of those of its columns, in their order.
func (t TopGroups) Select(keep []bool, gains []float64) { largestGroups(keep, gains, t.Group, t.S) }

// Select sets keep (length k·p) in each row for the entries of the S groups of
// largest gain. The gain of a group is the sum of those of its entries, in their
// order.
func (t TopGroupEntries) Select(keep []bool, gains []float64, cols int) {
	for from := 0; from < len(gains); from += cols {
		largestGroups(keep[from:from+cols], gains[from:from+cols], t.Group, t.S)
	}
}

// Project implements framework.Set. It returns a Fault if S is negative, or the
// groups do not fit the point.
func (t TopGroups) Project(dst framework.Matrix, at framework.Point) error {
	if err := checkGroups(t.S, t.Group, at); err != nil {
		return err
	}
	Keep(dst, at.X, Kept(t, at))
	return nil
}

// Project implements framework.Set. It returns a Fault if S is negative, or the
// groups do not fit the point.
func (t TopGroupEntries) Project(dst framework.Matrix, at framework.Point) error {
	if err := checkGroups(t.S, t.Group, at); err != nil {
		return err
	}
	Keep(dst, at.X, Kept(t, at))
	return nil
}

// Violation returns the Euclidean norm of the groups beyond the S largest.
func (t TopGroups) Violation(y framework.Matrix) float64 {
	if fitGroups(t.Group, y.Cols) != nil {
		return math.Inf(1)
	}
	squares := make([]float64, y.Cols)
	t.Gains(squares, framework.Point{X: y})
	return math.Sqrt(excess(groupSums(nil, squares, t.Group), t.S))
}

// Violation returns the Euclidean norm of the groups beyond the S largest of
// each row.
func (t TopGroupEntries) Violation(y framework.Matrix) float64 {
	if fitGroups(t.Group, y.Cols) != nil {
		return math.Inf(1)
	}
	var sum float64
	squares := make([]float64, len(y.Data))
	t.Gains(squares, framework.Point{X: y})
	for j := range y.Rows {
		sum += excess(groupSums(nil, squares[j*y.Cols:(j+1)*y.Cols], t.Group), t.S)
	}
	return math.Sqrt(sum)
}

// checkGroups returns a Fault if a sparsity of groups cannot project the point.
func checkGroups(s int, group []int, at framework.Point) error {
	if err := check(s, at); err != nil {
		return err
	}
	return fitGroups(group, at.X.Cols)
}

// fitGroups returns a Fault if these are not groups of p columns.
func fitGroups(group []int, p int) error {
	if len(group) != p {
		return framework.Faultf(framework.Data, "bad-set", "sparsity has groups of %d columns for %d features", len(group), p)
	}
	for l, g := range group {
		if g < 0 || g >= p {
			return framework.Faultf(framework.Data, "bad-set", "sparsity: the group of feature %d is %d, and must be from 0 to %d", l, g, p-1)
		}
	}
	return nil
}

// GroupsOf returns the group of each column of a problem, as TopGroups has it,
// and their number. It returns nil where no group has more than one column: a
// sparsity of groups is then one of columns.
func GroupsOf(p framework.Problem) ([]int, int) {
	if p.Groups == nil || len(p.Groups) == len(p.Columns) {
		return nil, len(p.Columns)
	}
	group := make([]int, len(p.Columns))
	for l, c := range p.Columns {
		group[l] = c.Group
	}
	return group, len(p.Groups)
}

// groupSums appends to dst the sum of the values of each group.
func groupSums(dst, values []float64, group []int) []float64 {
	for l, g := range group {
		for g >= len(dst) {
			dst = append(dst, 0)
		}
		dst[g] += values[l]
	}
	return dst
}

// A groupRoom is memory to choose groups in.
type groupRoom struct {
	gains []float64
	keep  []bool
}

var groupRooms = sync.Pool{New: func() any { return new(groupRoom) }}

// largestGroups sets keep for the columns of the s groups whose values have the
// largest sums; of equal ones the lower number.
func largestGroups(keep []bool, values []float64, group []int, s int) {
	room := groupRooms.Get().(*groupRoom)
	defer groupRooms.Put(room)
	room.gains = groupSums(room.gains[:0], values, group)
	room.keep = slices.Grow(room.keep[:0], len(room.gains))[:len(room.gains)]
	largest(room.keep, room.gains, s)
	for l, g := range group {
		keep[l] = room.keep[g]
	}
}
