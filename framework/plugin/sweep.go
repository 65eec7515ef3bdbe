package plugin

import (
	"context"

	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// Sweep implements the protocol.
func (s *server) Sweep(req *pb.SweepRequest, stream grpc.ServerStreamingServer[pb.SweepEvent]) error {
	_, err := step(stream.Context(), s, req.GetSession(), func(ctx context.Context, h *session) (*struct{}, error) {
		h.turn.Lock()
		defer h.turn.Unlock()
		sweep, err := wire.ReadSweep(req, h.p.P)
		if err != nil {
			return nil, err
		}
		return nil, sweep.Run(ctx, tune.Here(h.algorithm, s.steps.Count), h.p, h.data, func(t tune.Trial) error {
			for _, piece := range wire.Trial(t) {
				if err := stream.Send(piece); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return err
}
