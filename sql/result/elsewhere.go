package result

import (
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Summary is what is known of the rows of each of k clusters, in p features, where the
// rows themselves stay in an engine.
type Summary struct {
	Sizes   []int
	Mass    []float64 // weight of the rows
	Inertia []float64 // Σ weight · loss, by the distance of the algorithm
	Untold  int       // rows that have no cell in any feature that tells clusters apart, and no cluster

	Sum      framework.Matrix // k×p, Σ weight · fitted cell, over those that are observed
	CellMass framework.Matrix // k×p, weight of the observed cells; no Data: all are observed, and it is Mass
	Square   []float64        // p, Σ weight · square of the fitted cell, over all clusters; nil: not known
}

// Means returns the means of the observed cells of each cluster; 0 where there are none.
func (s *Summary) Means() framework.Matrix {
	m := s.Sum.Clone()
	for i := range m.Data {
		if w := s.CellWeight(i/m.Cols, i%m.Cols); w > 0 {
			m.Data[i] /= w
		}
	}
	return m
}

// CellWeight returns the weight of the observed cells of a cluster in a feature.
func (s *Summary) CellWeight(cluster, feature int) float64 {
	if s.CellMass.Data == nil {
		return s.Mass[cluster]
	}
	return s.CellMass.Row(cluster)[feature]
}

// A Progress is how far a fit has come whose rows stay in an engine: what it goes on
// from, and how it knows that it is the same fit.
type Progress struct {
	RunID       string
	Params      string // JSON, as in Fit
	Fingerprint string // of the rows
	Source      string
	Point       int // of a tuning, that is fitted; −1: none is
	Restart     int
	Iteration   int
	Objective   float64 // NaN: there is none
	SavedAt     time.Time
	State       string // JSON
}

// Unfinished is why a run has no model whose fit has not ended: there is its Progress.
const Unfinished = "unfinished"

// Incomplete is why a run has no model that is a tuning which has not ended.
const Incomplete = "incomplete"

// A Copy is a result table as another database gets it.
type Copy struct {
	Result  string       // which of schema.Names
	Columns []CopyColumn // with the types that package schema has
	Each    func(use func(row []any) error) error
}

// A CopyColumn is a column of a Copy. Cells are nil, bool, int64, uint64, float64, and text
// for all else.
type CopyColumn struct{ Name, Type string }
