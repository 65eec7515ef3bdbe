package means

import (
	"cmp"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Weighting says how Weighted chooses the weights of features.
type Weighting struct {
	Set     framework.Set // of the feature weights (1×p): a Maximize set
	Groups  [][]int       // features that are ranked together; nil: each by itself
	PerRow  bool          // gains are divided by the weight of all rows, so that they are variances
	Tol     float64       // weights are at rest when Σ|w − w_old| ≤ Tol · Σ|w_old|
	Updates int           // most updates of the weights, at least 1
	Centers *Restricted   // nil: centers are means

	// Grid is that of framework.Pather, for the gains (length p) of plain k-means.
	Grid func(gains []float64, n int) []float64
}

// WeightUpdates is the name in Model.Aux of the number of updates of the feature
// weights.
const WeightUpdates = "weight_updates"

// BeginWeights gives a model equal feature weights, of which none has been updated.
func BeginWeights(m *framework.Model, weight float64) {
	p := m.Centers.Cols
	m.FeatureWeights, m.Gain = slices.Repeat([]float64{weight}, p), make([]float64, p)
	m.Selected = slices.Repeat([]bool{true}, p)
	m.Aux = map[string][]float64{WeightUpdates: {0}}
}

// UsedWeights returns the feature weights of a model's distances; nil means all 1.
// Until the weights are first updated they are all equal. Distances then have no
// weights, so that equal distances have equal bits.
func UsedWeights(m *framework.Model) []float64 {
	if updates, ok := m.Aux[WeightUpdates]; ok && updates[0] == 0 {
		return nil
	}
	return m.FeatureWeights
}

// Noises holds Noise of each column.
type Noises []float64

// NoisesOf returns those of a problem's columns.
func NoisesOf(p framework.Problem) Noises {
	all := make(Noises, len(p.Columns))
	for l, col := range p.Columns {
		all[l] = Noise(col)
	}
	return all
}

// Clear sets sums of squares between clusters to 0 if they may be rounding only.
func (n Noises) Clear(between []float64) {
	for l, noise := range n {
		if between[l] <= noise {
			between[l] = 0
		}
	}
}

// Noise returns the sum of squares between clusters that rounding may leave in a
// column whose means are all equal. Without it, even a partition into one cluster
// would get feature weights. A mean is known to about 1e-16 of its size, plus at
// worst 1e-16 of the spread for each row that is summed; the means of random groups
// of rows differ by far more.
func Noise(c framework.Column) float64 {
	ofMean := float64(3e-15 * c.Mean)
	return float64(1e-20*c.SumSq) + float64(c.Mass*float64(ofMean*ofMean))
}

// StopParams returns the parameters that Stop reads, with the default of the
// largest number of updates.
func StopParams(updates string) []framework.Param {
	return []framework.Param{
		{Name: "weight_tol", Type: framework.RealParam, Default: "1e-4", Min: new(0.0), Max: new(1.0),
			Doc: "weights are at rest when the sum of their changes is at most this part of their sum"},
		{Name: "weight_updates", Type: framework.IntParam, Default: updates, Min: new(1.0),
			Doc: "largest number of updates of the feature weights in a start"},
	}
}

// Stop sets Tol and Updates from the values of StopParams.
func (w Weighting) Stop(p framework.Params) Weighting {
	w.Tol, w.Updates = p.Real("weight_tol"), p.Int("weight_updates")
	return w
}

// Project writes the best feature weights for the gains at to the model, and says
// whether they have come to rest.
func (w Weighting) Project(m *framework.Model, at framework.Point) (framework.Outcome, error) {
	before := slices.Clone(m.FeatureWeights)
	if err := w.Set.Project(framework.Matrix{Rows: 1, Cols: len(m.FeatureWeights), Data: m.FeatureWeights}, at); err != nil {
		return framework.Outcome{}, err
	}
	copy(m.Gain, at.X.Data)
	var change, of, all float64
	for l, v := range m.FeatureWeights {
		m.Selected[l] = v > 0
		change += math.Abs(v - before[l])
		of += math.Abs(before[l])
		all += v
	}
	m.Aux[WeightUpdates][0]++
	switch {
	case all == 0:
		return framework.Outcome{Stop: framework.AllZero}, nil
	case change <= float64(w.Tol*of):
		return framework.Outcome{}, nil
	case int(m.Aux[WeightUpdates][0]) >= w.Updates:
		return framework.Outcome{Change: change, Stop: "max_iter"}, nil
	}
	return framework.Outcome{Change: change}, nil
}

// Features returns what a model says of its features, as framework.Selector does.
// They are ranked by the norm of the weights of their group, then by that of its
// gains, and within a group by weight and by gain.
func (w Weighting) Features(m *framework.Model) []framework.Feature {
	p := len(m.FeatureWeights)
	features := make([]framework.Feature, p)
	order := make([]int, p)
	group, squares, gains := make([]int, p), make([]float64, p), make([]float64, p)
	for g, of := range w.Groups {
		var sum, gain float64
		for _, l := range of {
			sum += float64(m.FeatureWeights[l] * m.FeatureWeights[l])
			gain += float64(m.Gain[l] * m.Gain[l])
		}
		for _, l := range of {
			group[l], squares[l], gains[l] = g, sum, gain
		}
	}
	for l := range features {
		order[l] = l
		features[l] = framework.Feature{Column: l, Cluster: -1, Selected: m.Selected[l], Weight: m.FeatureWeights[l], Gain: m.Gain[l]}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := features[a], features[b]
		return cmp.Or(cmp.Compare(squares[b], squares[a]), cmp.Compare(gains[b], gains[a]), cmp.Compare(group[a], group[b]),
			cmp.Compare(y.Weight, x.Weight), cmp.Compare(y.Gain, x.Gain))
	})
	for rank, l := range order {
		features[l].Rank = rank + 1
	}
	return features
}

// Evenly returns n values from first to last, at even distances.
func Evenly(first, last float64, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		part := float64(i) / max(1, float64(n-1))
		grid[i] = float64(first*(1-part)) + float64(last*part)
	}
	return grid
}
