package host

import (
	"context"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// Fit runs the driver inside the plugin: fit.Stream with the session's clusterer,
// problem and rows. progress, if not nil, is called from the calling goroutine,
// in order, but up to a twentieth of a second late. Soon after ctx is
// cancelled Fit returns ctx.Err(), and the plugin stops.
//
// A plugin need not have a driver. If it does not serve Fit, the driver runs in
// this process, and calls the steps of the session: see Driven.
func (s *Session) Fit(ctx context.Context, start fit.Start, st fit.Settings, progress func(fit.Iteration)) (*fit.Result, error) {
	if s.Driven() {
		return s.drive(ctx, start, st, progress)
	}
	s.count("fit")
	call, cancel := s.p.calling(ctx, 0)
	defer cancel()
	res, err := s.fit(call, start, st, progress)
	if status.Code(err) == codes.Unimplemented {
		s.mu.Lock()
		s.driven = true
		s.mu.Unlock()
		return s.drive(ctx, start, st, progress)
	}
	if err != nil {
		if f := framework.AsFault(err); f != nil {
			return nil, f
		}
		return nil, s.p.explain(ctx, err, "fit")
	}
	return res, nil
}

// Driven reports whether a Fit has found that the plugin does not serve it, so
// that the driver ran in this process.
func (s *Session) Driven() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.driven
}

// drive runs the driver in this process.
func (s *Session) drive(ctx context.Context, start fit.Start, st fit.Settings, progress func(fit.Iteration)) (*fit.Result, error) {
	data, err := matrix.Open(s.data)
	if err != nil {
		return nil, err
	}
	defer func() { _ = data.Close() }()
	return fit.Run(ctx, s.Clusterer(), s.problem, data, start, st, progress)
}

func (s *Session) fit(ctx context.Context, start fit.Start, st fit.Settings, progress func(fit.Iteration)) (*fit.Result, error) {
	stream, err := s.p.calls.Fit(ctx)
	if err != nil {
		return nil, err
	}
	board := s.newBoard(st.Threads)
	defer board.close()
	if err := s.sendStart(stream, start, st, board); err != nil && !errors.Is(err, io.EOF) {
		return nil, err // EOF: Recv knows more
	}
	got := &partialResult{session: s, res: new(fit.Result), iterations: mostIterations(st), board: board}
	for {
		event, err := stream.Recv()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil, wire.Nonsense("the fit ended without a result")
			}
			return nil, err
		}
		if err := got.add(event, progress); err != nil {
			return nil, err
		}
		if event.GetBoardRows() != 0 {
			if err := stream.Send(&pb.FitRequest{Taken: true}); err != nil && !errors.Is(err, io.EOF) {
				return nil, err
			}
		}
		if end := event.GetEnd(); end != nil {
			return got.finish(end)
		}
	}
}

// sendStart sends the input of a fit in pieces.
func (s *Session) sendStart(stream fitStream, start fit.Start, st fit.Settings, b *board) error {
	first := &pb.FitRequest{
		Session: s.number, HasLabels: start.Labels != nil, HasRows: start.Rows != nil, Settled: start.Settled,
		Settings: wire.Settings(st), Board: b.path(), BoardRows: int64(b.each()),
	}
	if c := start.Centers; c != nil {
		first.Centers = &pb.Matrix{Rows: int64(c.Rows), Cols: int64(c.Cols)}
	}
	if err := stream.Send(first); err != nil {
		return err
	}
	for piece := range slices.Chunk(start.Labels, wire.PieceEntries) {
		if err := stream.Send(&pb.FitRequest{Labels: piece}); err != nil {
			return err
		}
	}
	for piece := range slices.Chunk(start.Rows, wire.PieceEntries) {
		rows := make([]int64, len(piece))
		for i, r := range piece {
			rows[i] = int64(r)
		}
		if err := stream.Send(&pb.FitRequest{Rows: rows}); err != nil {
			return err
		}
	}
	if start.Centers != nil {
		for piece := range slices.Chunk(start.Centers.Data, wire.PieceEntries) {
			if err := stream.Send(&pb.FitRequest{CenterValues: piece}); err != nil {
				return err
			}
		}
	}
	if b != nil {
		return stream.Send(&pb.FitRequest{Complete: true})
	}
	return stream.CloseSend()
}

type fitStream = grpc.BidiStreamingClient[pb.FitRequest, pb.FitEvent]

// A partialResult is a result of which some pieces have arrived.
type partialResult struct {
	session    *Session
	res        *fit.Result
	model      []byte
	iterations int    // most of them
	board      *board // nil: rows come in messages
	garbage    int    // bytes of pieces that have been read
}

// mostGarbage is how many bytes of pieces are read into new memory, which takes longer to
// get from the system than the pieces take to be read.
const mostGarbage = 32 << 20

// mostIterations is a generous bound on the trace of a fit: a start may end a round
// at its last iteration.
func mostIterations(st fit.Settings) int {
	const slack = 64
	return 2*max(1, min(st.Restarts, math.MaxInt32))*(min(st.MaxIter, math.MaxInt32/4)+slack) + slack
}

// add takes a piece, unless it makes the result larger than any can be.
func (a *partialResult) add(event *pb.FitEvent, progress func(fit.Iteration)) error {
	if len(a.res.Trace)+len(event.GetIterations()) > a.iterations {
		return wire.Nonsense("more than %d iterations", a.iterations)
	}
	for _, w := range event.GetIterations() {
		it := wire.ReadIteration(w)
		a.res.Trace = append(a.res.Trace, it)
		if progress != nil {
			progress(it)
		}
	}
	// The other lists of a model are seldom longer than its centers.
	if most := wire.MaxMessage + 256*a.session.shape.K*a.session.shape.P; len(a.model)+len(event.GetModel()) > most {
		return wire.Nonsense("a model of more than %d MiB", most>>20)
	}
	a.model = append(a.model, event.GetModel()...)
	if err := a.addWindow(event.GetBoardRows()); err != nil {
		return err
	}
	return a.addRows(event.GetRows())
}

func (a *partialResult) addRows(w *pb.FitRows) error {
	if w == nil {
		return nil
	}
	n := len(w.GetLabels())
	if len(w.GetDistance()) != n || len(w.GetSecond()) != n || len(w.GetMargin()) != n || len(a.res.Labels)+n > a.session.rows {
		return wire.Nonsense("a result for other rows than asked for")
	}
	if err := a.checkLabels(w.GetLabels(), w.GetSecond()); err != nil {
		return err
	}
	if a.res.Labels == nil {
		a.res.Labels, a.res.Second = memory.Zeros[int32](a.session.rows)[:0], memory.Zeros[int32](a.session.rows)[:0]
		a.res.Distance, a.res.Margin = memory.Zeros[float64](a.session.rows)[:0], memory.Zeros[float64](a.session.rows)[:0]
	}
	if a.garbage += 24 * n; a.garbage >= mostGarbage {
		runtime.GC()
		a.garbage = 0
	}
	a.res.Labels = append(a.res.Labels, w.GetLabels()...)
	a.res.Distance = append(a.res.Distance, w.GetDistance()...)
	a.res.Second = append(a.res.Second, w.GetSecond()...)
	a.res.Margin = append(a.res.Margin, w.GetMargin()...)
	return nil
}

func (a *partialResult) finish(end *pb.FitEnd) (*fit.Result, error) {
	if err := wire.ReadEnd(a.res, end, a.session.rows); err != nil {
		return nil, err
	}
	if len(a.res.Labels) != a.session.rows {
		return nil, wire.Nonsense("a result for %d of %d rows", len(a.res.Labels), a.session.rows)
	}
	w := new(pb.Model)
	if err := proto.Unmarshal(a.model, w); err != nil {
		return nil, wire.Nonsense("a model that cannot be read")
	}
	var err error
	a.res.Model, err = wire.ReadModel(w, a.session.shape)
	return a.res, err
}
