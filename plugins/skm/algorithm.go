package skm

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// version changes when results do.
const version = "1.1.0" // centers belong to the weights where a set ties features, and the mean of equal cells is exact

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
		Params: append([]framework.Param{
			{Name: "l1_bound", Type: framework.RealParam, Required: true, Min: new(1.0),
				Doc: "bound of the sum of the feature weights, 1 to √p: a small one leaves few features with a weight"},
		}, means.WeightedParams()...),
		Missing: true, Constraints: true, Empty: framework.Reseed, Scale: "sd", Path: "l1_bound", Looser: framework.Up,
		Predict: map[string]string{"missing": "observed"},
	}
}

// New implements framework.Algorithm. It refuses a bound above √p, which would
// bound nothing.
func (SKM) New(p framework.Problem) (framework.Clusterer, error) {
	bound, most := p.Params.Real("l1_bound"), math.Sqrt(float64(p.P))
	if bound < 1 || bound > most*(1+1e-12) {
		return nil, framework.Faultf(framework.Data, "l1-bound-out-of-range",
			"l1_bound is %g, but with %d features it must be between 1 and √%d = %.4f", bound, p.P, p.P, math.Floor(most*1e4)/1e4).
			At("l1_bound").WithHint("near 1 few features have a weight; √p leaves out none")
	}
	if err := means.RefuseMissing(p, "observed"); err != nil {
		return nil, err
	}
	centers, err := means.Restrict(p, true)
	if err != nil {
		return nil, err
	}
	w := means.Weighting{Set: weightset.Bounded{L1: bound}, Grid: grid(p.P), Centers: centers}
	return means.NewWeighted(p, w.Stop(p.Params)), nil
}

// grid returns bounds from √p down to 1.
func grid(p int) func([]float64, int) []float64 {
	return func(_ []float64, n int) []float64 { return means.Evenly(math.Sqrt(float64(p)), 1, n) }
}
