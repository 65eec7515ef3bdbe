package model

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// LabelColumns lists the columns that constraint rows of labels name, each once, in the order of their names.
func LabelColumns(rows []framework.ConstraintRow) []input.Beside {
	values, finite := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		if r.Feature != nil && declare.TakesFeature(r.Kind) {
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

// checkLimits refuses to keep limits that the fit did not have, or that another plugin kept.
func (m *Model) checkLimits() error {
	for _, of := range m.stored.SetKinds {
		at := slices.IndexFunc(m.library.Kinds, func(k library.Kind) bool { return k.SetDescription.Kind == of.Kind })
		switch {
		case at < 0 && m.library.Lack != nil:
			return m.library.Lack
		case at < 0:
			return framework.Faultf(framework.Data, "no-limits", "the plugin %s, which kept the limits %s, is not there", of.Plugin,
				of.Kind).At("enforce").WithHint("add it with sqlcluster plugin add")
		case m.library.Kinds[at].Version != of.Version || m.library.Kinds[at].SHA256 != of.SHA256:
			return framework.Faultf(framework.Data, "no-limits", "the plugin %s, which kept the limits %s, is another one now", of.Plugin,
				of.Kind).At("enforce").WithHint("fit again")
		}
	}
	if rows, _ := declare.OfLabels(m.stored.Constraints, m.labelKinds()...); len(rows) > 0 {
		return nil
	}
	of := "the fit"
	if m.run != "" {
		of = fmt.Sprintf("run %q", m.run)
	}
	return framework.Faultf(framework.Data, "no-limits", "no constraint of %s limits its clusters", of).At("enforce").
		WithHint("leave %s out", framework.Setting("enforce"))
}

// labelKinds describes the kinds of limits that plugins serve. None of them makes a set.
func (m *Model) labelKinds() []framework.LabelKind {
	_, kinds, _ := m.library.SetKinds(context.Background()) // no plugin is started by it
	return kinds
}

// limits makes the set of labels of new rows that the constraints of the fit declare, until done is
// called; nil: it is not wanted.
func (m *Model) limits(ctx context.Context, src Source, relation string, t *input.Table) (_ framework.LabelSet, done func(), err error) {
	if !m.enforce {
		return nil, func() {}, nil
	}
	columns, ok := src.(ColumnSource)
	if !ok {
		return nil, nil, framework.Faultf(framework.Usage, "no-limits", "limits of clusters cannot be kept here").At("enforce")
	}
	_, kinds, hosts := m.library.SetKinds(ctx)
	rows, _ := declare.OfLabels(m.stored.Constraints, kinds...)
	table := framework.LabelTable{N: t.Keys.Len(), K: m.stored.K}
	if table.Columns, err = columns.ReadColumns(ctx, relation, LabelColumns(rows), t); err != nil {
		return nil, nil, err
	}
	set, err := declare.Labels(rows, table, kinds...)
	if err != nil {
		hosts.Close()
		return nil, nil, err
	}
	return set, hosts.Close, nil
}

// notEnforced says of an error about the limits of the fit what can be done about it where new rows are to keep them: the limits
// themselves cannot be changed there.
func notEnforced(err error) error {
	f := framework.AsFault(err)
	if f == nil || f.Where != framework.Setting("constraints") {
		return err
	}
	g := *f
	return g.At("enforce").WithHint("give rows that can keep the limits of the fit, or leave %s out", framework.Setting("enforce"))
}
