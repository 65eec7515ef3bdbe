package plugin

import (
	"context"
	"errors"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// readLabels makes the set of labels of a problem of n rows; nil: it has none.
func readLabels(w *pb.Problem, n int) (framework.LabelSet, error) {
	if w.GetLabelTable() == nil {
		return nil, nil
	}
	t, err := wire.ReadTable(w.GetLabelTable(), w.GetK())
	if err != nil {
		return nil, err
	}
	if t.N != n {
		return nil, status.Errorf(codes.InvalidArgument, "constraints of %d rows for %d", t.N, n)
	}
	set, err := declare.Labels(wire.ReadConstraintRows(w.GetLabelConstraints()), t)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// An openLabelSet is a set of labels on the side of the plugin.
type openLabelSet struct {
	framework.LabelSet
	n, k int
}

// OpenLabelSet implements the protocol.
func (s *server) OpenLabelSet(_ context.Context, req *pb.OpenLabelSetRequest) (_ *pb.OpenLabelSetResponse, err error) {
	defer answer(&err)
	kind, ok := s.kinds[req.GetKind()].(framework.LabelKind)
	if !ok {
		return nil, s.noKind(req.GetKind(), "sets of labels")
	}
	t, err := wire.ReadTable(req.GetTable(), req.GetK())
	if err != nil {
		return nil, err
	}
	set, err := kind.Make(wire.ReadConstraintRows(req.GetRows()), t)
	if err != nil {
		return nil, err
	}
	exact := set.Properties().Exact
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	name := strconv.FormatUint(s.last, 10)
	s.labelSets[name] = openLabelSet{set, t.N, t.K}
	return &pb.OpenLabelSetResponse{Set: name, Exact: exact}, nil
}

// labelSet returns an open set of labels, for labels that a call is about.
func (s *server) labelSet(name string, labels []int32) (openLabelSet, error) {
	s.mu.Lock()
	set, ok := s.labelSets[name]
	s.mu.Unlock()
	if !ok {
		return set, wire.Closed("the set")
	}
	if err := wire.CheckLabels(labels, set.n, set.k); err != nil {
		return set, status.Error(codes.InvalidArgument, err.Error())
	}
	return set, nil
}

// ProjectLabels implements the protocol.
func (s *server) ProjectLabels(ctx context.Context, req *pb.ProjectLabelsRequest) (_ *pb.ProjectLabelsResponse, err error) {
	defer answer(&err)
	set, err := s.labelSet(req.GetSet(), req.GetLabels())
	if err != nil {
		return nil, err
	}
	costs, done, err := matrix.ReadBoard(req.GetCosts(), set.n*set.k)
	if err != nil {
		return nil, err
	}
	defer func() { _ = done() }()
	at := framework.LabelCosts{Costs: framework.Matrix{Rows: set.n, Cols: set.k, Data: costs}, Prices: req.GetPrices(),
		Threads: int(req.GetThreads())}
	labels := req.GetLabels()
	point, err := set.Project(ctx, labels, at)
	if err != nil {
		return nil, err
	}
	return &pb.ProjectLabelsResponse{Labels: labels, Cost: point.Cost, Bound: point.Bound, Prices: point.Prices}, nil
}

// MeasureLabels implements the protocol.
func (s *server) MeasureLabels(_ context.Context, req *pb.MeasureLabelsRequest) (_ *pb.MeasureLabelsResponse, err error) {
	defer answer(&err)
	set, err := s.labelSet(req.GetSet(), req.GetLabels())
	if err != nil {
		return nil, err
	}
	out := &pb.MeasureLabelsResponse{Violation: set.Violation(req.GetLabels())}
	if req.GetLimits() {
		out.Limits = wire.Limits(set.Limits(req.GetLabels(), req.GetPrices()))
	}
	return out, nil
}

// CheckLabels implements the protocol.
func (s *server) CheckLabels(ctx context.Context, req *pb.CheckLabelsRequest) (_ *pb.CheckLabelsResponse, err error) {
	defer answer(&err)
	s.mu.Lock()
	set, ok := s.labelSets[req.GetSet()]
	s.mu.Unlock()
	if !ok {
		return nil, wire.Closed("the set")
	}
	err = set.Feasible(ctx)
	if u, ok := errors.AsType[framework.Undecided](err); ok {
		if u.Why == "" {
			u.Why = "nobody knows"
		}
		return &pb.CheckLabelsResponse{Undecided: wire.Text(u.Why)}, nil
	}
	return &pb.CheckLabelsResponse{}, err
}
