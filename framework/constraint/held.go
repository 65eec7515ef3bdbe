package constraint

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// KeepEmpty handles clusters without rows, whose points are the origin. If the
// origin is not in the set, it returns the point with the model's present centers
// for these clusters. Before the first projection there are none.
func KeepEmpty(set framework.Set, m *framework.Model, at framework.Point) framework.Point {
	if m.Round == 0 {
		return at
	}
	var x framework.Matrix
	for j, n := range at.RowMass {
		if n > 0 {
			continue
		}
		origin := m.Centers.Clone()
		clear(origin.Row(j))
		if set.Violation(origin) == 0 {
			continue
		}
		if x.Data == nil {
			x = at.X.Clone()
		}
		copy(x.Row(j), m.Centers.Row(j))
	}
	if x.Data != nil {
		at.X = x
	}
	return at
}

// HeldBack turns the gain m x² of entries with means x into their gain at the
// centers θ that the set has projected them to, compared with a center of 0:
// m (x² − (x − θ)²). It is negative where 0 would be better but is not in the set.
func HeldBack(gains, x, theta []float64) {
	for i, v := range theta {
		if x[i] != 0 && v != x[i] {
			gains[i] = heldGain(x[i], v, gains[i])
		}
	}
}

// heldGain returns m (x² − (x − θ)²) for a mean x, not 0, of gain m x².
func heldGain(x, theta, gain float64) float64 {
	off := (x - theta) / x
	if squared := float64(off * off); !math.IsInf(squared, 0) {
		return gain * (1 - squared)
	}
	// If the mean is near 0 and θ far from it, no step of this overflows.
	by := x - theta
	return gain - float64(float64(float64(float64(gain/x)*by)/x)*by)
}

// A Selector is a set that selects features: it drops those whose centers it sets
// to 0. For other sets, 0 is a value like any other.
type Selector interface {
	framework.Set
	TakesGains(medians bool) bool
	Held(x framework.Matrix) []float64 // the entries moved to within its bounds; nil: it has no bounds
}

// Selects reports whether the set, or one of the sets whose intersection it is, is
// a Selector.
func Selects(set framework.Set) bool {
	switch s := set.(type) {
	case Selector:
		return true
	case Parted:
		return slices.ContainsFunc(s.Members(), func(p Part) bool { return Selects(p.Set) })
	}
	return false
}

// TakesGains reports whether the set can project points that have gains in place
// of masses: means of observed cells, or medians.
func TakesGains(set framework.Set, medians bool) bool {
	if s, ok := set.(Selector); ok {
		return s.TakesGains(medians)
	}
	p := set.Properties()
	return p.Separable && (p.Convex || !medians)
}

// EntryGains returns for each of k·p entries how much worse the objective is if the
// entry is 0 instead of where the set puts it. In a sparsity with bounds that is
// less than its gain where a bound moves the entry.
func EntryGains(set framework.Set, at framework.Point) []float64 {
	gain := make([]float64, len(at.X.Data))
	for i := range gain {
		gain[i] = at.GainAt(i/at.X.Cols, i%at.X.Cols)
	}
	if s, ok := set.(Selector); ok {
		HeldBack(gain, at.X.Data, s.Held(at.X))
	}
	return gain
}

// A Part is one set of several.
type Part struct {
	Name string // for messages
	Set  framework.Set
}

// Parted is a set that is an intersection of others.
type Parted interface{ Members() []Part }
