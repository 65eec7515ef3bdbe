package fit

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// Values of Settings.InitSpace: the units in which starts are made.
const (
	Both   = "both"   // of restarts 0, 2, … Fitted, of the others Raw
	Fitted = "fitted" // those of the fit: columns are scaled
	Raw    = "raw"    // the columns' own
)

// Space returns the units of one restart: Fitted or Raw. With Both, a restart
// has the very start that it has with its units alone.
func (s Settings) Space(restart int) string {
	if s.InitSpace != Both {
		return s.InitSpace
	}
	if restart%2 == 0 {
		return Fitted
	}
	return Raw
}

// seeders make the starts of a fit: those of even restarts, and those of odd ones.
type seeders [2]*seeding.Seeder

func (s seeders) of(restart int) *seeding.Seeder { return s[restart%2] }

// seeders returns what makes the starts of a fit: those it shares with others, if
// there are any.
func (s Start) seeders(p framework.Problem, rows framework.Rows, settings Settings) (seeders, error) {
	if s.Shared != nil && !s.Given() {
		return s.Shared.of(p.K)
	}
	return newSeeders(p, rows, s, settings)
}

// newSeeders returns what makes the starts of all restarts, nothing if one is given.
func newSeeders(p framework.Problem, rows framework.Rows, start Start, s Settings) (all seeders, err error) {
	if start.Given() {
		return all, nil
	}
	parity := func(first, restarts int) (*seeding.Seeder, error) {
		return seeding.New(s.Init, rows, seeding.Options{
			K: p.K, Seed: p.Seed, Restarts: restarts, Space: UnitsOf(p, s.Space(first)), Threads: s.Threads, Links: p.Links,
		})
	}
	if s.InitSpace != Both || s.Restarts == 1 {
		all[0], err = parity(0, s.Restarts)
		all[1] = all[0]
		return all, err
	}
	if all[0], err = parity(0, (s.Restarts+1)/2); err == nil {
		all[1], err = parity(1, s.Restarts/2)
	}
	return all, err
}

// UnitsOf returns the weight of each feature in the squared distances of seeding,
// of which only the proportions matter; nil: all 1.
func UnitsOf(p framework.Problem, space string) []float64 {
	if space != Raw {
		return nil
	}
	largest := 0.0
	for _, c := range p.Columns {
		largest = max(largest, c.Scale)
	}
	// In units of a power of two near the largest scale, no square overflows, and
	// none vanishes that is worth anything.
	_, exponent := math.Frexp(largest)
	w := make([]float64, p.P)
	for l, c := range p.Columns {
		s := math.Ldexp(c.Scale, -exponent)
		w[l] = s * s
	}
	return w
}
