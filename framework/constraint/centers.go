package constraint

import "github.com/sqlcluster/sqlcluster/framework"

// KeepEmpty returns the point that is projected, for centers that are in the
// set: with the present center of each cluster without rows (of row mass 0)
// where the origin, at which it would stay, is not in the set. The other points
// are as they are. It writes to neither.
func KeepEmpty(set framework.Set, centers framework.Matrix, at framework.Point) framework.Point {
	var x framework.Matrix
	for j, n := range at.RowMass {
		if n > 0 {
			continue
		}
		origin := centers.Clone()
		clear(origin.Row(j))
		if set.Violation(origin) == 0 {
			continue
		}
		if x.Data == nil {
			x = at.X.Clone()
		}
		copy(x.Row(j), centers.Row(j))
	}
	if x.Data != nil {
		at.X = x
	}
	return at
}

// Selects reports whether the set, or a part of it, is a sparsity: it keeps some
// features and drops others.
func Selects(set framework.Set) bool {
	switch s := set.(type) {
	case TopColumns, TopEntries, TopGroups, sparseBox, sparseRows:
		return true
	case *Declared:
		for _, part := range s.Parts {
			if Selects(part.Set) {
				return true
			}
		}
	}
	return false
}
