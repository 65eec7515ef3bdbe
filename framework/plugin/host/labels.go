package host

import (
	"context"
	"math"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A LabelSet is a set of labels in a plugin process. It implements framework.LabelSet:
// each method is a call. Costs are shared memory, which the plugin reads. It is safe for
// concurrent use; projections wait for each other.
type LabelSet struct {
	p     *Process
	ctx   context.Context // of OpenLabelSet: Violation and Limits have none
	name  string
	rows  int // that declare it
	n, k  int
	props framework.LabelProperties

	mu    sync.Mutex
	costs *matrix.Board // nil: not needed yet

	firstError
}

var _ framework.LabelSet = (*LabelSet)(nil)

// OpenLabelSet makes a set of labels of rows of one kind and name. It lasts until it is
// closed, or until ctx or the process ends. Faults of the kind arrive as they are. Labels are
// sent in one message: more rows than fit there are refused.
func (p *Process) OpenLabelSet(ctx context.Context, kind string, rows []framework.ConstraintRow, t framework.LabelTable) (
	*LabelSet, error) {
	if most := wire.MostLabels(t.K); t.N > most {
		return nil, framework.Faultf(framework.Data, "too-many-rows", "the limits of kind %s are kept by a plugin, which takes up to %d labels "+
			"below %d at a time, and there are %d rows", kind, most, t.K, t.N).At("constraints").WithHint("fit fewer rows, or leave the limits out")
	}
	table, done, err := wire.Table(t, true)
	if err != nil {
		return nil, err
	}
	defer done() // the plugin has copied it
	got, err := invoke(ctx, p, "open_label_set", p.calls.OpenLabelSet, &pb.OpenLabelSetRequest{
		Kind: kind, Rows: wire.ConstraintRows(rows), K: int64(t.K), Table: table,
	})
	if err != nil {
		return nil, err
	}
	if got.GetSet() == "" {
		return nil, wire.Nonsense("a set without a name")
	}
	return &LabelSet{p: p, ctx: ctx, name: got.GetSet(), rows: len(rows), n: t.N, k: t.K,
		props: framework.LabelProperties{Kind: kind, Exact: got.GetExact()}}, nil
}

// LabelKind returns the kind that the process describes as d. Its sets live in the
// process, until ctx or the process ends.
func (p *Process) LabelKind(ctx context.Context, d framework.SetDescription) framework.LabelKind {
	return servedLabels{p, ctx, d}
}

type servedLabels struct {
	p   *Process
	ctx context.Context
	d   framework.SetDescription
}

// Describe implements framework.LabelKind.
func (k servedLabels) Describe() framework.SetDescription { return k.d }

// Make implements framework.LabelKind.
func (k servedLabels) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	s, err := k.p.OpenLabelSet(k.ctx, k.d.Kind, rows, t)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Properties implements framework.LabelSet.
func (s *LabelSet) Properties() framework.LabelProperties { return s.props }

// Project implements framework.LabelSet. Costs that are negative or NaN are refused before they
// are sent. An answer that cannot be is a Fault of class Plugin.
func (s *LabelSet) Project(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	var point framework.LabelPoint
	if err := at.Check(s.n, s.k); err != nil {
		return point, framework.Faultf(framework.Internal, "bad-costs", "%v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.costs == nil {
		board, err := matrix.NewBoard(s.n*s.k, "")
		if err != nil {
			return point, err
		}
		s.costs = board
	}
	if err := s.costs.Write(at.Costs.Data); err != nil {
		return point, err
	}
	got, err := invoke(ctx, s.p, "project_labels", s.p.calls.ProjectLabels, &pb.ProjectLabelsRequest{
		Set: s.name, Labels: labels, Costs: s.costs.Path(), Prices: at.Prices, Threads: int64(at.Threads),
	})
	if err != nil {
		return point, err
	}
	if err := wire.CheckLabels(got.GetLabels(), s.n, s.k); err != nil {
		return point, wire.Nonsense("%v", err)
	}
	if len(got.GetPrices()) > wire.MaxMessage/8 || got.GetCost() != got.GetCost() || got.GetBound() != got.GetBound() {
		return point, wire.Nonsense("labels of the cost %g and the bound %g, with %d prices", got.GetCost(), got.GetBound(), len(got.GetPrices()))
	}
	copy(labels, got.GetLabels())
	return framework.LabelPoint{Cost: got.GetCost(), Bound: got.GetBound(), Prices: got.GetPrices()}, nil
}

// Violation implements framework.LabelSet. It is +Inf if the call fails: see Err.
func (s *LabelSet) Violation(labels []int32) float64 {
	got, err := s.measure(&pb.MeasureLabelsRequest{Set: s.name, Labels: labels})
	if err != nil {
		return math.Inf(1)
	}
	return got.GetViolation()
}

// Limits implements framework.LabelSet. There are none if the call fails: see Err.
func (s *LabelSet) Limits(labels []int32, prices []float64) []framework.Limit {
	got, err := s.measure(&pb.MeasureLabelsRequest{Set: s.name, Labels: labels, Limits: true, Prices: prices})
	if err != nil {
		return nil
	}
	limits, err := wire.ReadLimits(got.GetLimits(), s.rows, s.k)
	if err != nil {
		s.keep(err)
	}
	return limits
}

func (s *LabelSet) measure(req *pb.MeasureLabelsRequest) (*pb.MeasureLabelsResponse, error) {
	got, err := invoke(s.ctx, s.p, "measure_labels", s.p.calls.MeasureLabels, req)
	if err == nil && !(got.GetViolation() >= 0) {
		err = wire.Nonsense("a violation of %g", got.GetViolation())
	}
	if err != nil {
		s.keep(err)
	}
	return got, err
}

// Feasible implements framework.LabelSet.
func (s *LabelSet) Feasible(ctx context.Context) error {
	got, err := invoke(ctx, s.p, "check_labels", s.p.calls.CheckLabels, &pb.CheckLabelsRequest{Set: s.name})
	if err == nil && got.GetUndecided() != "" {
		return framework.Undecided{Why: got.GetUndecided()}
	}
	return err
}

// Close makes the plugin forget the set, and frees the costs.
func (s *LabelSet) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.costs != nil {
		_ = s.costs.Close() // nothing can be lost
		s.costs = nil
	}
	return end(s.p, "close_set", s.p.calls.CloseSet, &pb.CloseSetRequest{Set: s.name})
}
