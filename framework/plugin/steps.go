package plugin

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// take returns the scratch of a block for this call alone; give puts it back.
func (v *served) take(block int64, rows int) framework.Scratch {
	v.mu.Lock()
	s, ok := v.scratch[block]
	delete(v.scratch, block)
	v.mu.Unlock()
	if !ok {
		s = v.clusterer.Scratch(rows)
	}
	return s
}

func (v *served) give(block int64, s framework.Scratch) {
	v.mu.Lock()
	v.scratch[block] = s
	v.mu.Unlock()
}

func (s *server) Assign(_ context.Context, r *proto.AssignRequest) (*proto.AssignReply, error) {
	reply := &proto.AssignReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		b, err := v.block(r.GetBlock(), len(r.GetLabels()))
		if err != nil {
			return err
		}
		m, err := v.model(r.GetModel())
		if err != nil {
			return err
		}
		scratch := v.take(r.Block, b.X.Rows)
		if err := v.clusterer.Assign(m, b, r.Labels, scratch); err != nil {
			return err
		}
		v.give(r.Block, scratch)
		reply.Labels = r.Labels
		return nil
	})
	return reply, nil
}

func (s *server) Collect(_ context.Context, r *proto.CollectRequest) (*proto.CollectReply, error) {
	reply := &proto.CollectReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		b, err := v.block(r.GetBlock(), len(r.GetTo()))
		if err != nil {
			return err
		}
		from := r.From
		if len(from) == 0 {
			from = nil
		}
		stats := framework.NewStats(v.plan.Stats)
		if err := v.clusterer.Collect(b, from, r.To, stats); err != nil {
			return err
		}
		reply.Stats = toStats(stats)
		return nil
	})
	return reply, nil
}

func (s *server) Update(ctx context.Context, r *proto.UpdateRequest) (*proto.UpdateReply, error) {
	reply := &proto.UpdateReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		m, err := v.model(r.GetModel())
		if err != nil {
			return err
		}
		var rows framework.Rows
		if v.plan.NeedsRows {
			rows = v.data
		}
		step, err := v.clusterer.Update(ctx, m, fromStats(r.GetStats()), rows, r.GetLabels())
		if err != nil {
			return err
		}
		reply.Objective, reply.Mass = step.Objective, step.Mass
		for _, at := range step.At {
			reply.Given = append(reply.Given, at != nil)
			if at == nil {
				at = &framework.Point{}
			}
			reply.At = append(reply.At, toPoint(*at))
		}
		return nil
	})
	return reply, nil
}

func (s *server) Project(_ context.Context, r *proto.ProjectRequest) (*proto.ProjectReply, error) {
	reply := &proto.ProjectReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		m, err := v.model(r.GetModel())
		if err != nil {
			return err
		}
		out, err := v.clusterer.Project(m, framework.Target(r.GetTarget()), fromPoint(r.GetAt()))
		if err != nil {
			return err
		}
		reply.Model, reply.Change, reply.Stop = toModel(m), out.Change, out.Stop
		return nil
	})
	return reply, nil
}

func (s *server) Distances(_ context.Context, r *proto.DistancesRequest) (*proto.DistancesReply, error) {
	reply := &proto.DistancesReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		m, err := v.model(r.GetModel())
		if err != nil {
			return err
		}
		if r.GetBlock() < 0 || r.GetBlock() >= int64(v.data.Blocks()) {
			return framework.Faultf(framework.Plugin, "bad-request", "there is no block %d", r.GetBlock())
		}
		b := v.data.Block(int(r.GetBlock()))
		dst := framework.NewMatrix(b.X.Rows, v.problem.K)
		if err := v.clusterer.Distances(m, b, dst); err != nil {
			return err
		}
		reply.Data = dst.Data
		return nil
	})
	return reply, nil
}

func (s *server) Features(_ context.Context, r *proto.FeaturesRequest) (*proto.FeaturesReply, error) {
	reply := &proto.FeaturesReply{}
	reply.Fault = caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		m, err := v.model(r.GetModel())
		if err != nil {
			return err
		}
		selector, ok := v.clusterer.(framework.Selector)
		if !ok {
			return framework.Faultf(framework.Plugin, "bad-request", "this algorithm selects no features")
		}
		for _, f := range selector.Features(m) {
			reply.Features = append(reply.Features, &proto.Feature{Column: int64(f.Column), Cluster: int64(f.Cluster),
				Selected: f.Selected, Weight: f.Weight, Gain: f.Gain, Rank: int64(f.Rank)})
		}
		return nil
	})
	return reply, nil
}
