package host

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A Set is a set of centers in a plugin process. It implements framework.Set:
// Project is a call, and so are Violation and Penalty. It is safe for concurrent
// use.
type Set struct {
	p     *Process
	ctx   context.Context // of OpenSet: framework.Set has none
	name  string
	shape wire.Shape
	props framework.Properties

	firstError
}

var _ framework.Set = (*Set)(nil)

// OpenSet makes a set of k×p centers of rows of one kind and name, p being the
// number of columns. It lasts until it is closed, or until ctx or the process
// ends. Faults of the kind arrive as they are.
func (p *Process) OpenSet(
	ctx context.Context, kind string, rows []framework.ConstraintRow, k int, columns []framework.Column,
) (*Set, error) {
	got, err := invoke(ctx, p, "open_set", p.calls.OpenSet, &pb.OpenSetRequest{
		Kind: kind, Rows: wire.ConstraintRows(rows), K: int64(k), Columns: wire.Columns(columns),
	})
	if err != nil {
		return nil, err
	}
	if got.GetSet() == "" {
		return nil, wire.Nonsense("a set without a name")
	}
	w := got.GetProperties()
	if w.GetMaximize() {
		return nil, wire.Nonsense("a set of centers, of kind %s, that says Maximize, as only sets of feature weights can", kind)
	}
	return &Set{p: p, ctx: ctx, name: got.GetSet(), shape: wire.Shape{K: k, P: len(columns)}, props: framework.Properties{
		Kind: kind, Convex: w.GetConvex(), Cone: w.GetCone(), RowWise: w.GetRowWise(), Separable: w.GetSeparable(),
	}}, nil
}

// Kind returns the kind that the process describes as d. Its sets live in the
// process, until ctx or the process ends.
func (p *Process) Kind(ctx context.Context, d framework.SetDescription) framework.SetKind {
	return servedKind{p, ctx, d}
}

type servedKind struct {
	p   *Process
	ctx context.Context
	d   framework.SetDescription
}

// Describe implements framework.SetKind.
func (k servedKind) Describe() framework.SetDescription { return k.d }

// Make implements framework.SetKind.
func (k servedKind) Make(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	s, err := k.p.OpenSet(k.ctx, k.d.Kind, rows, clusters, columns)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Properties implements framework.Set.
func (s *Set) Properties() framework.Properties { return s.props }

// Project implements framework.Set. A point that is not finite, or has a mass that
// is negative or not finite, is refused before it is sent. An answer that is not
// finite or of another shape is a Fault of class Plugin.
func (s *Set) Project(dst framework.Matrix, at framework.Point) error {
	if dst.Rows != at.X.Rows || dst.Cols != at.X.Cols {
		panic("plugin: dst has another shape than the point")
	}
	if err := checkPoint(at); err != nil {
		return err
	}
	got, err := invoke(s.ctx, s.p, "project_set", s.p.calls.ProjectSet, &pb.ProjectSetRequest{
		Set: s.name, X: wire.Matrix(at.X), RowMass: wire.Vector(at.RowMass), ColMass: wire.Vector(at.ColMass), Gain: wire.Vector(at.Gain),
	})
	if err != nil {
		return err
	}
	y, err := wire.ReadMatrix(got.GetY(), s.shape)
	if err != nil {
		return err
	}
	if y.Rows != dst.Rows || y.Cols != dst.Cols {
		return wire.Nonsense("a projection of %d × %d centers onto %s has %d × %d", dst.Rows, dst.Cols, s.props.Kind, y.Rows, y.Cols)
	}
	for _, v := range y.Data {
		if !isFinite(v) {
			return wire.Nonsense("a projection onto %s has the entry %g", s.props.Kind, v)
		}
	}
	dst.CopyFrom(y)
	return nil
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// checkPoint refuses a point that cannot be projected.
func checkPoint(at framework.Point) error {
	for i, v := range at.X.Data {
		if !isFinite(v) {
			return framework.Faultf(framework.Internal, "bad-point", "center %d has the entry %g", i/at.X.Cols, v)
		}
	}
	for _, masses := range [][]float64{at.RowMass, at.ColMass} {
		for i, m := range masses {
			if !isFinite(m) || m < 0 {
				return framework.Faultf(framework.Internal, "bad-point", "mass %d is %g; it must be finite, and 0 or more", i, m)
			}
		}
	}
	return nil
}

// Violation implements framework.Set. It is +Inf if the call fails: see Err.
func (s *Set) Violation(y framework.Matrix) float64 {
	violation, _ := s.measure(y)
	return violation
}

// Penalty implements framework.Set. It is +Inf if the call fails: see Err.
func (s *Set) Penalty(y framework.Matrix) float64 {
	_, penalty := s.measure(y)
	return penalty
}

func (s *Set) measure(y framework.Matrix) (violation, penalty float64) {
	got, err := invoke(s.ctx, s.p, "measure_set", s.p.calls.MeasureSet, &pb.MeasureSetRequest{Set: s.name, Y: wire.Matrix(y)})
	if err == nil && (got.GetViolation() != got.GetViolation() || got.GetPenalty() != got.GetPenalty()) {
		err = wire.Nonsense("a measure of %s that is not a number", s.props.Kind)
	}
	if err != nil {
		s.keep(err)
		return math.Inf(1), math.Inf(1)
	}
	return got.GetViolation(), got.GetPenalty()
}

// Close makes the plugin forget the set. After the end of the process there is
// nothing to do.
func (s *Set) Close() error {
	return end(s.p, "close_set", s.p.calls.CloseSet, &pb.CloseSetRequest{Set: s.name})
}
