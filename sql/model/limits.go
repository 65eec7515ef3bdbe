package model

import (
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// LabelColumns lists the columns that constraint rows of labels name, each once, in the order of their names.
func LabelColumns(rows []framework.ConstraintRow) []input.Beside {
	values, finite := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		if r.Feature != nil {
			added := declare.NumbersOnly(r.Kind)
			values[*r.Feature] = values[*r.Feature] || !added
			finite[*r.Feature] = finite[*r.Feature] || added
		}
	}
	var all []input.Beside
	for _, name := range slices.Sorted(maps.Keys(values)) {
		all = append(all, input.Beside{Name: name, Values: values[name], Finite: finite[name]})
	}
	return all
}

// checkLimits refuses to keep limits that the fit did not have, or that a plugin keeps.
func (m *Model) checkLimits() error {
	rows, _ := declare.OfLabels(m.stored.Constraints)
	switch {
	case len(rows) > 0:
		return nil
	case len(m.stored.SetKinds) > 0:
		return framework.Faultf(framework.Data, "no-limits", "the limits of run %q are kept by a plugin, in a fit alone", m.run).At("enforce")
	}
	return framework.Faultf(framework.Data, "no-limits", "no constraint of run %q limits its clusters", m.run).At("enforce").
		WithHint("leave %s out", framework.Setting("enforce"))
}

// limits makes the set of labels of new rows that the constraints of the fit declare; nil: it is not
// wanted.
func (m *Model) limits(ctx context.Context, src Source, relation string, t *input.Table) (framework.LabelSet, error) {
	if !m.enforce {
		return nil, nil
	}
	columns, ok := src.(ColumnSource)
	if !ok {
		return nil, framework.Faultf(framework.Usage, "no-limits", "limits of clusters cannot be kept here").At("enforce")
	}
	rows, _ := declare.OfLabels(m.stored.Constraints)
	table := framework.LabelTable{N: t.Keys.Len(), K: m.stored.K}
	var err error
	if table.Columns, err = columns.ReadColumns(ctx, relation, LabelColumns(rows), t); err != nil {
		return nil, err
	}
	set, err := declare.Labels(rows, table)
	if err != nil {
		return nil, err
	}
	return set, nil
}
