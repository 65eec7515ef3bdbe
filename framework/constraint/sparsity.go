package constraint

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// Sparsity is the set of matrices with at most S columns that are not 0
// everywhere: all centers share their features (SKFR1). With PerCenter, each row
// by itself has at most S entries that are not 0: every center has its own
// features (SKFR2). With Groups, S counts groups of columns or entries, which are
// kept or dropped as a whole; Groups has the number of each column's group, from 0.
//
// The columns, entries or groups of the largest gains are kept; ties go to the
// lower number.
//
// Source: Zhang, Lange and Xu (2020), equations 3 and 4,
// https://arxiv.org/abs/2002.08541, and the same with groups in place of columns.
type Sparsity struct {
	S         int
	PerCenter bool
	Groups    []int // nil: each column is a group of its own
}

var _ Selector = Sparsity{}

// Properties implements framework.Set.
func (s Sparsity) Properties() framework.Properties {
	return framework.Properties{Kind: "sparsity", Cone: true, RowWise: s.PerCenter}
}

// Penalty implements framework.Set: there is none.
func (Sparsity) Penalty(framework.Matrix) float64 { return 0 }

// TakesGains implements Selector.
func (Sparsity) TakesGains(bool) bool { return true }

// Held implements Selector: there are no bounds.
func (Sparsity) Held(framework.Matrix) []float64 { return nil }

// Gains writes to dst the gain of each column (length p), summed over the centers
// in their order; with PerCenter, the gain of each entry (length k·p, row-major).
func (s Sparsity) Gains(dst []float64, at framework.Point) {
	if s.PerCenter {
		for j := range at.X.Rows {
			for l := range at.X.Cols {
				dst[j*at.X.Cols+l] = at.GainAt(j, l)
			}
		}
		return
	}
	clear(dst)
	if at.Gain == nil && at.ColMass == nil && at.RowMass != nil {
		kernel.AddSquares(dst, at.X.Data, at.RowMass)
		return
	}
	for j := range at.X.Rows {
		if at.Gain != nil {
			kernel.Add(dst, at.Gain[j*at.X.Cols:][:at.X.Cols])
			continue
		}
		for l := range dst {
			dst[l] += at.GainAt(j, l)
		}
	}
}

// Select sets keep for the largest of these gains: in each run of cols gains (the
// columns of a point), for S columns or the columns of S groups. The gain of a group
// is the sum of its columns' gains, in their order.
func (s Sparsity) Select(keep []bool, gains []float64, cols int) {
	for from := 0; from < len(gains); from += cols {
		if to := from + cols; s.Groups == nil {
			largest(keep[from:to], gains[from:to], s.S)
		} else {
			largestGroups(keep[from:to], gains[from:to], s.Groups, s.S)
		}
	}
}

// Kept returns which columns of a point are kept; with PerCenter, which entries.
func (s Sparsity) Kept(at framework.Point) []bool {
	gains := s.gainsOf(at)
	keep := make([]bool, len(gains))
	s.Select(keep, gains, at.X.Cols)
	return keep
}

func (s Sparsity) gainsOf(at framework.Point) []float64 {
	n := at.X.Cols
	if s.PerCenter {
		n = len(at.X.Data)
	}
	gains := make([]float64, n)
	s.Gains(gains, at)
	return gains
}

// Project implements framework.Set. It returns a Fault if S is negative, the
// groups do not fit the point, or the point is not finite.
func (s Sparsity) Project(dst framework.Matrix, at framework.Point) error {
	if s.S < 0 {
		return framework.Faultf(framework.Data, "bad-set", "sparsity is %d; it must not be negative", s.S)
	}
	if err := CheckPoint(at); err != nil {
		return err
	}
	if err := s.Fits(at.X.Cols); err != nil {
		return err
	}
	Keep(dst, at.X, s.Kept(at))
	return nil
}

// Violation returns the Euclidean norm of all but the S largest columns or groups;
// with PerCenter, of all but the S largest in each row.
func (s Sparsity) Violation(y framework.Matrix) float64 {
	if s.Fits(y.Cols) != nil {
		return math.Inf(1)
	}
	squares := s.gainsOf(framework.Point{X: y})
	var sum float64
	for from := 0; from < len(squares); from += y.Cols {
		row := squares[from : from+y.Cols]
		if s.Groups != nil {
			row = groupSums(nil, row, s.Groups)
		}
		sum += excess(row, s.S)
	}
	return math.Sqrt(sum)
}

// Fits returns a Fault if Groups does not fit p columns.
func (s Sparsity) Fits(p int) error {
	if s.Groups == nil {
		return nil
	}
	if len(s.Groups) != p {
		return framework.Faultf(framework.Data, "bad-set", "sparsity has groups of %s for %s", words.Plural(len(s.Groups), "column"),
			words.Plural(p, "feature"))
	}
	for l, g := range s.Groups {
		if g < 0 || g >= p {
			return framework.Faultf(framework.Data, "bad-set", "sparsity: the group of feature %d is %d, and must be from 0 to %d", l, g, p-1)
		}
	}
	return nil
}

// Keep copies src to dst where keep is set, and writes 0 elsewhere. keep has one
// element for each column, or one for each entry of the matrix. dst may be src.
func Keep(dst, src framework.Matrix, keep []bool) {
	if len(src.Data) == 0 {
		return
	}
	if !slices.Contains(keep, false) {
		copy(dst.Data, src.Data)
		return
	}
	if len(keep) == src.Cols && &dst.Data[0] != &src.Data[0] {
		clear(dst.Data)
		for l, kept := range keep {
			if !kept {
				continue
			}
			for i := l; i < len(src.Data); i += src.Cols {
				dst.Data[i] = src.Data[i]
			}
		}
		return
	}
	for j := range src.Rows {
		kept, to := keep[j*src.Cols%len(keep):], dst.Row(j)
		for l, v := range src.Row(j) {
			if !kept[l] {
				v = 0
			}
			to[l] = v
		}
	}
}

// GroupsOf returns the group of each column of a problem, as for Sparsity.Groups,
// and the number of groups. It returns nil if no group has more than one column: a
// sparsity of groups is then a sparsity of columns.
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
