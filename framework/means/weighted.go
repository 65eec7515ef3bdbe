package means

import (
	"cmp"
	"context"
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

// Weighted is k-means with feature weights w that a set T chooses, with its
// penalty h:
//
//	maximise  Σ_l w_l b_l − h(w)  over partitions and w in T
//
// b_l is the sum of squares between the clusters, see Update.Between. It
// alternates k-means on distances Σ_l w_l (x_il − θ_jl)², from the partition as
// it is, until that settles, and the best w for the partition. The objective
// never falls from the first feasible w on. The first round is plain k-means;
// its objective has w_l = 1/√p. The result's w are the best ones for its labels.
//
// With restricted centers θ it is k-means with centers projected onto their set,
// and b_l is less by what they are held off the means, see Restricted.Hold. So
// the criterion is Σ_l w_l (total_l − within_l) − h(w) with within_l about θ, and
// labels, centers and weights are each the best for the other two: it never
// falls either. θ is the best for the labels and w; the centers of the result
// are that for the w before the last update, which changed them by no more than
// Tol says.
//
// It is a framework.Clusterer, to be returned by an algorithm's New.
type Weighted struct {
	sums      Sums
	k, p      int
	mass      float64   // what gains are divided by
	noise     []float64 // by column: what rounding may leave of b_l where it is 0
	weighting Weighting
	room      *Room
}

var (
	_ framework.Clusterer = (*Weighted)(nil)
	_ framework.Preparer  = (*Weighted)(nil)
	_ framework.Pather    = (*Weighted)(nil)
)

// weightUpdates is the name in Model.Aux of the number of updates of w.
const weightUpdates = "weight_updates"

// NewWeighted returns the clusterer of a problem.
func NewWeighted(p framework.Problem, w Weighting) *Weighted {
	c := &Weighted{sums: NewSums(p), room: NewRoom(p.N), k: p.K, p: p.P, mass: 1, weighting: w}
	if w.PerRow && p.Mass > 0 {
		c.mass = p.Mass
	}
	for _, col := range p.Columns {
		c.noise = append(c.noise, Noise(col))
	}
	return c
}

// Noise returns what rounding may leave of a column's sum of squares between
// clusters whose means are equal. Without it, a partition into one cluster would have
// weights. A mean is known to about 1e-16 of its size, and to 1e-16 of the
// spread for each of the rows that are summed, in the worst case; the means of
// groups of rows taken at random differ by far more.
func Noise(c framework.Column) float64 {
	ofMean := float64(3e-15 * c.Mean)
	return float64(1e-20*c.SumSq) + float64(c.Mass*float64(ofMean*ofMean))
}

// WeightedParams returns the parameters that algorithms with Weighted share.
// See Weighting.Stop for their values.
func WeightedParams() []framework.Param {
	return []framework.Param{
		{Name: "weight_tol", Type: framework.RealParam, Default: "1e-4", Min: new(0.0), Max: new(1.0),
			Doc: "weights are at rest when the sum of their changes is at most this part of their sum"},
		{Name: "weight_updates", Type: framework.IntParam, Default: "50", Min: new(1.0),
			Doc: "largest number of updates of the feature weights in a start"},
		{Name: "missing", Type: framework.ChoiceParam, Default: "observed", Choices: []string{"observed", "error"},
			Doc: "missing cells: observed leaves them out of every sum, error refuses them"},
	}
}

// Stop sets Tol and Updates from the values of WeightedParams.
func (w Weighting) Stop(p framework.Params) Weighting {
	w.Tol, w.Updates = p.Real("weight_tol"), p.Int("weight_updates")
	return w
}

// Plan implements framework.Clusterer.
func (c *Weighted) Plan() framework.Plan {
	p := framework.Plan{Stats: c.sums.Declare(), Maximize: true, Monotone: true, Squared: true}
	p.Cadence[framework.Centers] = framework.EveryUpdate
	p.Cadence[framework.FeatureWeights] = framework.WhenSettled
	return p
}

// Begin implements framework.Clusterer.
func (c *Weighted) Begin() *framework.Model {
	m := &framework.Model{
		Centers: framework.NewMatrix(c.k, c.p), Weights: make([]float64, c.p),
		Selected: make([]bool, c.p), Gain: make([]float64, c.p),
		Aux: map[string][]float64{weightUpdates: {0}},
	}
	for l := range m.Weights {
		m.Weights[l], m.Selected[l] = 1/math.Sqrt(float64(c.p)), true
	}
	return m
}

// weightedCache is what is kept with a model.
type weightedCache struct {
	centers Centers
	update  Update
	means   framework.Point
	gains   framework.Point
	theta   framework.Matrix // room for restricted centers
}

func weightedCacheOf(m *framework.Model) *weightedCache {
	if m.Cache == nil {
		m.Cache = new(weightedCache)
	}
	return m.Cache.(*weightedCache)
}

// Prepare implements framework.Preparer. As long as all weights are equal,
// distances are plain ones, so that equal distances are equal in bits.
func (c *Weighted) Prepare(m *framework.Model) {
	weightedCacheOf(m).centers.Prepare(m.Centers, Distance{Observed: c.sums.Missing, Weights: weightsOf(m)})
}

// weightsOf returns the feature weights of distances: nil, for all 1, until they
// are first updated.
func weightsOf(m *framework.Model) []float64 {
	if m.Aux[weightUpdates][0] == 0 {
		return nil
	}
	return m.Weights
}

// Grid implements framework.Pather.
func (c *Weighted) Grid(m *framework.Model, n int) []float64 { return c.weighting.Grid(m.Gain, n) }

// Evenly returns n values from first to last, at even distances.
func Evenly(first, last float64, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		part := float64(i) / max(1, float64(n-1))
		grid[i] = float64(first*(1-part)) + float64(last*part)
	}
	return grid
}

// Scratch implements framework.Clusterer.
func (c *Weighted) Scratch(int) framework.Scratch { return c.room.Panel() }

// Assign implements framework.Clusterer.
func (c *Weighted) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	m.Cache.(*weightedCache).centers.Assign(labels, b, s.(*Panel))
	return nil
}

// Collect implements framework.Clusterer.
func (c *Weighted) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	return c.sums.Collect(b, from, to, s)
}

// Update implements framework.Clusterer. The objective is that of the labels and
// the weights, with the best centers for them; it does not depend on the centers
// of the model, but where these are restricted and a cluster has no rows.
func (c *Weighted) Update(_ context.Context, m *framework.Model, s framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	room := weightedCacheOf(m)
	c.sums.Update(&room.update, m.Centers, s)
	u := &room.update
	if room.gains.X.Data == nil {
		room.gains.X = framework.NewMatrix(1, c.p)
	}
	gains := room.gains.X.Data
	u.Between(gains)
	step := framework.Step{Mass: u.Mass}
	for l, b := range gains {
		if b <= c.noise[l] {
			gains[l] = 0
		}
	}
	room.means = framework.Point{X: u.Mean, RowMass: u.Mass}
	if c.weighting.Centers != nil {
		room.means.ColMass = slices.Clone(weightsOf(m))
		if err := c.weighting.Centers.Hold(gains, u, m, room.means, &room.theta); err != nil {
			return framework.Step{}, err
		}
	}
	for l, w := range m.Weights {
		gains[l] /= c.mass
		step.Objective += float64(w * gains[l])
	}
	step.Objective -= c.weighting.Set.Penalty(framework.Matrix{Rows: 1, Cols: c.p, Data: m.Weights})
	step.At[framework.Centers], step.At[framework.FeatureWeights] = &room.means, &room.gains
	return step, nil
}

// Project implements framework.Clusterer.
func (c *Weighted) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.Centers {
		if c.weighting.Centers == nil {
			m.Centers.CopyFrom(at.X)
		} else if err := c.weighting.Centers.Nearest(m.Centers, m, at); err != nil {
			return framework.Outcome{}, err
		}
		m.Round++
		return framework.Outcome{}, nil
	}
	before := slices.Clone(m.Weights)
	w := framework.Matrix{Rows: 1, Cols: c.p, Data: m.Weights}
	if err := c.weighting.Set.Project(w, at); err != nil {
		return framework.Outcome{}, err
	}
	copy(m.Gain, at.X.Data)
	var change, of, all float64
	for l, v := range m.Weights {
		m.Selected[l] = v > 0
		change += math.Abs(v - before[l])
		of += math.Abs(before[l])
		all += v
	}
	m.Aux[weightUpdates][0]++
	switch {
	case all == 0:
		return framework.Outcome{Stop: framework.AllZero}, nil
	case change <= float64(c.weighting.Tol*of):
		return framework.Outcome{}, nil
	case int(m.Aux[weightUpdates][0]) >= c.weighting.Updates:
		return framework.Outcome{Change: change, Stop: "max_iter"}, nil
	}
	return framework.Outcome{Change: change}, nil
}

// Distances implements framework.Clusterer.
func (c *Weighted) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	m.Cache.(*weightedCache).centers.Distances(dst, b)
	return nil
}

// Features implements framework.Selector. Features are ranked by the norm of the
// weights of their group, then by that of its gains, and within a group by weight
// and by gain.
func (c *Weighted) Features(m *framework.Model) []framework.Feature {
	features := make([]framework.Feature, c.p)
	order := make([]int, c.p)
	group, squares, gains := make([]int, c.p), make([]float64, c.p), make([]float64, c.p)
	for g, of := range c.weighting.Groups {
		var sum, gain float64
		for _, l := range of {
			sum += float64(m.Weights[l] * m.Weights[l])
			gain += float64(m.Gain[l] * m.Gain[l])
		}
		for _, l := range of {
			group[l], squares[l], gains[l] = g, sum, gain
		}
	}
	for l := range features {
		order[l] = l
		features[l] = framework.Feature{Column: l, Cluster: -1, Selected: m.Selected[l], Weight: m.Weights[l], Gain: m.Gain[l]}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := features[a], features[b]
		return cmp.Or(cmp.Compare(squares[b], squares[a]), cmp.Compare(gains[b], gains[a]), cmp.Compare(group[a], group[b]), cmp.Compare(y.Weight, x.Weight), cmp.Compare(y.Gain, x.Gain))
	})
	for rank, l := range order {
		features[l].Rank = rank + 1
	}
	return features
}
