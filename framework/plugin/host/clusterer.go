package host

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// Assign implements framework.Clusterer.
func (s *Session) Assign(m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) error {
	got, err := step(context.Background(), s, "assign", s.p.calls.Assign,
		&pb.AssignRequest{Session: s.number, Model: wire.Model(m), Block: int64(b.Index), Labels: labels})
	if err != nil {
		return err
	}
	return s.takeLabels(labels, got.GetLabels())
}

// Collect implements framework.Clusterer. The statistics travel in both
// directions: what is added to them depends on them by its rounding.
func (s *Session) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	got, err := step(context.Background(), s, "collect", s.p.calls.Collect,
		&pb.CollectRequest{Session: s.number, Block: int64(b.Index), From: from, To: to, Stats: wire.Stats(st), Part: wire.Part(b.Part)})
	if err != nil {
		return err
	}
	return wire.ReadStats(st, got.GetStats())
}

// Update implements framework.Clusterer. The plugin has its own view of rows.
func (s *Session) Update(
	ctx context.Context, m *framework.Model, st framework.Stats, rows framework.Rows, labels []int32,
) (framework.Step, error) {
	req := &pb.UpdateRequest{Session: s.number, Model: wire.Model(m), Stats: wire.Stats(st)}
	if s.plan.NeedsRows {
		req.Labels, req.Part = labels, wire.Part(framework.PartOf(rows))
	}
	got, err := step(ctx, s, "update", s.p.calls.Update, req)
	if err != nil {
		return framework.Step{}, err
	}
	return wire.ReadStep(got, s.shape)
}

// Project implements framework.Clusterer.
func (s *Session) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	got, err := step(context.Background(), s, "project", s.p.calls.Project,
		&pb.ProjectRequest{Session: s.number, Model: wire.Model(m), Target: int32(t), At: wire.Point(&at)})
	if err != nil {
		return framework.Outcome{}, err
	}
	after, err := wire.ReadModel(got.GetModel(), s.shape)
	if err != nil {
		return framework.Outcome{}, err
	}
	// Views of the centers change with them, as they do in one process.
	m.Centers.CopyFrom(after.Centers)
	after.Centers = m.Centers
	*m = *after
	return framework.Outcome{Change: got.GetChange(), Stop: got.GetStop()}, nil
}

// Distances implements framework.Clusterer.
func (s *Session) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	got, err := step(context.Background(), s, "distances", s.p.calls.Distances,
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

// Costs implements framework.Coster: by Distances where the algorithm has no costs of its own.
func (s *Session) Costs(m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch, dst framework.Matrix) error {
	if !s.costs {
		return s.Distances(m, b, dst)
	}
	got, err := step(context.Background(), s, "costs", s.p.calls.Costs,
		&pb.CostsRequest{Session: s.number, Model: wire.Model(m), Block: int64(b.Index), Labels: labels})
	if err != nil {
		return err
	}
	if len(got.GetValues()) != len(dst.Data) {
		return wire.Nonsense("%d costs instead of %d", len(got.GetValues()), len(dst.Data))
	}
	copy(dst.Data, got.GetValues())
	return nil
}

// takeLabels copies labels of the plugin, which may be wrong.
func (s *Session) takeLabels(dst, got []int32) error {
	if err := wire.CheckLabels(got, len(dst), s.shape.K); err != nil {
		return wire.Nonsense("%v", err)
	}
	copy(dst, got)
	return nil
}
