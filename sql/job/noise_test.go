package job

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestAGainThatMayBeRoundingIsZero(t *testing.T) {
	// n = 1000 cells of standard deviation 1. Those at 1e8 were centered at a mean that
	// is rounded by up to 7.5e-9, half of the distance of numbers there, so that the
	// mean of the fitted cells is as large.
	near := framework.Column{Mass: 1000, SumSq: 999, Scale: 1}
	far := near
	far.Location, far.Mean = 1e8, 7.5e-9
	for name, c := range map[string]struct {
		column     framework.Column
		gain, want float64
	}{
		"none":                            {near, 0, 0},
		"a mean of 1e-16":                 {near, 1000 * 1e-32, 0},
		"less than none":                  {near, -1e-26, 0},
		"a mean of 1e-10":                 {near, 1000 * 1e-20, 1000 * 1e-20},
		"far away, the rounded mean":      {far, 1000 * 7.5e-9 * 7.5e-9, 0},
		"far away, ten times as much":     {far, 1000 * 1e-14, 1000 * 1e-14},
		"a loss where a center is held":   {near, -0.5, -0.5},
		"an algorithm that says no gains": {near, math.NaN(), math.NaN()},
	} {
		t.Run(name, func(t *testing.T) {
			b := &Job{Problem: framework.Problem{N: 1000, P: 1, K: 1, Columns: []framework.Column{c.column}}}
			if got := b.silentGain(framework.Feature{Gain: c.gain}); got != c.want && got == got {
				t.Errorf("%g is shown as %g, want %g", c.gain, got, c.want)
			}
		})
	}
}

func TestAShareOfNoneOrAllHasNoDigitsOfRounding(t *testing.T) {
	for name, c := range map[string]struct{ center, frequency, want float64 }{
		"none have it":                 {-2.3e-15, 0, 0},
		"all have it":                  {0.9999999999999991, 1, 1},
		"one of very many has it":      {1e-14, 1e-14, 1e-14},
		"held by a constraint":         {0.2, 0, 0.2},
		"a cluster that has lost rows": {1e-16, math.NaN(), 1e-16},
	} {
		t.Run(name, func(t *testing.T) {
			if got := silentShare(c.center, c.frequency, 100); got != c.want {
				t.Errorf("%g, want %g", got, c.want)
			}
		})
	}
}
