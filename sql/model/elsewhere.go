package model

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// An Afar is what labels rows by a model that stay in an engine.
type Afar struct {
	Run       string
	Recipe    matrix.Recipe
	Model     *framework.Model
	Problem   framework.Problem // but for the rows
	Clusterer framework.Clusterer
	Formula   means.Formula
	Farthest  *float64 // that a row may be from its center; nil: any
}

// Afar returns what labels rows that stay in an engine. A model whose rows only its
// algorithm can label is refused, and so is what needs all labels.
func (m *Model) Afar() (*Afar, error) {
	refuse := func(setting, why string) error {
		return framework.Faultf(framework.Usage, "needs-rows", "%s is not possible with %s: %s", framework.Setting(setting),
			framework.Setting("engine"), why).At(setting).WithHint("leave out one of the two")
	}
	switch {
	case m.enforce:
		return nil, refuse("enforce", "limits are of the labels of all rows")
	case m.distances > 0:
		return nil, refuse("distances", "rows are labelled with their two nearest centers")
	case m.long != nil && !m.long.Perhaps:
		return nil, refuse("long", "triples become rows only when they are read")
	case m.algorithm.Local == nil:
		return nil, framework.Faultf(framework.Usage, "needs-rows",
			"algorithm %s is not possible with %s: the plugin that serves it would need all rows",
			m.algorithm.Name, framework.Setting("engine")).At("engine")
	}
	c, err := m.algorithm.Local.New(m.problem)
	if err != nil {
		return nil, err
	}
	formula, err := means.FormulaOf(c, m.algorithm.Name)
	if err != nil {
		return nil, err
	}
	return &Afar{Run: m.run, Recipe: m.stored.Recipe, Model: m.model, Problem: m.problem, Clusterer: c, Formula: formula,
		Farthest: m.farthest}, nil
}
