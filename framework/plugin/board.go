package plugin

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A board is memory of the host, to which a result is written window by window: that takes a
// small part of the time that messages take.
type board struct {
	windows [wire.Windows]wire.Window
	done    func() error
	sent    int // windows
}

// openBoard returns the board of a fit of so many rows, or nil if there is none.
func openBoard(first *pb.FitRequest, rows int) (*board, error) {
	if first.GetBoard() == "" {
		return nil, nil
	}
	each := first.GetBoardRows()
	if each < 2 || each%2 != 0 || each > int64(rows)+1 {
		return nil, status.Errorf(codes.InvalidArgument, "windows of %d rows for %d", each, rows)
	}
	words, done, err := matrix.OpenBoard(first.GetBoard(), wire.BoardWords(int(each)))
	if err != nil {
		return nil, err
	}
	return &board{windows: wire.Board(words, int(each)), done: done}, nil
}

// send writes what a result has of some rows, and tells the host. It waits until the host
// has read what was there.
func (b *board) send(stream fitStream, p *fit.Prediction) error {
	for from := 0; from < len(p.Labels); {
		if b.sent >= wire.Windows {
			answer, err := stream.Recv()
			if err != nil {
				return err
			}
			if !answer.GetTaken() {
				return status.Error(codes.InvalidArgument, "a message that does not say that a window was read")
			}
		}
		w := &b.windows[b.sent%wire.Windows]
		n := copy(w.Labels, p.Labels[from:])
		copy(w.Second, p.Second[from:])
		copy(w.Distance, p.Distance[from:])
		copy(w.Margin, p.Margin[from:])
		if err := stream.Send(&pb.FitEvent{BoardRows: int64(n)}); err != nil {
			return err
		}
		b.sent++
		from += n
	}
	return nil
}
