package plugin

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Expect implements the protocol: it gets memory for labels and panels, unless the rows take much of what there is, and
// maps the rows when they are there.
func (s *server) Expect(ctx context.Context, req *pb.ExpectRequest) (*pb.ExpectResponse, error) {
	const cell, label, part = 8, 4, 4
	n, p := req.GetRows(), req.GetCols()
	if n < 0 || p < 0 {
		return nil, status.Errorf(codes.InvalidArgument, "%d × %d rows", n, p)
	}
	if path := req.GetPath(); path != "" {
		matrix.MapAhead(ctx, path, int(n), int(p))
	} else if float64(n)*float64(max(p, 1))*cell < float64(memory.Available()/part) {
		memory.StockUp(ctx, n*label, means.PanelBytes(int(n), int(p)))
	}
	return &pb.ExpectResponse{}, nil
}
