package plugin

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// wireConstraints sends a set of centers as the rows that declared it, from
// which the other side makes the same set.
func wireConstraints(set framework.Set) ([]*pb.Constraint, error) {
	if set == nil {
		return nil, nil
	}
	d, ok := set.(*declare.Set)
	if !ok {
		return nil, framework.Faultf(framework.Internal, "bad-set", "a set of type %T was not declared by rows, and cannot be sent to a plugin", set)
	}
	if len(d.Foreign) > 0 {
		return nil, framework.Faultf(framework.Internal, "bad-set", "rows of kind %s mean nothing to another plugin, and cannot be sent to it", strings.Join(d.Foreign, ", "))
	}
	return wireRows(d.Rows), nil
}

func wireRows(rows []framework.ConstraintRow) []*pb.Constraint {
	w := make([]*pb.Constraint, len(rows))
	for i, r := range rows {
		w[i] = &pb.Constraint{Kind: valid(r.Kind), Name: valid(r.Name), Coef: r.Coef, Lo: r.Lo, Hi: r.Hi, Value: r.Value}
		if r.Cluster != nil {
			w[i].Cluster = new(int64(*r.Cluster))
		}
		if r.Feature != nil {
			w[i].Feature = new(valid(*r.Feature))
		}
	}
	return w
}

func readRows(w []*pb.Constraint) []framework.ConstraintRow {
	rows := make([]framework.ConstraintRow, len(w))
	for i, c := range w {
		rows[i] = framework.ConstraintRow{Kind: c.GetKind(), Name: c.GetName(), Feature: c.Feature, Coef: c.Coef, Lo: c.Lo, Hi: c.Hi, Value: c.Value}
		if c.Cluster != nil {
			rows[i].Cluster = new(int(*c.Cluster))
		}
	}
	return rows
}
