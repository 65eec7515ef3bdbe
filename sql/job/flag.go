package job

import (
	"cmp"
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

// A weighed distance is that of a row.
type weighed struct{ distance, weight float64 }

// quantiles returns pairs of a share and the smallest distance that at least this
// share of the row weight does not exceed, of fitted rows. Rows without a distance do
// not count, outliers do.
func quantiles(distance, weights []float64, trim float64) [][2]float64 {
	want := levels(trim)
	rows := make([]weighed, 0, len(distance))
	mass := 0.0
	for i, d := range distance {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		if d == d && w > 0 {
			rows = append(rows, weighed{d, w})
			mass += w
		}
	}
	if mass == 0 {
		return nil
	}
	rows, below := far(rows, want[0]*mass)
	all := make([][2]float64, 0, len(want))
	for _, r := range rows {
		below += r.weight
		for len(all) < len(want) && below >= want[len(all)]*mass*(1-1e-12) {
			all = append(all, [2]float64{want[len(all)], r.distance})
		}
	}
	return all
}

// far returns the rows without those that are near, in the order of their distances,
// and the weight of the others, which is below most. A sample says about where to cut,
// so that not all rows have to be sorted.
func far(rows []weighed, most float64) (_ []weighed, below float64) {
	byDistance := func(a, b weighed) int { return cmp.Compare(a.distance, b.distance) }
	const size = 1000
	if len(rows) > 4*size {
		var sample []weighed
		for i := 0; i < len(rows); i += len(rows) / size {
			sample = append(sample, rows[i])
		}
		slices.SortFunc(sample, byDistance)
		cut := sample[len(sample)/2].distance
		var rest []weighed
		for _, r := range rows {
			if r.distance < cut {
				below += r.weight
			} else {
				rest = append(rest, r)
			}
		}
		if below < most {
			rows = rest
		} else {
			below = 0
		}
	}
	slices.SortFunc(rows, byDistance)
	return rows, below
}

// Extras are what Predict does beside labelling rows.
type Extras struct {
	Flag      string // rows farther than this share of the fitted ones are outliers: a number, or TrimLevel; "": none
	Distances int    // nearest centers whose distances are measured
}

// With returns the model, to predict with extras.
func (m *Model) With(x Extras) (*Model, error) {
	with := *m
	if err := checkDistances(x.Distances); err != nil {
		return nil, err
	}
	with.distances = x.Distances
	if x.Flag == "" {
		return &with, nil
	}
	if m.stored.Quantiles == nil {
		return nil, framework.Faultf(framework.Data, "no-distances", "run %q does not say how far its rows were", m.run).At("flag").
			WithHint("an older sqlcluster has fitted it; fit again")
	}
	level, err := strconv.ParseFloat(x.Flag, 64)
	if x.Flag == TrimLevel {
		if m.stored.Trim == 0 {
			return nil, wrong("flag", "the fit of run %q left no rows out", m.run).
				WithHint("say how many of the fitted rows are no outliers, as in %s", framework.SettingTo("flag", "0.99"))
		}
		level, err = 1-m.stored.Trim, nil
	}
	at := slices.IndexFunc(m.stored.Quantiles, func(q [2]float64) bool { return math.Abs(q[0]-level) < 1e-9 })
	if err != nil || at < 0 {
		return nil, wrong("flag", "%s is %q; it must be a share of the fitted rows, %g to 0.99 in hundredths, to 1 in thousandths, or %s",
			framework.Setting("flag"), x.Flag, lowestFlag, TrimLevel)
	}
	with.farthest = &m.stored.Quantiles[at][1]
	return &with, nil
}

// checkDistances refuses what is no number of centers.
func checkDistances(n int) error {
	if n < 0 {
		return wrong("distances", "%s is %d; it must not be negative", framework.Setting("distances"), n)
	}
	return nil
}

// ranked makes rows of a result table of a ranking.
func ranked(r *fit.Ranking, err error) (*result.Distances, error) {
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
