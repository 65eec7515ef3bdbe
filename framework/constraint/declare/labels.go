package declare

import (
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A LabelSet is a set of labels that constraint rows declare, with what it was made
// from.
type LabelSet struct {
	framework.LabelSet
	Rows    []framework.ConstraintRow // in the order of Limit.Row
	Table   framework.LabelTable
	Foreign string // the kind, if a plugin serves it: the set cannot be made again from its rows alone
}

// Labels returns the set of labels that the rows declare, or nil if there are no rows.
func Labels(rows []framework.ConstraintRow, t framework.LabelTable, others ...framework.LabelKind) (*LabelSet, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, compareRows)
	out := &LabelSet{Rows: sorted, Table: t}
	for _, k := range others {
		if k.Describe().Kind == sorted[0].Kind {
			out.Foreign = k.Describe().Kind
			var err error
			out.LabelSet, err = k.Make(sorted, t)
			return out, err
		}
	}
	return nil, framework.Faultf(framework.Data, "bad-constraints", "there is no kind %s", sorted[0].Kind)
}
