package constraint

import "github.com/sqlcluster/sqlcluster/framework"

// The sets of centers cost nothing in the objective: a point is in them or not.

// Penalty implements framework.Set: there is none.
func (*convex) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (*together) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (bounds) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (Box) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (Fixed) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (HalfSpace) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (JointHalfSpace) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (L1Ball) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (L2Ball) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (Monotone) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (NonNegative) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (Simplex) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (sparseBox) Penalty(framework.Matrix) float64 { return 0 }

// Penalty implements framework.Set: there is none.
func (sparseRows) Penalty(framework.Matrix) float64 { return 0 }
