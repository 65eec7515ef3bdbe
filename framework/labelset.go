package framework

import (
	"context"
	"fmt"
	"math"
)

// A LabelSet is a set of labels of all n rows: those that give each cluster at least
// 50 rows, say. It restricts the clusters themselves, as a [Set] restricts their
// centers. Several goroutines may use it at a time, and its methods change nothing.
//
// Labels are those of the rows in the order of their keys, 0 to k−1 each. Sizes count
// rows; row weights only multiply costs.
type LabelSet interface {
	Properties() LabelProperties

	// Project replaces labels by those of the set that cost least:
	//
	//	argmin over labels in the set of Σ_i Costs[i, label_i]
	//
	// An Exact set returns the least cost, but for rounding, and none at all where costs are whole
	// numbers. Of several labels of least cost it takes the lowest: those in which
	// the first row has the lowest label that it has in any of them, then the
	// second among what remains, and so on. What labels held before has no effect.
	//
	// Another set returns labels that obey, and a Bound that no labels can fall below.
	// It may begin with the labels that it is given, −1 for a row that has none yet, and with
	// Prices.
	//
	// Project depends on its arguments only, not on Threads, and of an Exact set neither on labels
	// nor on Prices. It returns a Fault of class Data that names rows of the declaration if
	// no labels obey, or none of finite cost, and ctx.Err() soon after ctx is cancelled.
	// labels are as they were if there is an error.
	Project(ctx context.Context, labels []int32, at LabelCosts) (LabelPoint, error)

	// Violation returns how far labels are from being in the set: 0 inside, and else
	// > 0, in the units of the limits that are broken. Labels of −1 obey no set.
	Violation(labels []int32) float64

	// Feasible returns nil if there are labels in the set, and a Fault of class Data if
	// there are none: which rows of the declaration contradict each other. An
	// [Undecided] error says that nobody knows; Project may still find some.
	Feasible(ctx context.Context) error

	// Limits returns what the limits of the set make of labels, in the order of the
	// declaration's rows, and then of the clusters. prices are those of the LabelPoint
	// that labels came from, or nil.
	Limits(labels []int32, prices []float64) []Limit
}

// A LabelCharger is a LabelSet with costs of its own: what it costs to leave a cluster
// that a row probably belongs to, say. A driver adds them to what labels cost, and to the
// objective, in its units.
type LabelCharger interface {
	LabelSet

	// Charge adds to costs (n×k) what the set charges for each label.
	Charge(costs Matrix)

	// Charged returns what the set charges for labels, all together.
	Charged(labels []int32) float64
}

// A LabelScaler is a LabelSet whose limits can be carried over to some of its rows, or to
// another number of clusters.
type LabelScaler interface {
	LabelSet

	// Scale returns the set for k clusters and the rows with these numbers, which ascend;
	// nil: all of them. What counts rows is scaled by how many they are, generously: if labels of all rows obey,
	// the limits of the set leave room for some of these rows. It returns a Fault of class Data where there
	// is no such set, and may return the set itself where nothing changes.
	Scale(rows []int32, k int) (LabelSet, error)
}

// LabelProperties are what a LabelSet declares about itself. They decide which laws
// it is checked against.
type LabelProperties struct {
	Kind  string
	Exact bool // Project returns labels of least cost, the lowest of several
}

// LabelCosts are what a projection of labels minimises.
type LabelCosts struct {
	Costs   Matrix    // n×k, ≥ 0 and not NaN; +Inf: the row must not have the label
	Prices  []float64 // of an earlier LabelPoint of the set, for costs like these; nil: none
	Threads int       // that may be used; 0 counts as 1
}

// Check returns an error unless the costs are n×k numbers from 0 to +Inf.
func (c LabelCosts) Check(n, k int) error {
	if c.Costs.Rows != n || c.Costs.Cols != k || len(c.Costs.Data) != n*k {
		return fmt.Errorf("there are %d × %d costs for %d rows and %d clusters", c.Costs.Rows, c.Costs.Cols, n, k)
	}
	for i, v := range c.Costs.Data {
		if !(v >= 0) {
			return fmt.Errorf("the cost of label %d for row %d is %v", i%k, i/k, v)
		}
	}
	return nil
}

// Total returns Σ_i Costs[i, label_i], added up in the order of the rows: +Inf if a row
// has no label.
func (c LabelCosts) Total(labels []int32) float64 {
	var sum, lost float64 // Neumaier's summation
	for i, j := range labels {
		if j < 0 {
			return math.Inf(1)
		}
		v := c.Costs.Data[i*c.Costs.Cols+int(j)]
		if math.IsInf(v, 1) {
			return v
		}
		next := sum + v
		if sum >= v {
			lost += (sum - next) + v
		} else {
			lost += (v - next) + sum
		}
		sum = next
	}
	return sum + lost
}

// A LabelPoint is what a projection of labels returns besides them.
type LabelPoint struct {
	Cost   float64   // of the labels
	Bound  float64   // no labels of the set cost less; Cost, but for rounding, where the set is Exact
	Prices []float64 // dual prices, for Limits and for the next call; what they are is the set's own business
}

// A Limit is what labels make of one limit: of the rows of cluster 2, say, whose number
// must be from 50 to 80.
type Limit struct {
	Row     int     // number of the declaration's row, from 0
	Cluster int     // −1: of all clusters together
	Value   string  // the value of the column that is counted; "": the limit is not for one value
	Amount  float64 // what the labels have; NaN: no row counts, and the limit is kept
	Lo, Hi  float64 // what they may have; −Inf and +Inf: there is no limit

	// Price is how much the total cost would fall, by the last projection, if the limit
	// that binds were looser by 1: ≥ 0, and NaN if that is not known. Where it is 0 the
	// limit costs nothing.
	Price float64
}

// Slack returns how much the amount may change until it breaks a limit: < 0 if it does.
func (l Limit) Slack() float64 { return min(l.Amount-l.Lo, l.Hi-l.Amount) }

// Undecided is the error of LabelSet.Feasible where nobody knows whether any labels
// obey.
type Undecided struct {
	Why string // a sentence without a full stop
}

// Error implements error.
func (u Undecided) Error() string { return u.Why }
