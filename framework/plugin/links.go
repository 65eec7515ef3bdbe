package plugin

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// AssignLinked implements the protocol.
func (s *server) AssignLinked(ctx context.Context, req *pb.LinkedRequest) (*pb.AssignResponse, error) {
	return linked(ctx, s, req, func(ctx context.Context, h *session, m *framework.Model, l framework.Linker) (*pb.AssignResponse, error) {
		labels := req.GetLabels()
		return &pb.AssignResponse{Labels: labels}, l.AssignLinked(ctx, m, h.data, labels)
	})
}

// LinkCosts implements the protocol.
func (s *server) LinkCosts(ctx context.Context, req *pb.LinkedRequest) (*pb.LinkCostsResponse, error) {
	return linked(ctx, s, req, func(ctx context.Context, h *session, m *framework.Model, l framework.Linker) (*pb.LinkCostsResponse, error) {
		costs, err := l.LinkCosts(ctx, m, h.data, req.GetLabels())
		return &pb.LinkCostsResponse{Costs: costs}, err
	})
}

func linked[Response any](
	ctx context.Context, s *server, req *pb.LinkedRequest,
	work func(context.Context, *session, *framework.Model, framework.Linker) (*Response, error),
) (*Response, error) {
	return step(ctx, s, req.GetSession(), func(ctx context.Context, h *session) (*Response, error) {
		l, ok := framework.As[framework.Linker](h.c)
		if !ok {
			return nil, status.Error(codes.Unimplemented, "the algorithm does not support links")
		}
		if err := h.checkLabels(req.GetLabels(), h.data.Len()); err != nil {
			return nil, err
		}
		m, done, err := h.prepared(req.GetModel())
		if err != nil {
			return nil, err
		}
		defer done()
		return work(ctx, h, m, l)
	})
}
