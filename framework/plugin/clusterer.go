package plugin

import (
	"context"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// unary drops the options of a generated method.
func unary[Q, R any](method func(context.Context, Q, ...grpc.CallOption) (R, error)) func(context.Context, Q) (R, error) {
	return func(ctx context.Context, request Q) (R, error) { return method(ctx, request) }
}

// Plan implements framework.Clusterer.
func (s *Session) Plan() framework.Plan { return s.plan }

// Begin implements framework.Clusterer.
func (s *Session) Begin() *framework.Model { return s.begin.Clone() }

// Scratch implements framework.Clusterer: the plugin keeps its own.
func (s *Session) Scratch(int) framework.Scratch { return nil }

// Assign implements framework.Clusterer.
func (s *Session) Assign(m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) error {
	reply, err := call(s, s.ctx, "assign", unary(s.p.rpc.Assign), &proto.AssignRequest{Session: s.id, Model: toModel(m), Block: int64(b.Index), Labels: labels})
	if err != nil {
		return err
	}
	if len(reply.Labels) != len(labels) {
		return s.malformed("assign", "%d labels for %d rows", len(reply.Labels), len(labels))
	}
	for i, j := range reply.Labels {
		if j < 0 || int(j) >= m.Centers.Rows {
			return s.malformed("assign", "label %d for row %d, with %d clusters", j, b.Row0+i, m.Centers.Rows)
		}
	}
	copy(labels, reply.Labels)
	return nil
}

// Collect implements framework.Clusterer.
func (s *Session) Collect(b framework.Block, from, to []int32, st framework.Stats) error {
	reply, err := call(s, s.ctx, "collect", unary(s.p.rpc.Collect), &proto.CollectRequest{Session: s.id, Block: int64(b.Index), From: from, To: to})
	if err != nil {
		return err
	}
	got := fromStats(reply.Stats)
	if len(got) != len(st) {
		return s.malformed("collect", "%d statistics; %d were declared", len(got), len(st))
	}
	for i := range got {
		if len(got[i]) != len(st[i]) {
			return s.malformed("collect", "%d numbers of statistic %d; %d were declared", len(got[i]), i, len(st[i]))
		}
	}
	st.Add(got)
	return nil
}

// Update implements framework.Clusterer. The rows are those of the session.
func (s *Session) Update(ctx context.Context, m *framework.Model, st framework.Stats, _ framework.Rows, labels []int32) (framework.Step, error) {
	reply, err := call(s, ctx, "update", unary(s.p.rpc.Update), &proto.UpdateRequest{Session: s.id, Model: toModel(m), Stats: toStats(st), Labels: labels})
	if err != nil {
		return framework.Step{}, err
	}
	step := framework.Step{Objective: reply.Objective, Mass: reply.Mass}
	for t := range min(len(step.At), len(reply.At), len(reply.Given)) {
		if reply.Given[t] {
			at := fromPoint(reply.At[t])
			step.At[t] = &at
		}
	}
	return step, nil
}

// Project implements framework.Clusterer.
func (s *Session) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	reply, err := call(s, s.ctx, "project", unary(s.p.rpc.Project), &proto.ProjectRequest{Session: s.id, Model: toModel(m), Target: int32(t), At: toPoint(at)})
	if err != nil {
		return framework.Outcome{}, err
	}
	got := fromModel(reply.Model)
	if got.Centers.Rows != m.Centers.Rows || got.Centers.Cols != m.Centers.Cols || len(got.Centers.Data) != len(m.Centers.Data) {
		return framework.Outcome{}, s.malformed("project", "%d×%d centers", got.Centers.Rows, got.Centers.Cols)
	}
	*m = *got
	return framework.Outcome{Change: reply.Change, Stop: reply.Stop}, nil
}

// Distances implements framework.Clusterer.
func (s *Session) Distances(m *framework.Model, b framework.Block, dst framework.Matrix) error {
	reply, err := call(s, s.ctx, "distances", unary(s.p.rpc.Distances), &proto.DistancesRequest{Session: s.id, Model: toModel(m), Block: int64(b.Index)})
	if err != nil {
		return err
	}
	if len(reply.Data) != len(dst.Data) {
		return s.malformed("distances", "%d numbers; %d are needed", len(reply.Data), len(dst.Data))
	}
	copy(dst.Data, reply.Data)
	return nil
}

// Features returns what the model says of each feature; nil if the algorithm
// selects none.
func (s *Session) Features(m *framework.Model) ([]framework.Feature, error) {
	if !s.selects {
		return nil, nil
	}
	reply, err := call(s, s.ctx, "features", unary(s.p.rpc.Features), &proto.FeaturesRequest{Session: s.id, Model: toModel(m)})
	if err != nil {
		return nil, err
	}
	var all []framework.Feature
	for _, f := range reply.Features {
		all = append(all, framework.Feature{Column: int(f.Column), Cluster: int(f.Cluster), Selected: f.Selected,
			Weight: f.Weight, Gain: f.Gain, Rank: int(f.Rank)})
	}
	return all, nil
}

// malformed reports a reply that does not keep to the protocol.
func (s *Session) malformed(step, format string, args ...any) error {
	return framework.Faultf(framework.Plugin, "plugin-bad-reply", "the plugin %s gave a wrong reply in its step %s: "+format, append([]any{s.p.name, step}, args...)...).
		WithHint("sqlcluster needs a plugin that keeps to the protocol; please report it to its author")
}
