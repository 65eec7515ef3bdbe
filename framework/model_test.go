package framework_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestAModelFitsWhatItBeganAs(t *testing.T) {
	const k, p = 2, 3
	begin := &framework.Model{
		Centers: framework.NewMatrix(k, p), Selected: make([]bool, k*p), Gain: make([]float64, k*p), Aux: map[string][]float64{"a": {0}},
	}
	for name, c := range map[string]struct {
		change func(*framework.Model)
		fits   bool
	}{
		"as it began":        {func(*framework.Model) {}, true},
		"more in Aux":        {func(m *framework.Model) { m.Aux["b"] = []float64{1} }, true},
		"a longer list":      {func(m *framework.Model) { m.Aux["a"] = []float64{1, 2} }, false},
		"nothing in Aux":     {func(m *framework.Model) { m.Aux = nil }, false},
		"selected by column": {func(m *framework.Model) { m.Selected = m.Selected[:p] }, false},
		"doubled":            {func(m *framework.Model) { m.Selected = append(m.Selected, m.Selected...) }, false},
		"no gains":           {func(m *framework.Model) { m.Gain = nil }, false},
		"weights":            {func(m *framework.Model) { m.FeatureWeights = make([]float64, p) }, false},
		"another k":          {func(m *framework.Model) { m.Centers = framework.NewMatrix(k+1, p) }, false},
		"lacking centers":    {func(m *framework.Model) { m.Centers.Data = m.Centers.Data[1:] }, false},
		"a negative round":   {func(m *framework.Model) { m.Round = -1 }, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := begin.Clone()
			c.change(m)
			if err := m.Fits(begin); (err == nil) != c.fits {
				t.Errorf("%v", err)
			}
		})
	}
}
