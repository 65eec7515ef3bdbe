package model

import (
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// TrimLevel is the level of Extras.Flag that a fit was trimmed at.
const TrimLevel = "trim"

// lowestFlag is the lowest share of the rows, other than that of a trimmed fit, whose
// distance a model keeps.
const lowestFlag = 0.9

// levels are the shares whose distances a model keeps: hundredths, and thousandths
// above 0.99; and that which a trimmed fit has kept.
func levels(trim float64) []float64 {
	var all []float64
	for i := int(lowestFlag * 100); i < 100; i++ {
		all = append(all, float64(i)/100)
	}
	for i := 991; i <= 1000; i++ {
		all = append(all, float64(i)/1000)
	}
	if trim > 0 && !slices.Contains(all, 1-trim) {
		all = append(all, 1-trim)
	}
	slices.Sort(all)
	return all
}

// Quantiles returns pairs of a share and the smallest distance that at least this
// share of the row weight does not exceed, of fitted rows, whose weight is mass. Rows
// without a distance are taken to be near; outliers have one.
func Quantiles(rows framework.Rows, distance []float64, mass, trim float64) [][2]float64 {
	want := levels(trim)
	slices.Reverse(want)
	beyond := make([]float64, len(want)) // the weight of the rows that are farther
	for i, share := range want {
		beyond[i] = (1 - share) * mass * (1 + 1e-12)
	}
	var all [][2]float64
	for i, d := range fit.Tail(rows, distance, beyond) {
		all = append(all, [2]float64{want[i], d})
	}
	slices.Reverse(all)
	return all
}

// Extras are what Predict does beside labelling rows.
type Extras struct {
	Flag      string // rows farther than this share of the fitted ones are outliers: a number, or TrimLevel; "": none
	Distances int    // nearest centers whose distances are measured
	Enforce   bool   // rows keep the limits of clusters that the fit had, all together
}

// With returns the model, to predict with extras.
func (m *Model) With(x Extras) (*Model, error) {
	with := *m
	if err := CheckDistances(x.Distances); err != nil {
		return nil, err
	}
	with.distances, with.enforce = x.Distances, x.Enforce
	if x.Enforce {
		if err := m.checkLimits(); err != nil {
			return nil, err
		}
	}
	if x.Flag == "" {
		return &with, nil
	}
	if m.stored.Quantiles == nil && m.elsewhere {
		return nil, framework.Faultf(framework.Data, "no-distances",
			"run %q does not say how far its rows were: they have stayed in an engine", m.run).
			At("flag").WithHint("fit a sample of the rows without %s, from these centers: %s", framework.Setting("engine"),
			framework.SettingTo("start", "NAME_centers"))
	}
	if m.stored.Quantiles == nil {
		return nil, framework.Faultf(framework.Data, "no-distances", "run %q does not say how far its rows were", m.run).At("flag").
			WithHint("an older sqlcluster has fitted it; fit again")
	}
	level, err := strconv.ParseFloat(x.Flag, 64)
	if x.Flag == TrimLevel {
		if m.stored.Trim == 0 {
			return nil, framework.Faultf(framework.Usage, "bad-flag", "the fit of run %q left no rows out", m.run).At("flag").
				WithHint("say how many of the fitted rows are no outliers, as in %s", framework.SettingTo("flag", "0.99"))
		}
		level, err = 1-m.stored.Trim, nil
	}
	at := slices.IndexFunc(m.stored.Quantiles, func(q [2]float64) bool { return math.Abs(q[0]-level) < 1e-9 })
	if err != nil || at < 0 {
		return nil, framework.Faultf(framework.Usage, "bad-flag",
			"%s is %q; it must be a share of the fitted rows (0.9, 0.91 … 0.99, 0.991 … 1) or %s",
			framework.Setting("flag"), x.Flag, TrimLevel).At("flag")
	}
	with.farthest = &m.stored.Quantiles[at][1]
	return &with, nil
}

// CheckDistances refuses what is no number of centers.
func CheckDistances(n int) error {
	if n < 0 {
		return framework.Faultf(framework.Usage, "bad-flag", "%s is %d; it must not be negative", framework.Setting("distances"), n).
			At("distances")
	}
	return nil
}

// Ranked makes rows of a result table of a ranking.
func Ranked(r *fit.Ranking, err error) (*result.Distances, error) {
	if err != nil {
		return nil, err
	}
	return &result.Distances{PerRow: r.PerRow, Cluster: r.Cluster, Distance: r.Distance}, nil
}

// flag takes the cluster of rows away that are farther than allowed, and returns
// their number.
func (m *Model) flag(p *fit.Prediction) (outliers int) {
	for i, d := range p.Distance {
		if m.farthest != nil && d > *m.farthest {
			p.Labels[i], p.Second[i], p.Margin[i] = -1, -1, math.NaN()
			outliers++
		}
	}
	return outliers
}
