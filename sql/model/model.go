// Package model uses the model of a run: it labels rows that come later, a relation or
// a few at a time, scores the clusters of a run, and says how others can compute the
// labels. A Stored is what the fit table keeps of a model.
//
// Relations come through a Source and algorithms from a library, so that this package
// links no database and starts no process by itself.
package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// Versions of the shape of a stored model.
const (
	modelVersion  = 1
	sparseVersion = 2 // the centers are in their short form
)

// mostModel bounds the text of a stored model, in bytes: centers of 30 million
// numbers, say. What is read of it takes up to 100 times as much memory if
// somebody means harm, and twice as much else.
const mostModel = 1 << 29

// A Stored is all that predict needs, as JSON in the fit table.
type Stored struct {
	FormatVersion int                       `json:"format_version"`
	Algorithm     string                    `json:"algorithm"`
	Params        map[string]string         `json:"params"`
	K             int                       `json:"k"`
	Recipe        matrix.Recipe             `json:"recipe"`
	Centers       storedCenters             `json:"centers"` // fitted space
	Selected      []bool                    `json:"selected,omitempty"`
	Weights       []float64                 `json:"weights,omitempty"`
	Gain          []float64                 `json:"gain,omitempty"`
	Aux           map[string][]float64      `json:"aux,omitempty"`
	Round         int                       `json:"round"`
	Constraints   []framework.ConstraintRow `json:"constraints,omitempty"` // that the centers keep, in original units
	SetKinds      []StoredKind              `json:"set_kinds,omitempty"`   // of those, which plugins served
	Trim          float64                   `json:"trim,omitempty"`        // share of the row weight that was left out
	Quantiles     [][2]float64              `json:"quantiles,omitempty"`   // share of the row weight, and how far from centers it is at most
}

// Encode returns the text of the model.
func (s Stored) Encode() (string, error) {
	s.FormatVersion = modelVersion
	if s.Centers.sparse() != nil {
		s.FormatVersion = sparseVersion
	}
	text, err := json.Marshal(s)
	if _, bad := errors.AsType[*json.UnsupportedValueError](err); bad { // such as NaN
		return "", framework.Faultf(framework.Plugin, "model-not-finite", "the fitted model has a number that is not finite").
			WithHint("nothing was written; please report it, with the command")
	}
	return string(text), err
}

// A StoredKind says which plugin served a kind of a run's constraints.
type StoredKind struct {
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Plugin  string `json:"plugin"`
	SHA256  string `json:"sha256"`
}

// decodeModel reads a stored model and checks that it can be used. Whoever can
// write to a database can change its text.
func decodeModel(text string, l library.Library) (*Model, error) {
	if len(text) > mostModel {
		return nil, fmt.Errorf("it has %d MiB, and may have %d", len(text)>>20, mostModel>>20)
	}
	var s Stored
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, err
	}
	if s.FormatVersion != modelVersion && s.FormatVersion != sparseVersion {
		return nil, fmt.Errorf("it was written by another version of sqlcluster (format %d)", s.FormatVersion)
	}
	if err := s.Recipe.Check(); err != nil {
		return nil, err
	}
	model, err := s.model()
	if err != nil {
		return nil, err
	}
	m := &Model{stored: s, model: model}
	return m, m.choose(l)
}

// model returns the model, or an error if its parts do not fit.
func (s *Stored) model() (*framework.Model, error) {
	p := len(s.Recipe.Features)
	if s.K < 1 || len(s.Centers) != s.K {
		return nil, fmt.Errorf("it has %d centers for %d clusters", len(s.Centers), s.K)
	}
	for j, row := range s.Centers {
		if len(row) != p {
			return nil, fmt.Errorf("center %d has %d features of %d", j, len(row), p)
		}
	}
	m := &framework.Model{
		Centers: framework.NewMatrix(s.K, p), Selected: s.Selected, FeatureWeights: s.Weights, Gain: s.Gain, Aux: s.Aux, Round: s.Round,
	}
	for j, row := range s.Centers {
		copy(m.Centers.Row(j), row)
	}
	for _, r := range s.Constraints {
		if r.Kind == "" {
			return nil, errors.New("it has a constraint without a kind")
		}
		if r.Cluster != nil && (*r.Cluster < 0 || *r.Cluster >= s.K) {
			return nil, fmt.Errorf("a constraint of kind %q names cluster %d of %d", r.Kind, *r.Cluster, s.K)
		}
	}
	if l := slices.IndexFunc(m.FeatureWeights, func(w float64) bool { return w < 0 }); l >= 0 {
		return nil, fmt.Errorf("it has the feature weight %g", m.FeatureWeights[l])
	}
	return m, m.Check(s.K, p)
}
