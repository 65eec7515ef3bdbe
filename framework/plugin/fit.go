package plugin

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// progressPause is how long iterations are gathered before they are sent.
const progressPause = 50 * time.Millisecond

type fitStream = grpc.BidiStreamingServer[pb.FitRequest, pb.FitEvent]

// Fit implements the protocol.
func (s *server) Fit(stream fitStream) error {
	first, start, err := readStart(stream, s.bounds)
	if err != nil {
		return err
	}
	_, err = step(stream.Context(), s, first.GetSession(), func(ctx context.Context, h *session) (*struct{}, error) {
		h.turn.Lock()
		defer h.turn.Unlock()
		board, err := openBoard(first, h.data.Len())
		if err != nil {
			return nil, err
		}
		if board != nil {
			defer func() { _ = board.done() }() // the host has read all, or does not want it
		}
		progress := startProgress(stream)
		defer progress.stop()
		pieces := func(p *fit.Prediction, _ int) error {
			progress.stop()
			if err := progress.flush(); err != nil {
				return err
			}
			if board != nil {
				return board.send(stream, p)
			}
			return sendRows(stream, p)
		}
		res, err := fit.Stream(ctx, s.steps.Count(h.c), h.p, h.data, start, wire.ReadSettings(first.GetSettings()), progress.add, pieces)
		if err != nil {
			return nil, err
		}
		return nil, sendEnd(stream, res)
	})
	return err
}

// bounds returns the rows and the shape of a session, if there is one.
func (s *server) bounds(number uint64) (rows int, sh wire.Shape, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.sessions[number]; h != nil {
		return h.data.Len(), h.shape, true
	}
	return 0, wire.Shape{}, false
}

// readStart reads the input of a fit to its end, of a session with these bounds.
func readStart(stream fitStream, bounds func(uint64) (int, wire.Shape, bool)) (first *pb.FitRequest, start fit.Start, err error) {
	first, err = stream.Recv()
	if err != nil {
		return nil, start, status.Error(codes.InvalidArgument, "a fit without settings")
	}
	rows, sh, ok := bounds(first.GetSession())
	if !ok {
		return nil, start, wire.Status(wire.Closed("the session"))
	}
	if first.GetHasLabels() {
		start.Labels = []int32{}
	}
	if first.GetHasRows() {
		start.Rows = []int{}
	}
	start.Settled = first.GetSettled()
	var centers []float64
	for next := first; err == nil; next, err = stream.Recv() {
		start.Labels = join(start.Labels, next.GetLabels(), rows)
		for _, r := range next.GetRows() {
			start.Rows = append(start.Rows, int(r))
		}
		centers = join(centers, next.GetCenterValues(), sh.K*sh.P)
		if len(start.Labels) > rows || len(start.Rows) > rows || len(centers) > sh.K*sh.P {
			return nil, start, status.Error(codes.InvalidArgument, "a start larger than the problem")
		}
		if next.GetComplete() {
			break
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, start, err
	}
	if c := first.GetCenters(); c != nil {
		if c.GetRows() != int64(sh.K) || c.GetCols() != int64(sh.P) || len(centers) != sh.K*sh.P {
			return nil, start, status.Error(codes.InvalidArgument, "start centers of another size than the model's")
		}
		start.Centers = &framework.Matrix{Rows: sh.K, Cols: sh.P, Data: centers}
	}
	return first, start, nil
}

// join appends a piece to what there is of a whole of so many numbers. A piece that is the whole is returned
// itself.
func join[T any](had, piece []T, whole int) []T {
	switch {
	case len(had) > 0 || len(piece) == 0:
	case len(piece) >= whole:
		return piece
	default:
		had = make([]T, 0, whole)
	}
	return append(had, piece...)
}

// A progress sends iterations while the driver goes on, which never waits for the
// host.
type progress struct {
	stream  fitStream
	mu      sync.Mutex
	waiting []*pb.Iteration
	halt    sync.Once
	halted  chan struct{} // to stop
	done    chan struct{} // has stopped: the stream is free
}

func startProgress(stream fitStream) *progress {
	s := &progress{stream: stream, halted: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		ticker := time.NewTicker(progressPause)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if s.flush() != nil {
					return // the host is gone, which the driver learns from its context
				}
			case <-s.halted:
				return
			}
		}
	}()
	return s
}

func (s *progress) add(it fit.Iteration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, wire.Iteration(it))
}

func (s *progress) flush() error {
	s.mu.Lock()
	iterations := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	for piece := range slices.Chunk(iterations, wire.PieceIterations) {
		if err := s.stream.Send(&pb.FitEvent{Iterations: piece}); err != nil {
			return err
		}
	}
	return nil
}

func (s *progress) stop() {
	s.halt.Do(func() { close(s.halted) })
	<-s.done
}

// sendRows sends what a result has of some rows, in pieces.
func sendRows(stream fitStream, p *fit.Prediction) error {
	for from := 0; from < len(p.Labels); from += wire.PieceEntries {
		to := min(from+wire.PieceEntries, len(p.Labels))
		err := stream.Send(&pb.FitEvent{Rows: &pb.FitRows{
			Labels: p.Labels[from:to], Distance: p.Distance[from:to], Second: p.Second[from:to], Margin: p.Margin[from:to],
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// sendEnd sends the rest of a result. The trace has been sent as progress.
func sendEnd(stream fitStream, res *fit.Result) error {
	model, err := proto.Marshal(wire.Model(res.Model))
	if err != nil {
		return err
	}
	for piece := range slices.Chunk(model, wire.PieceBytes) {
		if err := stream.Send(&pb.FitEvent{Model: piece}); err != nil {
			return err
		}
	}
	return stream.Send(&pb.FitEvent{End: wire.End(res)})
}
