package plugin

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// wireConstraints sends a set of centers as the rows that declared it, from
// which the other side makes the same set.
func wireConstraints(set framework.Set) ([]*pb.Constraint, error) {
	if set == nil {
		return nil, nil
	}
	d, ok := set.(*constraint.Declared)
	if !ok {
		return nil, framework.Faultf(framework.Internal, "bad-set", "a set of type %T was not declared by rows, and cannot be sent to a plugin", set)
	}
	w := make([]*pb.Constraint, len(d.Rows))
	for i, r := range d.Rows {
		w[i] = &pb.Constraint{Kind: valid(r.Kind), Name: valid(r.Name), Coef: r.Coef, Lo: r.Lo, Hi: r.Hi, Value: r.Value}
		if r.Cluster != nil {
			w[i].Cluster = new(int64(*r.Cluster))
		}
		if r.Feature != nil {
			w[i].Feature = new(valid(*r.Feature))
		}
	}
	return w, nil
}

func readConstraints(w []*pb.Constraint) []constraint.Row {
	rows := make([]constraint.Row, len(w))
	for i, c := range w {
		rows[i] = constraint.Row{Kind: c.GetKind(), Name: c.GetName(), Feature: c.Feature, Coef: c.Coef, Lo: c.Lo, Hi: c.Hi, Value: c.Value}
		if c.Cluster != nil {
			rows[i].Cluster = new(int(*c.Cluster))
		}
	}
	return rows
}
