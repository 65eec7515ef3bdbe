package framework

import "fmt"

// Check returns an error unless the parts of the model have the lengths that the
// contract requires for k clusters and p features; optional parts may have length 0.
// Only the algorithm can check Aux.
func (m *Model) Check(k, p int) error {
	c := m.Centers
	if c.Rows != k || c.Cols != p || len(c.Data) != k*p {
		return fmt.Errorf("it has %d × %d centers for %d clusters and %d features", c.Rows, c.Cols, k, p)
	}
	if n := len(m.FeatureWeights); n != 0 && n != p {
		return fmt.Errorf("it has %d feature weights for %d features", n, p)
	}
	if n := len(m.Selected); n != 0 && n != p && n != k*p {
		return fmt.Errorf("its list of selected features has %d entries for %d features", n, p)
	}
	if n := len(m.Gain); n != 0 && n != p && n != k*p {
		return fmt.Errorf("it has %d gains for %d features", n, p)
	}
	if m.Round < 0 {
		return fmt.Errorf("it counts %d projections", m.Round)
	}
	return nil
}

// Fits returns an error unless every part of the model is as long as that of begin,
// a model that Clusterer.Begin returned. The model may have further entries of Aux,
// and a list of selected features where begin has none.
func (m *Model) Fits(begin *Model) error {
	if err := m.Check(begin.Centers.Rows, begin.Centers.Cols); err != nil {
		return err
	}
	differs := func(what string, n, want int) error {
		if n == want {
			return nil
		}
		return fmt.Errorf("its %s has %d entries, and must have %d", what, n, want)
	}
	selected := len(begin.Selected)
	if selected == 0 { // an algorithm that selects nothing may still have a list
		selected = len(m.Selected)
	}
	for _, err := range []error{
		differs("list of selected features", len(m.Selected), selected),
		differs("list of feature weights", len(m.FeatureWeights), len(begin.FeatureWeights)),
		differs("list of gains", len(m.Gain), len(begin.Gain)),
	} {
		if err != nil {
			return err
		}
	}
	for name, want := range begin.Aux {
		if err := differs(fmt.Sprintf("list %q", name), len(m.Aux[name]), len(want)); err != nil {
			return err
		}
	}
	return nil
}
