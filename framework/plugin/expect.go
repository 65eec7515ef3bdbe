package plugin

import (
	"context"
	"math"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Expect implements the protocol: it gets memory for labels and panels, unless that is much of what there is or the system
// does not tell, and maps the rows when they are there.
func (s *server) Expect(ctx context.Context, req *pb.ExpectRequest) (*pb.ExpectResponse, error) {
	const label, part, most = 4, 16, 1 << 48
	rows, cols := req.GetRows(), req.GetCols()
	if rows < 0 || cols < 0 || rows > math.MaxInt32 || cols > math.MaxInt32 || rows*cols > most {
		return nil, status.Errorf(codes.InvalidArgument, "%d × %d rows", rows, cols)
	}
	n, p := int(rows), int(cols)
	if path := req.GetPath(); path != "" {
		matrix.MapAhead(ctx, path, n, p)
		return &pb.ExpectResponse{}, nil
	}
	labels, panels := rows*label, means.PanelBytes(n, p)
	if room := memory.Available(); room < math.MaxInt64 && labels+panels < room/part {
		memory.StockUp(ctx, labels, panels)
	}
	return &pb.ExpectResponse{}, nil
}

// expectNothing drops what was made ready for a session that does not come.
func expectNothing() {
	memory.ClearStock()
	matrix.DropAhead()
}
