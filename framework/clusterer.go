package framework

import (
	"context"
	"math"
)

// An Algorithm describes itself and makes a Clusterer for a problem.
type Algorithm interface {
	Describe() Description
	// New checks what only the problem can tell (a sparsity above p, say) and
	// returns a Fault if it does not fit. p.Params must be resolved.
	New(p Problem) (Clusterer, error)
}

// A Clusterer is one algorithm bound to one problem. See the package comment
// for who writes what; package means has the parts that k-means-like methods
// embed.
//
// Optional interfaces, which [As] finds: [Preparer], [Selector], [Pather], [Linker],
// [CommonCollector], [Measurer], [Coster], [Foreseer].
type Clusterer interface {
	// Plan is fixed for the life of the clusterer.
	Plan() Plan

	// Begin returns a new model before the first Project: centers k×p of zeros.
	// The other parts of the clusterer's models are as long as those of this one,
	// by which those of a stored model are checked.
	Begin() *Model

	// Scratch returns private memory for the block with the given number of
	// rows. It is given back to Assign for that block, or a fresh one is.
	Scratch(rows int) Scratch

	// Assign replaces the label of each row of the block by that of its
	// nearest center. It may read the row's present label (the fill of a
	// missing cell depends on it), and no other row's.
	Assign(m *Model, b Block, labels []int32, s Scratch) error

	// Collect adds statistics(to) − statistics(from) of the block's rows to s;
	// a label of −1 contributes nothing. A nil from is all −1. It reads no
	// model. Row weights are those of the block, which may have a Part.
	Collect(b Block, from, to []int32, s Stats) error

	// Update returns the objective of (m, labels), and from the same statistics
	// the points to project next. Where rows have no label, only the points must
	// be right, and they must be those of the other rows. It reads rows and labels only if the plan
	// says NeedsRows; otherwise both may be nil. The step may share memory with
	// m.Cache, and is valid until the next Update of m.
	Update(ctx context.Context, m *Model, s Stats, rows Rows, labels []int32) (Step, error)

	// Project writes to the model the point of the target's constraint set
	// that is nearest to at (centers) or best for it (feature weights).
	Project(m *Model, t Target, at Point) (Outcome, error)

	// Distances writes to dst (block rows × k) the distance of each row to each
	// center over all features, squared where the loss is squared. Missing
	// cells are left out of the sum.
	Distances(m *Model, b Block, dst Matrix) error
}

// A Preparer is a Clusterer that does something once for all blocks.
type Preparer interface {
	// Prepare makes m ready for Assign and Distances. A driver calls it after
	// every change of the model, before the next of these, and at the same time
	// as neither. What it keeps goes to m.Cache, where it finds what it kept of
	// the model's earlier states.
	Prepare(m *Model)
}

// A Foreseer is a Clusterer that saves time by knowing how long its runs can be: what pays
// only in later iterations is not done for few. It changes no result.
type Foreseer interface {
	// Foresee says that the runs that follow have at most so many iterations. A driver
	// may leave it out, and calls it before Scratch.
	Foresee(iterations int)
}

// A CommonCollector is a Clusterer whose statistics do not depend on parameters, nor
// on the seed: what it collects for labels is, to the last bit, what any clusterer of
// the algorithm collects for them that is bound to the same rows with the same number
// of clusters. Fits with other parameters then share the statistics of their starts.
type CommonCollector interface {
	// CollectsInCommon says so for this problem.
	CollectsInCommon() bool
}

// A Measurer is a Clusterer that knows what a result says of a row sooner than by the
// distances to all centers.
type Measurer interface {
	// Measure writes to to, one for each row of the block, what follows from Distances,
	// to the last bit. It returns false if it has not done so for this model; the driver
	// then asks for the distances.
	Measure(m *Model, b Block, labels []int32, to []Measured) (bool, error)
}

// A Coster is a Clusterer that knows what labels cost sooner, or better, than by
// Distances. Only algorithms that describe Labels are asked.
type Coster interface {
	// Costs writes to dst (block rows × k) what each row would cost the objective with
	// each label, if it weighed 1: numbers ≥ 0, but for what is the same for all labels of the
	// row. It reads the row's present label, as Assign does, and gets the scratch of that.
	Costs(m *Model, b Block, labels []int32, s Scratch, dst Matrix) error
}

// Measured is where a row lies between two centers. Distances are those of
// Clusterer.Distances.
type Measured struct {
	Own      int32   // the row's label, or the nearest center if that is −1
	Second   int32   // the nearest of the other centers, −1 if there is none; the lowest of equals, as Own
	Distance float64 // to Own
	Other    float64 // to Second, +Inf if there is none
}

// Between returns where a row lies, from its distances to all centers. own is its label,
// or −1.
func Between(d []float64, own int) Measured {
	if own < 0 {
		own = nearestBut(d, -1)
	}
	v := Measured{Own: int32(own), Second: int32(nearestBut(d, own)), Distance: d[own], Other: math.Inf(1)}
	if v.Second >= 0 {
		v.Other = d[v.Second]
	}
	return v
}

// nearestBut returns the lowest index of the smallest distance other than that
// of center skip, or −1.
func nearestBut(d []float64, skip int) int {
	best := -1
	for j, v := range d {
		if j != skip && (best < 0 || v < d[best]) {
			best = j
		}
	}
	return best
}

// A Linker is a Clusterer that heeds the links of its problem. Its plan says
// Linked if there are any. Assign then leaves linked rows as they are, and reads
// none of them.
type Linker interface {
	// AssignLinked labels the linked rows, one after the other in row order, each
	// by the model and the labels that the others have at that moment. A driver
	// calls it after Assign of all blocks. It changes no other label.
	AssignLinked(ctx context.Context, m *Model, rows Rows, labels []int32) error

	// LinkCosts returns what each of the problem's links costs the objective,
	// in their order: 0 for those that the labels keep.
	LinkCosts(ctx context.Context, m *Model, rows Rows, labels []int32) ([]float64, error)
}

// A Selector is a Clusterer that keeps some features and drops others.
type Selector interface {
	// Features returns what the model says of each feature, in column order:
	// one row a feature, or k rows a feature when selection is by cluster.
	Features(m *Model) []Feature
}

// A Pather is a Selector with a parameter, Description.Path, that decides how
// much is selected: its runs over many values of it are a path.
type Pather interface {
	Selector
	// Grid returns up to n values for the parameter, the least sparse first. m
	// is the model of an ordinary k-means clustering: one Update and Project of
	// its labels.
	Grid(m *Model, n int) []float64
}

// A Feature is one row of the feature-selection table.
type Feature struct {
	Column   int
	Cluster  int     // −1: selected for all clusters alike
	Selected bool    // true for all where nothing is selected
	Weight   float64 // feature weight; NaN where the method has none
	Gain     float64 // what the objective loses when the feature is dropped, or when one of weight 1 is

	// Rank is 1 for the most important feature (within the cluster, when there is
	// one): the one of largest weight or, without weights, of largest gain. Where
	// groups are selected, their features follow each other. It is 0 where nothing is
	// selected: such a Selector only says what features gain.
	Rank int
}

// A Scratch is memory that a Clusterer keeps for one block between calls.
// Dropping it changes no result.
type Scratch any

// A Releaser is a Scratch that the driver tells when it drops it, so that another one may have its memory.
type Releaser interface{ Release() }

// A Target names what a Project step writes.
type Target int

// The targets, in the order in which a driver projects them.
const (
	Centers Target = iota
	FeatureWeights
	Targets // number of targets
)

// A Cadence says when a target is projected.
type Cadence int

// The cadences.
const (
	Never       Cadence = iota
	EveryUpdate         // after every Assign
	WhenSettled         // when no row moves any more; the rows then move on from where they are
)

// A Plan tells the driver how to run a clusterer.
type Plan struct {
	Stats    []Stat // the statistics, in the order of Stats
	Cadence  [Targets]Cadence
	Maximize bool // the objective is to be made large, not small
	// Monotone: the objective never gets worse from one iteration to the next, nor
	// from one projection WhenSettled to the next. The first of these may make it
	// worse: what Begin chose need not be in the target's set.
	Monotone  bool
	NeedsRows bool // Update reads rows and labels
	Linked    bool // linked rows are assigned by Linker.AssignLinked
	Fresh     bool // a round of iterations begins without labels, from centers alone
	Passes    int  // most iterations of a round; 0: no limit
	Squared   bool // Distances are squares of distances
	Noise     bool // Assign may leave a row without a cluster: it gets the label −1
	OneModel  bool // calls for several models at a time are slow: runs come one after the other
}

// A Stat declares one additive statistic: Len numbers.
type Stat struct {
	Name string
	Len  int
}

// Stats holds one slice for each declared Stat, in declared order.
type Stats [][]float64

// NewStats returns zero statistics of the declared lengths.
func NewStats(declared []Stat) Stats {
	s := make(Stats, len(declared))
	for i, d := range declared {
		s[i] = make([]float64, d.Len)
	}
	return s
}

// Add adds other to s, entry by entry. Both must have the same declaration.
func (s Stats) Add(other Stats) {
	for i, v := range other {
		for j, x := range v {
			s[i][j] += x
		}
	}
}

// Zero sets every entry to 0.
func (s Stats) Zero() {
	for _, v := range s {
		clear(v)
	}
}

// A Model is the small, serialisable state of a fit.
type Model struct {
	Centers        Matrix    // k×p, fitted space
	FeatureWeights []float64 // feature weights, length p; nil where the method has none
	Selected       []bool    // length p, or k·p when selection is by cluster; nil where the method selects nothing
	Gain           []float64 // as Selected: the gains of the last projection
	Aux            map[string][]float64
	Round          int // times that the centers were projected

	// Cache is memory that a Clusterer keeps for this model between calls. It is
	// not copied and does not travel, nor is it written down. Dropping it changes no
	// result.
	Cache any `json:"-"`

	// Share, if not nil, calls work for every i below n, on several goroutines, and returns
	// when all calls have ended. A driver sets it for calls of Prepare and Update whose
	// work it can share out. It does not travel, and is not copied. Nobody may use it within work.
	Share func(n int, work func(i int)) `json:"-"`
}

// Clone returns a copy that shares nothing with m, without the cache and Share.
func (m *Model) Clone() *Model {
	c := *m
	c.Cache, c.Share = nil, nil
	c.Centers = m.Centers.Clone()
	c.FeatureWeights = append([]float64(nil), m.FeatureWeights...)
	c.Selected = append([]bool(nil), m.Selected...)
	c.Gain = append([]float64(nil), m.Gain...)
	if m.Aux != nil {
		c.Aux = make(map[string][]float64, len(m.Aux))
		for name, v := range m.Aux {
			c.Aux[name] = append([]float64(nil), v...)
		}
	}
	return &c
}

// A Step is what Update returns.
type Step struct {
	Objective float64         // of the model and the labels that were given
	At        [Targets]*Point // what to project next; nil where there is nothing
	Mass      []float64       // length k: the weight of each cluster's rows
}

// An Outcome is what Project returns.
type Outcome struct {
	// Change is the largest absolute change of a model entry that must come to
	// rest before the fit has converged (of feature weights that may have any size,
	// as a part of them), and 0 where unmoved labels are enough.
	Change float64
	Stop   string // not empty: a reason to end the run, such as AllZero
}

// AllZero ends a run in which no feature has any weight: there is nothing to
// tell rows apart by, and they lose their labels (−1).
const AllZero = "all_zero"
