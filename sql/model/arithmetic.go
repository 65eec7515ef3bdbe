package model

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// An Arithmetic is how a model labels rows, for those who compute it elsewhere: a
// row, scaled by the recipe, belongs to the center with the smallest distance, and
// of equally near ones to the first.
type Arithmetic struct {
	Run      string
	By       string // the algorithm
	Recipe   matrix.Recipe
	Centers  framework.Matrix // in fitted space, k × p
	Distance means.Distance   // Observed: a row is measured over the cells that it has
	Tells    []bool           // by feature: the centers differ in it, and it has weight
}

// Arithmetic returns how the model labels rows. A model whose distances only its
// algorithm knows is refused, and so is a rule for unseen categories that does not
// go with it.
func (m *Model) Arithmetic(unseen matrix.Unseen) (*Arithmetic, error) {
	if err := m.CheckUnseen(unseen); err != nil {
		return nil, err
	}
	a := &Arithmetic{Run: m.run, By: m.algorithm.Name, Recipe: m.stored.Recipe, Centers: m.model.Centers,
		Tells: fit.Telling(m.model)}
	if m.algorithm.Local != nil {
		c, err := m.algorithm.Local.New(m.problem)
		if err != nil {
			return nil, err
		}
		if known, ok := framework.As[interface {
			Distance(*framework.Model) means.Distance
		}](c); ok {
			a.Distance = known.Distance(m.model)
			return a, nil
		}
	}
	return nil, framework.Faultf(framework.Data, "distances-unknown",
		"the distances of run %q are computed by the plugin of %s, which does not say how", m.run, m.algorithm.Name).
		WithHint("label rows with sqlcluster predict")
}
