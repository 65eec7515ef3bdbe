package plugin

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// step runs one step call of a session. ctx ends with the session too.
func step[Response any](ctx context.Context, s *server, session uint64, work func(ctx context.Context, h *hosted) (*Response, error)) (out *Response, err error) {
	defer func() { err = toStatus(err) }()
	defer caught(&err)
	h, err := s.enter(session)
	if err != nil {
		return nil, err
	}
	defer h.leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.life, cancel)()
	out, err = work(ctx, h)
	if errors.Is(err, context.Canceled) && h.life.Err() != nil {
		err = closedFault("the session")
	}
	return out, err
}

// block returns a block of the session's data.
func (h *hosted) block(i int64) (framework.Block, error) {
	if i < 0 || i >= int64(h.data.Blocks()) {
		return framework.Block{}, status.Errorf(codes.InvalidArgument, "block %d of %d", i, h.data.Blocks())
	}
	return h.data.Block(int(i)), nil
}

// checkLabels refuses labels that would be a caller's bug.
func (h *hosted) checkLabels(labels []int32, rows int) error {
	if len(labels) != rows {
		return status.Errorf(codes.InvalidArgument, "%d labels for %d rows", len(labels), rows)
	}
	for _, j := range labels {
		if j < -1 || int(j) >= h.p.K {
			return status.Errorf(codes.InvalidArgument, "label %d of %d clusters", j, h.p.K)
		}
	}
	return nil
}

// prepared returns the model, ready for Assign and Distances, and holds it so
// until done is called. Calls for different blocks of the same model share it;
// the first of them has it alone, so that calls for two models in turn get on.
func (h *hosted) prepared(w *pb.Model) (m *framework.Model, done func(), err error) {
	h.turn.RLock()
	if h.model != nil && proto.Equal(w, h.wire) {
		return h.model, h.turn.RUnlock, nil
	}
	h.turn.RUnlock()
	h.turn.Lock()
	defer func() {
		if done == nil {
			h.turn.Unlock()
		}
	}()
	if err := h.prepare(w); err != nil {
		return nil, nil, err
	}
	return h.model, h.turn.Unlock, nil
}

// prepare makes w the session's present model, unless it is.
func (h *hosted) prepare(w *pb.Model) error {
	if h.model != nil && proto.Equal(w, h.wire) {
		return nil
	}
	m, err := readModel(w, h.shape)
	if err != nil {
		return err
	}
	if h.model != nil {
		m.Cache = h.model.Cache
	}
	h.model, h.wire = nil, nil // unless all goes well: who knows its state then
	if p, ok := framework.As[framework.Preparer](h.c); ok {
		p.Prepare(m)
	}
	h.model, h.wire = m, w
	return nil
}

// Assign implements the protocol.
func (s *server) Assign(ctx context.Context, req *pb.AssignRequest) (*pb.AssignResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.AssignResponse, error) {
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
		own := &h.scratch[b.Index]
		own.mu.Lock()
		defer own.mu.Unlock()
		scratch := own.s
		own.s = nil // unless all goes well: who knows its state then
		if scratch == nil {
			scratch = h.c.Scratch(b.X.Rows)
		}
		if err := h.c.Assign(m, b, labels, scratch); err != nil {
			return nil, err
		}
		own.s = scratch
		return &pb.AssignResponse{Labels: labels}, nil
	})
}

// Collect implements the protocol.
func (s *server) Collect(ctx context.Context, req *pb.CollectRequest) (*pb.CollectResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.CollectResponse, error) {
		b, err := h.block(req.GetBlock())
		if err != nil {
			return nil, err
		}
		if err := h.checkLabels(req.GetTo(), b.X.Rows); err != nil {
			return nil, err
		}
		from := req.GetFrom()
		if len(from) == 0 {
			from = nil
		} else if err := h.checkLabels(from, b.X.Rows); err != nil {
			return nil, err
		}
		stats := framework.NewStats(h.plan.Stats)
		if err := readStats(stats, req.GetStats()); err != nil {
			return nil, err
		}
		h.turn.RLock()
		defer h.turn.RUnlock()
		if err := h.c.Collect(b, from, req.GetTo(), stats); err != nil {
			return nil, err
		}
		return &pb.CollectResponse{Stats: wireStats(stats)}, nil
	})
}

// Update implements the protocol.
func (s *server) Update(ctx context.Context, req *pb.UpdateRequest) (*pb.UpdateResponse, error) {
	return step(ctx, s, req.GetSession(), func(ctx context.Context, h *hosted) (*pb.UpdateResponse, error) {
		m, err := readModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		stats := framework.NewStats(h.plan.Stats)
		if err := readStats(stats, req.GetStats()); err != nil {
			return nil, err
		}
		var rows framework.Rows
		var labels []int32
		if h.plan.NeedsRows {
			rows, labels = h.data, req.GetLabels()
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
		return wireStep(got), nil
	})
}

// Project implements the protocol.
func (s *server) Project(ctx context.Context, req *pb.ProjectRequest) (*pb.ProjectResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.ProjectResponse, error) {
		m, err := readModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		at, err := readPoint(req.GetAt(), h.shape)
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
		return &pb.ProjectResponse{Model: wireModel(m), Change: o.Change, Stop: valid(o.Stop)}, nil
	})
}

// Distances implements the protocol.
func (s *server) Distances(ctx context.Context, req *pb.DistancesRequest) (*pb.DistancesResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.DistancesResponse, error) {
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

// Grid implements the protocol.
func (s *server) Grid(ctx context.Context, req *pb.GridRequest) (*pb.GridResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.GridResponse, error) {
		m, err := readModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		c, ok := framework.As[framework.Pather](h.c)
		if !ok {
			return nil, status.Error(codes.FailedPrecondition, "the algorithm has no path")
		}
		if req.GetValues() < 1 || req.GetValues() > maxGrid {
			return nil, status.Errorf(codes.InvalidArgument, "a grid of %d values", req.GetValues())
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		return &pb.GridResponse{Values: c.Grid(m, int(req.GetValues()))}, nil
	})
}

// Features implements the protocol.
func (s *server) Features(ctx context.Context, req *pb.FeaturesRequest) (*pb.FeaturesResponse, error) {
	return step(ctx, s, req.GetSession(), func(_ context.Context, h *hosted) (*pb.FeaturesResponse, error) {
		m, err := readModel(req.GetModel(), h.shape)
		if err != nil {
			return nil, err
		}
		selector, ok := framework.As[framework.Selector](h.c)
		if !ok {
			return nil, status.Error(codes.FailedPrecondition, "the algorithm selects no features")
		}
		h.turn.Lock()
		defer h.turn.Unlock()
		return &pb.FeaturesResponse{Features: wireFeatures(selector.Features(m))}, nil
	})
}
