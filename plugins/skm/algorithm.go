package skm

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// version changes when results do.
const version = "1.1.1" // centers belong to the weights where a set ties features; earlier centers decide no tie

// SKM is sparse k-means.
type SKM struct{}

var _ framework.Algorithm = SKM{}

// Algorithms returns what this plugin serves.
func Algorithms() []framework.Algorithm { return []framework.Algorithm{SKM{}} }

// Describe implements framework.Algorithm.
func (SKM) Describe() framework.Description {
	return framework.Description{
		Name: "skm", Version: version,
		Summary: "sparse k-means: weights of features, with a bound on their sum",
		Paper:   "Witten and Tibshirani (2010), A framework for feature selection in clustering, https://doi.org/10.1198/jasa.2010.tm09415",
		Params:  append(means.BoundParams("50"), means.MissingParam()),
		Missing: true, Sparse: true, Constraints: true, Labels: true, Empty: framework.Reseed, Scale: "sd", Path: means.L1Bound,
		Looser:  framework.Up,
		Predict: map[string]string{"missing": "observed"},
	}
}

// New implements framework.Algorithm.
func (SKM) New(p framework.Problem) (framework.Clusterer, error) {
	w, err := means.Bounded(p)
	if err != nil {
		return nil, err
	}
	if err := means.RefuseMissing(p, "observed"); err != nil {
		return nil, err
	}
	if w.Centers, err = means.Restrict(p, true); err != nil {
		return nil, err
	}
	return means.NewWeighted(p, w), nil
}
