package means

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/weightset"
)

// L1Bound is the name of the parameter that bounds the sum of the feature weights.
const L1Bound = "l1_bound"

// BoundParams returns the parameters that Bounded reads: L1Bound, then those of
// the algorithm's own, then those of StopParams.
func BoundParams(updates string, own ...framework.Param) []framework.Param {
	all := append([]framework.Param{{
		Name: L1Bound, Type: framework.RealParam, Required: true, Min: new(1.0),
		Doc: "bound of the sum of the feature weights, 1 to √p: a small one leaves few features with a weight",
	}}, own...)
	return append(all, StopParams(updates)...)
}

// Bounded returns the weighting of BoundParams: w ≥ 0 of norm at most 1, whose sum
// is at most L1Bound. Its grid is of bounds from √p down to 1. It returns a Fault
// for a bound above √p, which would bound nothing.
func Bounded(p framework.Problem) (Weighting, error) {
	bound, most := p.Params.Real(L1Bound), math.Sqrt(float64(p.P))
	if bound < 1 || bound > most*(1+1e-12) {
		return Weighting{}, framework.Faultf(framework.Data, "l1-bound-out-of-range",
			"l1_bound is %g, but with %d features it must be between 1 and √%d = %.4f", bound, p.P, p.P, math.Floor(most*1e4)/1e4).
			At(L1Bound).WithHint("near 1 few features have a weight; √p leaves out none")
	}
	grid := func(_ []float64, n int) []float64 { return Evenly(most, 1, n) }
	return Weighting{Set: weightset.Bounded{L1: bound}, Grid: grid}.Stop(p.Params), nil
}
