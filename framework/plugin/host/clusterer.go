package host

import (
	"context"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// ignoreOptions makes a generated method fit invoke.
func ignoreOptions[Request, Response any](method func(context.Context, Request, ...grpc.CallOption) (Response, error)) func(context.Context, Request) (Response, error) {
	return func(ctx context.Context, req Request) (Response, error) { return method(ctx, req) }
}

// Assign implements framework.Clusterer.
func (s *Session) Assign(m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) error {
	got, err := invoke(context.Background(), s, "assign", ignoreOptions(s.p.calls.Assign),
		&pb.AssignRequest{Session: s.number, Model: wire.Model(m), Block: int64(b.Index), Labels: labels})
	if err != nil {
		return err
	}
	return s.takeLabels(labels, got.GetLabels())
}

// Collect implements framework.Clusterer. The statistics travel in both
// directions: what is added to them depends on them by its rounding.
func (s *Session) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	got, err := invoke(context.Background(), s, "collect", ignoreOptions(s.p.calls.Collect),
		&pb.CollectRequest{Session: s.number, Block: int64(b.Index), From: from, To: to, Stats: wire.Stats(st)})
	if err != nil {
		return err
	}
	return wire.ReadStats(st, got.GetStats())
}

// Update implements framework.Clusterer. The plugin has its own view of rows.
func (s *Session) Update(ctx context.Context, m *framework.Model, st framework.Stats, _ framework.Rows, labels []int32) (framework.Step, error) {
	req := &pb.UpdateRequest{Session: s.number, Model: wire.Model(m), Stats: wire.Stats(st)}
	if s.plan.NeedsRows {
		req.Labels = labels
	}
	got, err := invoke(ctx, s, "update", ignoreOptions(s.p.calls.Update), req)
	if err != nil {
		return framework.Step{}, err
	}
	return wire.ReadStep(got, s.shape)
}

// Project implements framework.Clusterer.
func (s *Session) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	got, err := invoke(context.Background(), s, "project", ignoreOptions(s.p.calls.Project),
		&pb.ProjectRequest{Session: s.number, Model: wire.Model(m), Target: int32(t), At: wire.Point(&at)})
	if err != nil {
		return framework.Outcome{}, err
	}
	after, err := wire.ReadModel(got.GetModel(), s.shape)
	if err != nil {
		return framework.Outcome{}, err
	}
	// Who has taken a view of the centers sees them change, as in one process.
	m.Centers.CopyFrom(after.Centers)
	after.Centers = m.Centers
	*m = *after
	return framework.Outcome{Change: got.GetChange(), Stop: got.GetStop()}, nil
}

// Distances implements framework.Clusterer.
func (s *Session) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	got, err := invoke(context.Background(), s, "distances", ignoreOptions(s.p.calls.Distances),
		&pb.DistancesRequest{Session: s.number, Model: wire.Model(m), Block: int64(b.Index)})
	if err != nil {
		return err
	}
	if len(got.GetValues()) != len(dst.Data) {
		return wire.Nonsense("%d distances instead of %d", len(got.GetValues()), len(dst.Data))
	}
	copy(dst.Data, got.GetValues())
	return nil
}

// takeLabels copies labels of the plugin, which may be wrong.
func (s *Session) takeLabels(dst, got []int32) error {
	if len(got) != len(dst) {
		return wire.Nonsense("%d labels for %d rows", len(got), len(dst))
	}
	for _, j := range got {
		if j < -1 || int(j) >= s.shape.K {
			return wire.Nonsense("label %d of %d clusters", j, s.shape.K)
		}
	}
	copy(dst, got)
	return nil
}
