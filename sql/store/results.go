package store

import (
	"database/sql/driver"
	"math"
)

// Results are the result tables of a run as plain values. Column-wise slices of
// one table have the same length.
type Results struct {
	Keys        *Keys
	Dropped     *Keys // rows that were left out
	Assignments Assignments
	Centers     []Center
	Features    []Feature
	Clusters    []Cluster
	Trace       []Trace
	Fit         Fit
	Run         Run
}

// Assignments has one entry a key.
type Assignments struct {
	Cluster  []int32
	Distance []float64
	Second   []int32 // −1: none
	Margin   []float64
}

// A Center is one entry of the centers table.
type Center struct {
	Cluster        int
	Feature        string
	Center, Scaled float64
}

// A Feature is one row of the feature-selection table.
type Feature struct {
	Name            string
	Cluster         int // −1: all
	Selected        bool
	Weight, Gain    float64 // NaN: none
	Rank            int
	Location, Scale float64
}

// A Cluster is one row of the clusters table.
type Cluster struct {
	Size            int
	Weight, Inertia float64
}

// Trace is one row of the trace table.
type Trace struct {
	Restart, Iteration int
	Objective          float64
	Moved, Selected    int
}

// Fit is the row of the fit table.
type Fit struct {
	RunID, Algorithm, Version, PluginSHA256 string
	Params                                  string // JSON
	Seed                                    uint64
	N, P, K                                 int
	Objective                               float64
	Maximize                                bool
	Inertia                                 float64
	Restart, Iterations                     int
	Converged                               bool
	StopReason, Source, ToolVersion         string
	Model                                   string // JSON
}

// Run is the row of the run table: what differs from one run to the next.
type Run struct {
	StartedAt               any // time.Time
	SecondsRead, SecondsFit float64
	Threads                 int
	Driver                  string
	BlocksByWorker          string // JSON
	StepCalls               string // JSON
}

// orNull turns what has no value into NULL.
func orNull(v float64) driver.Value {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

func clusterOrNull(j int) driver.Value {
	if j < 0 {
		return nil
	}
	return int32(j)
}

// each hands the rows of a table to add, in the order of its columns.
func (r *Results) each(table string, add func(...driver.Value) error) error {
	switch table {
	case "assignments":
		return r.eachAssignment(add)
	case "centers":
		for _, c := range r.Centers {
			if err := add(int32(c.Cluster), c.Feature, nil, orNull(c.Center), orNull(c.Scaled)); err != nil {
				return err
			}
		}
	case "features":
		for _, f := range r.Features {
			if err := add(f.Name, nil, nil, clusterOrNull(f.Cluster), f.Selected, orNull(f.Weight), orNull(f.Gain),
				int32(f.Rank), orNull(f.Location), orNull(f.Scale)); err != nil {
				return err
			}
		}
	case "clusters":
		for j, c := range r.Clusters {
			if err := add(int32(j), int64(c.Size), c.Weight, c.Inertia); err != nil {
				return err
			}
		}
	case "trace":
		for _, t := range r.Trace {
			if err := add(int32(t.Restart), int32(t.Iteration), t.Objective, int64(t.Moved), int32(t.Selected)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Results) eachAssignment(add func(...driver.Value) error) error {
	a := r.Assignments
	for i := range a.Cluster {
		if err := add(r.Keys.Value(i), a.Cluster[i], orNull(a.Distance[i]), clusterOrNull(int(a.Second[i])), orNull(a.Margin[i]), nil); err != nil {
			return err
		}
	}
	if r.Dropped == nil {
		return nil
	}
	for i := range r.Dropped.Len() {
		if err := add(r.Dropped.Value(i), nil, nil, nil, nil, "missing_value"); err != nil {
			return err
		}
	}
	return nil
}
