package plugin

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// step runs one step call of a session. ctx ends with the session too.
func step[Response any](
	ctx context.Context, s *server, number uint64, work func(ctx context.Context, h *session) (*Response, error),
) (out *Response, err error) {
	defer answer(&err)
	h, err := s.enter(number)
	if err != nil {
		return nil, err
	}
	defer h.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	out, err = work(ctx, h)
	if errors.Is(err, context.Canceled) && h.life.Err() != nil {
		err = wire.Closed("the session")
	}
	return out, err
}

// Assign implements the protocol.
func (s *server) Assign(ctx context.Context, req *pb.AssignRequest) (*pb.AssignResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.AssignResponse, error) {
		b, err := h.block(req.GetBlock())
		if err != nil {
			return nil, err
		}
		labels := req.GetLabels()
		if err := h.checkLabels(labels, b.X.Rows); err != nil {
			return nil, err
		}
		m, done, err := h.prepared(req.GetModel())
		if err != nil {
			return nil, err
		}
		defer done()
		err = h.withScratch(b, func(scratch framework.Scratch) error { return h.c.Assign(m, b, labels, scratch) })
		if err != nil {
			return nil, err
		}
		return &pb.AssignResponse{Labels: labels}, nil
	})
}

// Collect implements the protocol.
func (s *server) Collect(ctx context.Context, req *pb.CollectRequest) (*pb.CollectResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.CollectResponse, error) {
		b, err := h.block(req.GetBlock())
		if err != nil {
			return nil, err
		}
		if err := h.checkLabels(req.GetTo(), b.X.Rows); err != nil {
			return nil, err
		}
		part, err := wire.ReadPart(req.GetPart(), b.Row0, b.X.Rows)
		if err != nil {
			return nil, err
		}
		from := req.GetFrom()
		if len(from) == 0 {
			from = nil
		} else if err := h.checkLabels(from, b.X.Rows); err != nil {
			return nil, err
		}
		stats := framework.NewStats(h.plan.Stats)
		if err := wire.ReadStats(stats, req.GetStats()); err != nil {
			return nil, err
		}
		h.turn.RLock()
		defer h.turn.RUnlock()
		if err := h.c.Collect(b.Partly(part), from, req.GetTo(), stats); err != nil {
			return nil, err
		}
		return &pb.CollectResponse{Stats: wire.Stats(stats)}, nil
	})
}

// Update implements the protocol.
func (s *server) Update(ctx context.Context, req *pb.UpdateRequest) (*pb.UpdateResponse, error) {
	return step(ctx, s, req.GetSession(), func(ctx context.Context, h *session) (*pb.UpdateResponse, error) {
		m, err := wire.ReadModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		stats := framework.NewStats(h.plan.Stats)
		if err := wire.ReadStats(stats, req.GetStats()); err != nil {
			return nil, err
		}
		var rows framework.Rows
		var labels []int32
		if h.plan.NeedsRows {
			part, err := wire.ReadPart(req.GetPart(), 0, h.data.Len())
			if err != nil {
				return nil, err
			}
			rows, labels = framework.Partly(h.data, part), req.GetLabels()
			if err := h.checkLabels(labels, h.data.Len()); err != nil {
				return nil, err
			}
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		got, err := h.c.Update(ctx, m, stats, rows, labels)
		if err != nil {
			return nil, err
		}
		return wire.Step(got), nil
	})
}

// Project implements the protocol.
func (s *server) Project(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.ProjectResponse, error) {
		m, err := wire.ReadModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		at, err := wire.ReadPoint(req.GetAt(), h.shape)
		if err != nil {
			return nil, err
		}
		if at == nil || req.GetTarget() < 0 || req.GetTarget() >= int32(framework.Targets) {
			return nil, status.Errorf(codes.InvalidArgument, "projection of target %d", req.GetTarget())
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		o, err := h.c.Project(m, framework.Target(req.GetTarget()), *at)
		if err != nil {
			return nil, err
		}
		return &pb.ProjectResponse{Model: wire.Model(m), Change: o.Change, Stop: wire.Text(o.Stop)}, nil
	})
}

// Distances implements the protocol.
func (s *server) Distances(ctx context.Context, req *pb.DistancesRequest) (*pb.DistancesResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.DistancesResponse, error) {
		b, err := h.block(req.GetBlock())
		if err != nil {
			return nil, err
		}
		m, done, err := h.prepared(req.GetModel())
		if err != nil {
			return nil, err
		}
		defer done()
		dst := framework.NewMatrix(b.X.Rows, h.p.K)
		if err := h.c.Distances(m, b, dst); err != nil {
			return nil, err
		}
		return &pb.DistancesResponse{Values: dst.Data}, nil
	})
}

// Costs implements the protocol.
func (s *server) Costs(ctx context.Context, req *pb.CostsRequest) (*pb.DistancesResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.DistancesResponse, error) {
		coster, ok := framework.As[framework.Coster](h.c)
		if !ok {
			return nil, status.Error(codes.FailedPrecondition, "the algorithm has no costs")
		}
		b, err := h.block(req.GetBlock())
		if err != nil {
			return nil, err
		}
		if err := h.checkLabels(req.GetLabels(), b.X.Rows); err != nil {
			return nil, err
		}
		m, done, err := h.prepared(req.GetModel())
		if err != nil {
			return nil, err
		}
		defer done()
		dst := framework.NewMatrix(b.X.Rows, h.p.K)
		err = h.withScratch(b, func(scratch framework.Scratch) error {
			return coster.Costs(m, b, req.GetLabels(), scratch, dst)
		})
		if err != nil {
			return nil, err
		}
		return &pb.DistancesResponse{Values: dst.Data}, nil
	})
}

// Grid implements the protocol.
func (s *server) Grid(ctx context.Context, req *pb.GridRequest) (*pb.GridResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.GridResponse, error) {
		m, err := wire.ReadModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		c, ok := framework.As[framework.Pather](h.c)
		if !ok {
			return nil, status.Error(codes.FailedPrecondition, "the algorithm has no path")
		}
		if req.GetValues() < 1 || req.GetValues() > wire.MaxGrid {
			return nil, status.Errorf(codes.InvalidArgument, "a grid of %d values", req.GetValues())
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		return &pb.GridResponse{Values: c.Grid(m, int(req.GetValues()))}, nil
	})
}

// Features implements the protocol.
func (s *server) Features(ctx context.Context, req *pb.FeaturesRequest) (*pb.FeaturesResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *session) (*pb.FeaturesResponse, error) {
		m, err := wire.ReadModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		selector, ok := framework.As[framework.Selector](h.c)
		if !ok {
			return nil, status.Error(codes.FailedPrecondition, "the algorithm selects no features")
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		return &pb.FeaturesResponse{Features: wire.Features(selector.Features(m))}, nil
	})
}
