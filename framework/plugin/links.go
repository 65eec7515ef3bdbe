package plugin

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// mostLinks is how many links fit a message.
const mostLinks = maxMessage / 20

func wireLinks(links []framework.Link) (*pb.Links, error) {
	if len(links) == 0 {
		return nil, nil
	}
	if len(links) > mostLinks {
		return nil, framework.Faultf(framework.Data, "too-many-pairs", "there are %d pairs; at most %d can be given to a plugin", len(links), mostLinks).
			At("pairs")
	}
	w := new(pb.Links)
	for _, l := range links {
		w.A, w.B, w.Cannot, w.Weight = append(w.A, l.A), append(w.B, l.B), append(w.Cannot, l.Cannot), append(w.Weight, l.Weight)
	}
	return w, nil
}

// readLinks refuses links that are not of n rows.
func readLinks(w *pb.Links, n int) ([]framework.Link, error) {
	a, b, cannot, weight := w.GetA(), w.GetB(), w.GetCannot(), w.GetWeight()
	if len(a) == 0 {
		return nil, nil
	}
	if len(b) != len(a) || len(cannot) != len(a) || len(weight) != len(a) {
		return nil, status.Errorf(codes.InvalidArgument, "links with %d, %d rows, %d kinds and %d weights", len(a), len(b), len(cannot), len(weight))
	}
	links := make([]framework.Link, len(a))
	for i := range links {
		links[i] = framework.Link{A: a[i], B: b[i], Cannot: cannot[i], Weight: weight[i]}
	}
	return links, framework.CheckLinks(links, n)
}

// AssignLinked implements the protocol.
func (s *server) AssignLinked(ctx context.Context, req *pb.LinkedRequest) (*pb.AssignResponse, error) {
	return linked(ctx, s, req, func(ctx context.Context, h *hosted, m *framework.Model, l framework.Linker) (*pb.AssignResponse, error) {
		labels := req.GetLabels()
		return &pb.AssignResponse{Labels: labels}, l.AssignLinked(ctx, m, h.data, labels)
	})
}

// LinkCosts implements the protocol.
func (s *server) LinkCosts(ctx context.Context, req *pb.LinkedRequest) (*pb.LinkCostsResponse, error) {
	return linked(ctx, s, req, func(ctx context.Context, h *hosted, m *framework.Model, l framework.Linker) (*pb.LinkCostsResponse, error) {
		costs, err := l.LinkCosts(ctx, m, h.data, req.GetLabels())
		return &pb.LinkCostsResponse{Costs: costs}, err
	})
}

func linked[Response any](ctx context.Context, s *server, req *pb.LinkedRequest,
	work func(context.Context, *hosted, *framework.Model, framework.Linker) (*Response, error)) (*Response, error) {
	return step(ctx, s, req.GetSession(), func(ctx context.Context, h *hosted) (*Response, error) {
		l, ok := h.c.(framework.Linker)
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
		got, err := work(ctx, h, m, l)
		if err != nil {
			return nil, err
		}
		return got, nil
	})
}

// takeLabels copies labels of the plugin, which may be wrong.
func (s *Session) takeLabels(dst, got []int32) error {
	if len(got) != len(dst) {
		return nonsense("%d labels for %d rows", len(got), len(dst))
	}
	for _, j := range got {
		if j < -1 || int(j) >= s.shape.k {
			return nonsense("label %d of %d clusters", j, s.shape.k)
		}
	}
	copy(dst, got)
	return nil
}
