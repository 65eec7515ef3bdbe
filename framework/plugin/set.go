package plugin

import (
	"context"
	"fmt"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// An openSet is a set on the side of the plugin.
type openSet struct {
	framework.Set
	shape wire.Shape
}

// addKinds notes the kinds of constraints that the plugin serves.
func (s *server) addKinds(kinds []framework.Kind) error {
	for _, k := range kinds {
		d := k.Describe()
		if err := d.Check(); err != nil {
			return fmt.Errorf("plugin.Serve: %w", err)
		}
		_, centers := k.(framework.SetKind)
		if _, labels := k.(framework.LabelKind); labels != d.Labels || centers == labels {
			return fmt.Errorf("plugin.Serve: kind %q must be a LabelKind if it says Labels, and a SetKind if not", d.Kind)
		}
		if s.kinds[d.Kind] != nil {
			return fmt.Errorf("plugin.Serve: two kinds of sets of the name %q", d.Kind)
		}
		if declare.Taken(d.Kind) {
			return fmt.Errorf("plugin.Serve: sqlcluster itself has a kind of sets of the name %q", d.Kind)
		}
		s.kinds[d.Kind] = k
		s.kindNames = append(s.kindNames, d.Kind)
	}
	return nil
}

// noKind is the Fault of a kind that the plugin does not have.
func (s *server) noKind(name, of string) error {
	f := framework.Faultf(framework.Usage, "kind-not-found", "the plugin has no kind %q of %s", name, of)
	f.Details = append(f.Details, s.kindNames...)
	f.Similar = framework.Closest(name, s.kindNames)
	return f
}

// OpenSet implements the protocol.
func (s *server) OpenSet(_ context.Context, req *pb.OpenSetRequest) (_ *pb.OpenSetResponse, err error) {
	defer answer(&err)
	kind, ok := s.kinds[req.GetKind()].(framework.SetKind)
	if !ok {
		return nil, s.noKind(req.GetKind(), "sets of centers")
	}
	if !wire.CentersFit(req.GetK(), int64(len(req.GetColumns()))) {
		return nil, status.Errorf(codes.InvalidArgument, "a set of %d centers of %d features", req.GetK(), len(req.GetColumns()))
	}
	k, columns := int(req.GetK()), wire.ReadColumns(req.GetColumns())
	set, err := kind.Make(wire.ReadConstraintRows(req.GetRows()), k, columns)
	if err != nil {
		return nil, err
	}
	p := set.Properties()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	name := strconv.FormatUint(s.last, 10)
	s.sets[name] = openSet{set, wire.Shape{K: k, P: len(columns)}}
	return &pb.OpenSetResponse{Set: name, Properties: &pb.SetProperties{
		Maximize: p.Maximize, Convex: p.Convex, Cone: p.Cone, RowWise: p.RowWise, Separable: p.Separable,
	}}, nil
}

// set returns an open set, and the matrix of centers that a call is about.
func (s *server) set(name string, w *pb.Matrix) (openSet, framework.Matrix, error) {
	s.mu.Lock()
	set, ok := s.sets[name]
	s.mu.Unlock()
	if !ok {
		return set, framework.Matrix{}, wire.Closed("the set")
	}
	m, err := wire.ReadMatrix(w, set.shape)
	if err == nil && (m.Rows != set.shape.K || m.Cols != set.shape.P) {
		err = status.Errorf(codes.InvalidArgument, "%d × %d centers for a set of %d × %d", m.Rows, m.Cols, set.shape.K, set.shape.P)
	}
	return set, m, err
}

// ProjectSet implements the protocol.
func (s *server) ProjectSet(_ context.Context, req *pb.ProjectSetRequest) (_ *pb.ProjectSetResponse, err error) {
	defer answer(&err)
	set, _, err := s.set(req.GetSet(), req.GetX())
	if err != nil {
		return nil, err
	}
	at, err := wire.ReadPoint(&pb.Point{X: req.GetX(), RowMass: req.RowMass, ColMass: req.ColMass, Gain: req.Gain}, set.shape)
	if err != nil {
		return nil, err
	}
	y := framework.NewMatrix(at.X.Rows, at.X.Cols)
	if err := set.Project(y, *at); err != nil {
		return nil, err
	}
	return &pb.ProjectSetResponse{Y: wire.Matrix(y)}, nil
}

// MeasureSet implements the protocol.
func (s *server) MeasureSet(_ context.Context, req *pb.MeasureSetRequest) (_ *pb.MeasureSetResponse, err error) {
	defer answer(&err)
	set, y, err := s.set(req.GetSet(), req.GetY())
	if err != nil {
		return nil, err
	}
	return &pb.MeasureSetResponse{Violation: set.Violation(y), Penalty: set.Penalty(y)}, nil
}

// CloseSet implements the protocol.
func (s *server) CloseSet(_ context.Context, req *pb.CloseSetRequest) (*pb.CloseSetResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sets, req.GetSet())
	delete(s.labelSets, req.GetSet())
	return &pb.CloseSetResponse{}, nil
}
